# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Runs a tool in a process of its own, and takes what it tells while it works."""

import contextlib
import os
import selectors
import subprocess
import time

#: How often the watch is told that the tool is at work, in seconds.
_TICK = 0.5


def run_tool(command, watch, timeout=None, pass_fds=()):
    """Runs a tool that knows --progress-fd. It ends when this process is killed or interrupted, or the watch raises, and with
    it the compiler that it started. Returns a subprocess.CompletedProcess; what it prints may hold names of files, which need
    not be UTF-8.

    subprocess.TimeoutExpired: the tool was ended after `timeout` seconds.
    """
    events, theirs = os.pipe()
    with contextlib.ExitStack() as stack:
        stack.callback(os.close, events)
        try:
            process = subprocess.Popen([*command, f"--progress-fd={theirs}"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                       pass_fds=(*pass_fds, theirs), env={**os.environ, "TSSA_ENDS_WITH": str(os.getpid())})
        finally:
            os.close(theirs)
        stack.enter_context(process)
        try:
            with contextlib.closing(_Reader(process, events, watch)) as reader:
                reader.read_all(None if timeout is None else time.monotonic() + timeout)
        except BaseException as error:
            process.terminate()  # tssa-run ends the compiler, which removes its unfinished files
            if isinstance(error, TimeoutError):
                raise subprocess.TimeoutExpired(command, timeout) from None
            raise
        finally:
            watch.end()
        code = process.wait()
        texts = [reader.get_text(stream) for stream in (process.stdout, process.stderr)]
        return subprocess.CompletedProcess(command, code, *texts)


class _Reader:
    """Reads what a process prints, and gives what it tells to a watch."""

    def __init__(self, process, events, watch):
        self._watch, self._events = watch, events
        self._parts = {process.stdout: [], process.stderr: []}
        self._selector = selectors.DefaultSelector()
        for stream in (*self._parts, events):
            self._selector.register(stream, selectors.EVENT_READ)

    def close(self):
        self._selector.close()

    def read_all(self, deadline):
        """Reads until the process has closed all. TimeoutError: the deadline has passed."""
        told = time.monotonic()
        while self._selector.get_map():
            wait = _TICK if deadline is None else max(0, min(_TICK, deadline - time.monotonic()))
            for key, _ in self._selector.select(wait):
                self._read(key.fileobj)
            now = time.monotonic()
            if deadline is not None and now >= deadline:
                raise TimeoutError
            if now - told >= _TICK:
                told = now
                self._watch.tell()

    def _read(self, stream):
        data = os.read(stream if isinstance(stream, int) else stream.fileno(), 65536)
        if not data:
            self._selector.unregister(stream)
        elif stream == self._events:
            self._watch.take(data)
        else:
            self._parts[stream].append(data)

    def get_text(self, stream):
        return b"".join(self._parts[stream]).decode(errors="backslashreplace")
