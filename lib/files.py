"""Files that are written whole or not at all, whenever the writer is stopped, and checkpoints."""

import hashlib
import io
import os
from pathlib import Path

HASH = 32  # bytes in front of a checkpoint


def write_whole(path: Path, data: bytes) -> None:
    """Writes `data` to `path`, whose folder is made where there is none; OSError, and the file as
    it was, where there is no room or no right to.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        partial.write_bytes(data)
        partial.replace(path)
    except OSError as error:  # a device without room does not say of which file
        raise OSError(error.errno, error.strerror or str(error), str(path)) from error
    finally:
        partial.unlink(missing_ok=True)


class CheckpointError(ValueError):
    """A checkpoint from which a run cannot go on."""


def write_checkpoint(path: Path, state: dict) -> None:
    """Writes a checkpoint as a whole or not at all: a hash of its bytes, and its bytes."""
    import torch  # here, as who writes other files need not load it

    file = io.BytesIO()
    torch.save(state, file)
    data = file.getvalue()
    write_whole(path, _hash(data) + data)


def _hash(data: bytes) -> bytes:
    """A hash of `HASH` bytes. PyTorch does not notice where a tensor in a file was changed."""
    return hashlib.sha256(data).digest()


def read_checkpoint(path: Path, identity: str) -> dict:
    """The state in a checkpoint, if it is whole and of the run of that identity."""
    import torch

    written = path.read_bytes()
    if written[:HASH] != _hash(written[HASH:]):
        raise CheckpointError(f"{path} is no checkpoint that can be read: remove it to start anew")
    state = torch.load(io.BytesIO(written[HASH:]), weights_only=True)
    if state["identity"] != identity:
        raise CheckpointError(f"{path} is the checkpoint of another run: remove it to start anew")
    return state
