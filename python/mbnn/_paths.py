"""Paths that must be there, or must not."""
from __future__ import annotations

import errno
import os


def existing(path: str | os.PathLike[str], what: str) -> str:
    path = os.fspath(path)
    if not os.path.exists(path):
        raise FileNotFoundError(errno.ENOENT, f"there is no such {what}", path)
    return path


def refuse_existing(path: str) -> None:
    if os.path.exists(path):
        raise FileExistsError(errno.EEXIST, "there is a file, and overwrite is not set", path)
