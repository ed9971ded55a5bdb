# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Folders for the files that tssa-compile reads.

They are in the cache folder, and a process holds a lock on each of its own. A process that is killed cannot remove
them: the next one that makes a folder removes those that nobody holds.
"""

import contextlib
import fcntl
import os
import shutil
import stat
import tempfile

from ._errors import Error

_WORK = "work"


def _find_cache():
    """Returns the cache folder of tssa-run, or None."""
    xdg, home = os.environ.get("XDG_CACHE_HOME", ""), os.environ.get("HOME", "")
    if os.path.isabs(xdg):
        return os.path.join(xdg, "tssa")
    return os.path.join(home, ".cache", "tssa") if os.path.isabs(home) else None


def _lock_work():
    """Returns the path of the folder of all folders and a descriptor that locks it, or None if it cannot be had."""
    cache = _find_cache()
    if cache is None:
        return None
    work = os.path.join(cache, _WORK)
    try:
        os.makedirs(os.path.dirname(cache), exist_ok=True)
        for path in (cache, work):
            with contextlib.suppress(FileExistsError):
                os.mkdir(path, 0o700)
            status = os.stat(path)
            # Who can write there can choose what is compiled.
            if status.st_uid != os.geteuid() or status.st_mode & stat.S_IWOTH:
                return None
        return work, _lock(work, fcntl.LOCK_EX)
    except OSError:
        return None


def _lock(path, kind):
    """Returns a descriptor of a folder that holds the lock on it."""
    handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        fcntl.flock(handle, kind)
    except OSError:
        os.close(handle)
        raise
    return handle


def _hold(path):
    """Returns a descriptor that holds the lock on a folder, or None if another process holds it."""
    try:
        return _lock(path, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return None


def _sweep(work):
    """Removes the folders that no process holds."""
    for name in os.listdir(work):
        path = os.path.join(work, name)
        handle = _hold(path)
        if handle is not None:
            shutil.rmtree(path, ignore_errors=True)
            os.close(handle)


@contextlib.contextmanager
def make_folder():
    """Yields the path of a new folder, which is removed at the end.

    Without a usable cache it is in the temporary folder, where it stays if the process is killed.
    """
    locked = _lock_work()
    if locked is None:
        try:
            temporary = tempfile.TemporaryDirectory(prefix="tssa-")
        except OSError as error:
            raise Error(f"there is no folder for temporary files: {error.strerror}") from error
        with temporary as path:
            yield path
        return
    work, lock = locked
    try:
        # The lock is held until the new folder is, so that nobody sweeps it away.
        _sweep(work)
        path = tempfile.mkdtemp(dir=work)
        handle = _hold(path)
    finally:
        os.close(lock)
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)
        if handle is not None:
            os.close(handle)
