# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""python -m tssa.tune: a worker of tssa-tune on a Ray cluster.

A command for tssa-tune, once for each worker:

    tssa-tune model.onnx --db tuned --worker-command="python -m tssa.tune --resources '{\\"zen4\\": 1}'"

The worker is a child of an actor of Ray Core, on a node that has the resources. Give all nodes of one kind of machine one
resource of its own, as many as may measure at a time: ray start --resources='{"zen4": 1}'. Lines go from standard input
to the worker and back. Arguments that are not listed go to the worker; tssa-tune gives some.
"""

import argparse
import json
import os
import subprocess
import sys
import threading


class Worker:
    """The actor: holds one worker, which ends when its input does, and so with the actor."""

    def __init__(self, command):
        self._child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self._errors = b""
        self._reader = threading.Thread(target=self._read_errors, daemon=True)
        self._reader.start()

    def _read_errors(self):
        most = 4096
        while chunk := self._child.stderr.read1(most):
            self._errors = (self._errors + chunk)[:most]

    def send(self, line):
        """Gives the worker a line. One that has ended takes nothing, which `receive` then says."""
        try:
            self._child.stdin.write(line)
            self._child.stdin.flush()
        except BrokenPipeError:
            pass

    def receive(self):
        """Returns the next line of the worker, or nothing after its end."""
        return self._child.stdout.readline()

    def end(self):
        """Returns the exit code of a worker that has ended, and the beginning of what it complained about."""
        code = self._child.wait()
        self._reader.join()
        return code if code >= 0 else 128 - code, self._errors


def make_actor(ray, options, command):
    """Returns the actor, once its worker is started."""
    ray.init(address=options.address, log_to_driver=False, logging_level="ERROR")
    # One method waits for the worker while the other gives it lines.
    kind = ray.remote(Worker).options(num_cpus=0, resources=options.resources, max_concurrency=2)
    return kind.remote(command)


def forward(ray, actor, lines):
    """Gives the actor all lines, in their order."""
    for line in lines:
        ray.get(actor.send.remote(line))
    os._exit(0)  # the tuner is gone, and the actor goes with this process


def serve(ray, options, command, answers):
    """Passes lines on until the worker ends. Returns its exit code."""
    actor = make_actor(ray, options, command)
    threading.Thread(target=forward, args=(ray, actor, sys.stdin.buffer), daemon=True).start()
    while line := ray.get(actor.receive.remote()):
        answers.write(line)
        answers.flush()
    code, errors = ray.get(actor.end.remote())
    sys.stderr.buffer.write(errors)
    return code


def read_resources(text):
    """Parses the resources of an actor: an object of numbers."""
    try:
        value = json.loads(text)
    except ValueError:
        value = None
    if not isinstance(value, dict) or not all(isinstance(number, (int, float)) for number in value.values()):
        raise argparse.ArgumentTypeError(f"""expected an object of numbers such as {{"zen4": 1}}, got '{text}'""")
    return value


def parse_arguments(arguments):
    """Returns the options, and the arguments of the worker."""
    parser = argparse.ArgumentParser(prog="python -m tssa.tune", description=__doc__.split("\n", maxsplit=1)[0],
                                     allow_abbrev=False)
    parser.add_argument("--address", default="auto", help="of the Ray cluster; by default the one of this host")
    parser.add_argument("--resources", type=read_resources, default={}, metavar="JSON",
                        help="""what the worker needs of a node, such as '{"zen4": 1}'""")
    parser.add_argument("--program", default="tssa-tune", help="the tuner as the nodes call it (tssa-tune)")
    return parser.parse_known_args(arguments)


def main(arguments):
    """Serves on standard input and output. Returns the exit code: that of the worker, or 255 if it cannot be reached."""
    options, rest = parse_arguments(arguments)
    try:
        import ray  # pylint: disable=import-outside-toplevel
    except ImportError:
        return "tssa.tune: error: the package ray is missing: install it with pip install ray"
    # Only answers may be in the output: what else is printed is an error.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    try:
        return serve(ray, options, [options.program, *rest], answers)
    except (ConnectionError, ray.exceptions.RayError) as error:
        sys.stderr.write(f"tssa.tune: error: {str(error).strip().splitlines()[-1]}\n")
        return 255


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
