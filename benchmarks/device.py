"""Checks and times models on a device, such as a GPU that is at hand only now and then.

usage: device.py prepare FOLDER [--bin DIR] [--targets cpu,cuda:sm_80,cuda:sm_90,cuda-emu] [--programs] [--check] [MODEL.onnx|DIR...]
       device.py run FOLDER [--bin DIR] [--device cuda:0] [--against cpu] [--out TABLE.md]
       device.py check FOLDER [--bin DIR] [--device cuda:0] [--out PAGE.md] [--profile PROFILE.json] [--seconds 540]

`prepare` compiles models and writes inputs and ONNX Runtime's answers: the networks of
test/onnx/device_models.py, or models with inputs and answers beside them as zoo/export.py
writes them; with --programs, PyTorch programs with views, writes and loops too, whose
answers are eager PyTorch's (needs torch and the Python package tssa). `run` needs nothing but
Python and tssa-run: every case must agree with its answers on the device, and is timed there
and on `--against`; exit code 1 if one does not.

`check` does all that is worth doing while a device is at hand, in a limited time, on what
`prepare --check` wrote: answers with each kind of image, matrix products, the device's rates,
and errors. It needs nothing but Python and tssa-run either; what fails, hangs or crashes is a row.
"""

import argparse
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from devices import check, run  # noqa: E402

TARGETS = "cpu,cuda:sm_80,cuda:sm_90,cuda-emu"


def add_prepare(commands):
    command = commands.add_parser("prepare", help="compile models, write inputs and answers")
    command.add_argument("folder")
    command.add_argument("models", nargs="*")
    command.add_argument("--targets", default=TARGETS)
    command.add_argument("--programs", action="store_true", help="PyTorch programs too")
    command.add_argument("--check", action="store_true", help="all that check runs, in at most 64 MiB")
    command.add_argument("--tiny", action="store_true", help="sizes that the emulator runs in a moment")
    return command


def add_run(commands, name, text):
    command = commands.add_parser(name, help=text)
    command.add_argument("folder")
    command.add_argument("--device", default="cuda:0")
    command.add_argument("--against", default="cpu")
    command.add_argument("--runs", type=int, default=50)
    command.add_argument("--tolerance", type=float, default=1e-3)
    command.add_argument("--out", help="write the tables to this file")
    return command


def add_check(commands):
    command = add_run(commands, "check", "all that is worth doing while a device is at hand")
    command.add_argument("--profile", help="write the device's rates to this file")
    command.add_argument("--rivals", default="auto", help="auto, none, or a list of torch and tensorrt")
    command.add_argument("--seconds", type=float, default=540, help="for all of it")
    command.add_argument("--case-seconds", type=float, default=20, help="for one run of a case")
    return command


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    for command in (add_prepare(commands), add_run(commands, "run", "check and time them on a device"), add_check(commands)):
        command.add_argument("--bin", default="build/release/bin")
    options = parser.parse_args()
    if options.command == "prepare":
        from devices.prepare import prepare  # needs onnx
        return prepare(options)
    return run.run(options) if options.command == "run" else check.check(options)


if __name__ == "__main__":
    sys.exit(main())
