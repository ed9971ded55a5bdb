# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""The profile of a session, in the file that ONNX Runtime writes: Chrome's trace format.

The runtime sums the calls of each launch of a run. So a run is one event "model_run", and the events of its launches
stand in it one after the other, in the order of the launch table: their lengths are measured, their positions are not.
"""

import contextlib
import json
import os
import threading
import time
from typing import Any, Dict, List, Sequence, Tuple

from ._errors import Error

#: As in ONNX Runtime: of a session that runs for days, the first events are kept.
MAX_EVENTS = 1_000_000

_Launches = Sequence[Tuple[str, Sequence[Tuple[str, str]]]]
_Times = Sequence[Tuple[int, float, float]]


class Profile:
    """What a session has recorded. Any number of threads may add to it."""

    def __init__(self, prefix: str) -> None:
        self.start_ns = time.time_ns()
        self._prefix = prefix
        self._clock_ns = time.perf_counter_ns()
        self._launches: _Launches = ()
        self._sessions: List[Tuple[str, int, int, int]] = []
        self._runs: List[Tuple[int, int, int, _Times]] = []

    def set_launches(self, launches: _Launches) -> None:
        """Notes the kernels of the program, with the names and operators of their nodes. It is loaded now."""
        self._launches = launches
        self._sessions.append(("session_initialization", self._clock_ns, self.now(), threading.get_native_id()))

    @staticmethod
    def now() -> int:
        return time.perf_counter_ns()

    def is_full(self) -> bool:
        return len(self._runs) * (len(self._launches) + 1) >= MAX_EVENTS

    def add_run(self, start: int, times: _Times) -> None:
        """Adds a run that began at `start` and ends now."""
        if not self.is_full():
            self._runs.append((start, self.now(), threading.get_native_id(), times))

    def write(self) -> str:
        """Writes the file and returns its name. If that fails, there is no file.

        Error: the file cannot be written. What was recorded is kept.
        """
        path = self._find_path()
        part = f"{path}.{os.getpid()}.part"
        try:
            with open(part, "w", encoding="utf-8") as file:
                file.write("[\n")
                file.write(",\n".join(map(json.dumps, self._list_events())))
                file.write("\n]\n")
            os.rename(part, path)
        except OSError as error:
            with contextlib.suppress(OSError):
                os.remove(part)
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

    def _list_events(self) -> List[Dict[str, Any]]:
        events = [self._make_event("Session", *session) for session in self._sessions]
        for start, end, thread, times in self._runs:
            begin = float(start)
            for number, ((kernel, nodes), (calls, seconds, flops)) in enumerate(zip(self._launches, times)):
                if calls:
                    operators = "+".join(dict.fromkeys(op for _, op in nodes))
                    events.append(self._make_event(
                        "Node", f"{kernel}_kernel_time", begin, begin + seconds * 1e9, thread, op_name=operators,
                        provider="CPUExecutionProvider", node_index=str(number), nodes=[name for name, _ in nodes],
                        calls=calls, flops=flops))
                    begin += seconds * 1e9
            events.append(self._make_event("Session", "model_run", start, end, thread))
        return events

    def _make_event(self, category: str, name: str, start: float, end: float, thread: int, **args: Any) -> Dict[str, Any]:
        """Times of an event are in microseconds from the start of the session."""
        return {"cat": category, "pid": os.getpid(), "tid": thread, "dur": round((end - start) / 1000),
                "ts": round((start - self._clock_ns) / 1000), "ph": "X", "name": name, "args": args}
