# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""python -m tssa TOOL: the tools of this package, also where the folder of its commands is not in PATH."""

import difflib
import sys

from . import __version__
from ._errors import Error
from ._package import list_programs
from ._scripts import run_program

_USAGE = """usage: python -m tssa TOOL [ARGUMENT...]

tools: {tools}

  python -m tssa compile model.onnx -o model.so
  python -m tssa TOOL --help    Print the options of a tool
  python -m tssa --help         Print this help
  python -m tssa --version      Print the version
"""


def main(arguments):
    """Becomes the tool, or returns the exit code: 2 for a command line that is not valid."""
    try:
        tools = [name[len("tssa-"):] for name in list_programs()]
    except Error as error:
        return f"tssa: error: {error}"
    usage = _USAGE.format(tools=", ".join(tools))
    if not arguments:
        sys.stderr.write(usage)
        return 2
    if arguments[0] in ("--help", "-h"):
        sys.stdout.write(usage)
        return 0
    if arguments[0] == "--version":
        print(f"tssa {__version__}")
        return 0
    name = arguments[0].removeprefix("tssa-")
    if name not in tools:
        near = difflib.get_close_matches(name, tools, 1)
        advice = f"did you mean '{near[0]}'?" if near else f"expected one of {', '.join(tools)}"
        sys.stderr.write(f"tssa: error: there is no tool '{arguments[0]}': {advice}\n")
        return 2
    return run_program(f"tssa-{name}", arguments[1:])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
