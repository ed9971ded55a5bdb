"""Cases, and one row of results for a case, a number of threads and an instruction set."""

import contextlib
import dataclasses
import os
import tempfile
from typing import Dict, Optional

import measure
from compare import flops, machine, rounds, runners
from compare.seat import Seat
from compare.worker import Worker


@dataclasses.dataclass
class Case:
    """A model with inputs and answers."""

    name: str
    #: what the table lists together
    group: str
    #: form -> path of the ONNX file; most have the form "" alone, others "open" and "fixed"
    models: Dict[str, str]
    inputs: str
    answers: str
    #: what torch runs (programs.py), if it runs anything
    program: Optional[dict] = None


def label_of(system, form):
    return f"{system} {form}".strip()


class Bench:
    """Keeps compiled binaries of the case at hand, and the processes that are kept."""

    def __init__(self, bins, systems, settings, tuned="", flags=None):
        #: system -> folder of tssa-compile and tssa-run
        self.bins = bins
        #: system -> options of tssa-compile
        self.flags = flags or {}
        #: the folder of records for the system `tuned`
        self.tuned = tuned
        self.systems, self.settings = systems, settings
        self.workers = {}
        self.binaries = {}
        self.operations = {}
        self.stack = contextlib.ExitStack()
        self.folder = self.stack.enter_context(tempfile.TemporaryDirectory(prefix="tssa-bench-"))
        self.roof = machine.Roof(self.folder)
        self.cpus = machine.cpus()

    def close(self):
        for worker in self.workers.values():
            worker.end()
        self.stack.close()

    def hire(self, system, threads, isa):
        """A process for the system: a new one, or the one that it keeps."""
        kind = runners.kind_of(system)
        narrow = {} if isa == "native" else kind.narrow
        if kind.fresh:
            return Worker(system, threads, self.cpus, narrow)
        key = (system, threads, isa)
        if key not in self.workers or not self.workers[key].alive:
            self.workers[key] = Worker(system, threads, self.cpus, narrow)
        return self.workers[key]

    def compiled(self, system, model, isa):
        """Compiles once per case and instruction set; gives the path and what is said of the compilation."""
        key = (system, model, isa)
        if key not in self.binaries:
            folder = self.bins[system]
            path = os.path.join(self.folder, f"{len(self.binaries)}.so")
            done = measure.compile_model(os.path.join(folder, "tssa-compile"), model, path,
                                         f"--mcpu={machine.SETS[isa][0]}",
                                         *([f"--tuned={self.tuned}"] if system == "tuned" else []),
                                         *self.flags.get(system, []))
            said = {"compile_seconds": round(done.seconds, 2), "compile_anonymous": done.anonymous_bytes,
                    "file_bytes": sum(os.path.getsize(p) for p in (model, model + ".data") if os.path.exists(p))}
            if done.code:
                said["failure"] = done.failure[:200]
            else:
                variant = measure.inspect(os.path.join(folder, "tssa-run"), path)["variants"][0]
                said["kernels"] = variant["distinct_kernels"]
            self.binaries[key] = (path, said)
        return self.binaries[key]

    def forget(self):
        """Removes the binaries of the case that is done."""
        for path, _ in self.binaries.values():
            if os.path.exists(path):
                os.remove(path)
        self.binaries.clear()

    def count(self, case):
        """Operations of the case's first form."""
        model = next(iter(case.models.values()))
        if model not in self.operations:
            self.operations[model] = flops.count(model, measure.load_npz(case.inputs))
        return self.operations[model]

    def ways(self, case, isa):
        """(label, system, form, model) of all that runs the case."""
        for system in self.systems:
            kind = runners.kind_of(system)
            if isa != "native" and kind.narrow is None:
                continue
            if not kind.takes_onnx:
                if case.program:
                    yield system, system, "", None
                continue
            for form, model in case.models.items():
                yield label_of(system, form), system, form, model

    def seat(self, case, way, threads, isa):
        """Gives (what is known of the way, its seat or None)."""
        _, system, _, model = way
        said = {"system": system}
        task = {"model": model, "inputs": case.inputs, "names": list(measure.load_npz(case.answers)),
                "threads": threads, "program": case.program}
        if system in self.bins:
            binary, compiled = self.compiled(system, model, isa)
            said.update(compiled)
            task.update(binary=binary, library=os.path.join(self.bins[system], "..", "lib", "libtssart.so"))
        if "failure" in said:
            return said, None
        return said, Seat(lambda: self.hire(system, threads, isa), system, task, case.answers)

    def row(self, case, threads, isa):
        """Measures a case with every system."""
        result = {"case": case.name, "group": case.group, "threads": threads, "isa": isa, "ways": {}}
        result["flops"] = self.count(case)
        seats = {}
        for way in self.ways(case, isa):
            result["ways"][way[0]], seat = self.seat(case, way, threads, isa)
            if seat:
                seats[way[0]] = seat
        result["rounds"], result["roofs"], failures = rounds.take_turns(
            seats, self.settings, lambda: self.roof.measure(threads, isa))
        for label, seat in seats.items():
            seat.close()
            result["ways"][label].update(seat.said)
            if label in failures:
                result["ways"][label]["failure"] = failures[label]
        return result
