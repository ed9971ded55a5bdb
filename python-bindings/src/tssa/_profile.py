# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""The profile of a session, in the file that ONNX Runtime writes: Chrome's trace format.

The runtime records the events, and writes them: runs ("model_run"), launches ("<kernel>_kernel_time"), and the parts of
launches that each thread ran. The loading of the model ("session_initialization") is added here.
"""

import contextlib
import json
import os
import threading
import time
from typing import Any, Iterator, Optional

from . import _runtime
from ._errors import Error

#: As in ONNX Runtime: of a session that runs for days, the first events are kept.
MAX_EVENTS = 1_000_000


class Profile:
    """What a session has recorded. Any number of threads may add to it."""

    def __init__(self, prefix: str) -> None:
        self.start_ns = time.time_ns()
        self._prefix = prefix
        self._clock_ns = time.perf_counter_ns()
        self._trace = _runtime.Trace(MAX_EVENTS)
        self._changed = threading.Condition()
        self._active = 0
        self._closed = False

    def set_program(self, program: Any) -> None:
        """Notes the program, whose runs are recorded. It is loaded now."""
        self._program = program
        duration = (time.perf_counter_ns() - self._clock_ns) // 1000
        self._loaded = {"ph": "X", "cat": "Session", "name": "session_initialization", "pid": os.getpid(),
                        "tid": threading.get_native_id(), "ts": 0, "dur": duration, "args": {}}

    @contextlib.contextmanager
    def record(self) -> Iterator[Optional[Any]]:
        """Gives the trace that a run writes to, None if the profile is being written."""
        with self._changed:
            recorded = not self._closed
            self._active += recorded
        try:
            yield self._trace if recorded else None
        finally:
            with self._changed:
                self._active -= recorded
                self._changed.notify_all()

    def write(self) -> str:
        """Waits for the runs in progress, writes the file and returns its name. If that fails, there is no file.

        Error: the file cannot be written. What was recorded is kept.
        """
        with self._changed:
            self._closed = True
            self._changed.wait_for(lambda: self._active == 0)
        path = self._find_path()
        part = f"{path}.{os.getpid()}.part"
        events = self._program.write_trace(self._trace, self._clock_ns)
        first = json.dumps(self._loaded)
        try:
            with open(part, "w", encoding="utf-8") as file:
                file.write("[\n" + first + (events[1:] if events == "[]" else ",\n" + events[1:]) + "\n")
            os.rename(part, path)
        except OSError as error:
            with contextlib.suppress(OSError):
                os.remove(part)
            with self._changed:
                self._closed = False
            raise Error(f"the profile '{path}' cannot be written: {error.strerror}") from None
        return path

    def _find_path(self) -> str:
        """Returns a name that says when the session began, and that no file has."""
        number = self.start_ns // 1_000_000
        while True:
            date = time.strftime("%Y-%m-%d_%H-%M-%S", time.localtime(number // 1000))
            path = f"{self._prefix}_{date}_{number % 1000:03}.json"
            if not os.path.exists(path):
                return path
            number += 1
