"""Files that are written whole or not at all, whenever the writer is stopped."""

import os
from pathlib import Path


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
