# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""What is told while a model or program is compiled: to a function, to the log, and on a terminal."""

import json
import logging
import os
import shutil
import sys
import time
from typing import NamedTuple

_log = logging.getLogger("tssa")


class Progress(NamedTuple):
    """What a compilation does at the moment.

    model: the name of the model or function, without folder and extension. step: "start" while the cache is searched, then
    what the compiler does, such as "layout" or "code", and "end" once when it is over. done: how many kernels the step has
    done, of `kernels`; both are 0 before the program has kernels. seconds: since the compilation began.
    """

    model: str
    step: str
    done: int
    kernels: int
    seconds: float


def show_progress(progress):
    """Shows a line at the end of the terminal that is standard error, if it is one, from the second second on. The default
    of set_progress()."""
    if sys.stderr is None or not sys.stderr.isatty() or os.environ.get("TERM", "dumb") == "dumb" or progress.seconds < 1:
        return
    text = ""
    if progress.step != "end":
        kernels = f", {progress.done} of {progress.kernels} kernels" if progress.kernels else ""
        text = f"tssa: compiling {progress.model}: {progress.step}{kernels}, {progress.seconds:.0f} s"
    sys.stderr.write(f"\r{text[:shutil.get_terminal_size().columns - 1]}\033[K")
    sys.stderr.flush()


_function = show_progress


def set_progress(function):
    """Chooses what is told of compilations, in all threads. Returns the function that was chosen before.

    function: called with a tssa.Progress for each step and kernel, and twice a second, in the thread that compiles. If it
    raises an exception, the compiler ends, and what asked for the compilation raises the exception. None: nothing is told.
    """
    global _function  # pylint: disable=global-statement
    if function is not None and not callable(function):
        raise TypeError(f"expected a function or None, got {type(function).__name__}")
    before, _function = _function, function
    return before


class Watch:
    """Tells of one compilation, from what tssa-compile writes to --progress-fd.

    model: the name of the model. say(level, text): logs; None for the logger "tssa".
    """

    def __init__(self, model, say=None):
        self._model, self._say = model, say or _log.log
        self._start = time.monotonic()
        self._step, self._done, self._kernels = "start", 0, 0
        self._has_told = False
        self._said_kernels = False
        self._rest = b""

    @property
    def seconds(self):
        return time.monotonic() - self._start

    @property
    def saw_compiler(self):
        """Whether the compiler has begun; otherwise the result was in the cache."""
        return self._step != "start"

    def take(self, data):
        """Takes what was read, which may end within a line."""
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            event = json.loads(line)
            self._step, self._done, self._kernels = event["step"], event["done"], event["kernels"]
            if self._kernels and not self._said_kernels:
                self._said_kernels = True
                noun = "kernel" if self._kernels == 1 else "kernels"
                self._say(logging.INFO, f"compiling {self._model}: {self._kernels} {noun}")
            self.tell()

    def tell(self):
        """Tells once more what the compiler does."""
        if _function is not None:
            self._has_told = True
            _function(Progress(self._model, self._step, self._done, self._kernels, self.seconds))

    def end(self):
        """Tells that the compiler is not running any more."""
        if _function is not None and self._has_told:
            _function(Progress(self._model, "end", self._done, self._kernels, self.seconds))

    def say_loaded(self, is_kept):
        """Logs where the artifact came from. is_kept: whether the cache has it now."""
        if self.saw_compiler:
            where = "kept in the cache" if is_kept else "not kept: there is no cache folder"
            self._say(logging.INFO, f"compiled {self._model} in {self.seconds:.1f} s, {where}")
        else:
            self._say(logging.INFO, f"{self._model}: from the cache in {1e3 * self.seconds:.0f} ms")
