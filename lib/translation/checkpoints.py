"""Checkpoints: the state of a training run in a file, which is whole or refused."""

from __future__ import annotations

import hashlib
import io
from pathlib import Path

import torch

from lib.files import write_whole

HASH = 32  # bytes in front of a checkpoint


class CheckpointError(ValueError):
    """A checkpoint from which a run cannot go on."""


def write(path: Path, state: dict) -> None:
    """Writes a checkpoint as a whole or not at all: a hash of its bytes, and its bytes."""
    file = io.BytesIO()
    torch.save(state, file)
    data = file.getvalue()
    write_whole(path, _hash(data) + data)


def _hash(data: bytes) -> bytes:
    """A hash of `HASH` bytes. PyTorch does not notice where a tensor in a file was changed."""
    return hashlib.sha256(data).digest()


def read(path: Path, identity: str) -> dict:
    """The state in a checkpoint, if it is whole and of the run of that identity."""
    written = path.read_bytes()
    if written[:HASH] != _hash(written[HASH:]):
        raise CheckpointError(f"{path} is no checkpoint that can be read: remove it to start anew")
    state = torch.load(io.BytesIO(written[HASH:]), weights_only=True)
    if state["identity"] != identity:
        raise CheckpointError(f"{path} is the checkpoint of another run: remove it to start anew")
    return state
