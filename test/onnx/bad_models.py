"""Feeds broken and hostile models to the tools and checks how they answer.

usage: bad_models.py [--bin DIR] [--match TEXT] [--full] [--keep DIR]

Every process runs under a limit of memory and time. Whatever the file, the
answer must be: the expected exit code; on failure one clear error that holds the
expected texts (the node or tensor it is about); no signal, no internal error, no
stack dump, no report of a sanitizer; and no output file, nor a temporary one, left
behind. The tools may be built with sanitizers.
"""

import argparse
import concurrent.futures
import os
import re
import shutil
import signal
import sys
import tempfile

import numpy as np

import bad_commands as commands
import bad_model_contrib as contrib
import bad_model_files as files
import bad_model_operands as operands
import bad_model_operators as operators
import bad_model_tensors as tensors
import harness

CASES = (files.FILES + files.GRAPHS + tensors.TENSORS + tensors.SPARSE + tensors.EXTERNAL + operators.NODES
         + operators.VALUES + operators.ODDITIES + operators.RUNS + operands.SIZES + operands.NUMBERS + operands.PARTS
         + contrib.CONTRIB + contrib.SIZES)
MEMORY_BYTES = 6 << 30
#: Of the processors, so that a busy machine does not count, and of the clock.
CPU_SECONDS, SECONDS = 20, 120
#: How much longer tools with sanitizers may take.
SANITIZED_FACTOR = 5
#: None of this may ever reach a user.
FORBIDDEN = re.compile(r"stack dump|llvm error|assertion|terminate called|libprotobuf|addresssanitizer|runtime error:|"
                       r"please submit a bug|PLEASE report", re.IGNORECASE)


def complaint_about(outcome, tool, codes, texts, place):
    """What is wrong with how a tool ended, or an empty text. The names of the case's
    own files do not count as part of what the tool says."""
    outcome.errors = outcome.errors.replace(place + os.sep, "")
    said = f"{tool} said: {outcome.first_error()}"
    if outcome.code is None:
        return f"{tool} did not end in time"
    if outcome.code in (-signal.SIGKILL, -signal.SIGXCPU):
        return f"{tool} takes too long"
    if outcome.crashed:
        return f"{tool} ended with {outcome.code}; {said}"
    if outcome.code not in codes:
        return f"{tool} ended with {outcome.code}, expected {' or '.join(map(str, codes))}; {said}"
    if FORBIDDEN.search(outcome.errors):
        return f"{tool} shows its insides: {FORBIDDEN.search(outcome.errors).group(0)}; {said}"
    if outcome.code == 0:
        return ""
    if "error:" not in outcome.errors:
        return f"{tool} gave no 'error:' line; {said}"
    missing = [text for text in texts if not re.search(text, outcome.errors, re.IGNORECASE)]
    if missing:
        return f"{tool}'s error does not hold {missing}; {said}"
    return ""


def check_run(tools, case, work, binary):
    inputs, results = os.path.join(work, "in.npz"), os.path.join(work, "results.npz")
    np.savez(inputs, **case.inputs)
    outcome = tools.call([tools.runner, binary, "--inputs", inputs, "--outputs", results, *case.run_options])
    complaint = complaint_about(outcome, "tssa-run", case.run_codes, case.run_texts, work)
    if complaint:
        return complaint
    if outcome.code:
        return "tssa-run left its output file behind" if os.path.exists(results) else ""
    if case.results is None:
        return ""
    with np.load(results) as got:
        for name, wanted in case.results.items():
            if name not in got.files:
                return f"no result '{name}', there are {got.files}"
            if got[name].dtype != wanted.dtype or not np.array_equal(got[name], wanted):
                return f"result '{name}' is {got[name].tolist()}, expected {wanted.tolist()}"
    return ""


def check(tools, case, place):
    """Gives a complaint, or an empty text when the tools answer as they should."""
    folder = os.path.join(place, case.name, "model")
    output = os.path.join(place, case.name, "output")
    os.makedirs(folder)
    os.makedirs(output)
    case.write(folder)
    binary = os.path.join(output, "model.so")
    outcome = tools.compile(os.path.join(folder, "model.onnx"), binary, *case.options)
    complaint = complaint_about(outcome, "tssa-compile", case.codes, case.texts, os.path.join(place, case.name))
    if complaint:
        return complaint
    if outcome.code:
        left = os.listdir(output)
        return f"tssa-compile left {left} behind" if left else ""
    if not os.path.exists(binary):
        return "tssa-compile ended well but wrote nothing"
    if os.listdir(output) != ["model.so"] and not os.path.exists(binary + ".weights"):
        return f"tssa-compile left {os.listdir(output)} behind"
    return check_run(tools, case, os.path.join(place, case.name), binary) if case.inputs else ""


def is_sanitized(tools):
    """Whether the tools hold the address sanitizer, which reserves far more than it uses."""
    with open(tools.compiler, "rb") as file:
        return b"__asan_init" in file.read()


def check_commands(tools, chosen, place, jobs):
    """The complaints about the commands, in their order."""
    folder = os.path.join(place, "commands")
    os.mkdir(folder)
    files.put(folder, files.good())
    made = tools.compile(os.path.join(folder, "model.onnx"), os.path.join(folder, "model.so"))
    if made.code:
        return [f"the good model does not compile: {made.first_error()}"] * len(chosen)
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        return list(pool.map(lambda c: commands.check(tools, c, folder, complaint_about), chosen))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    harness.add_tool_options(parser)
    parser.add_argument("--match", default="", metavar="TEXT", help="only cases with TEXT in their name")
    parser.add_argument("--keep", default="", metavar="DIR", help="keep the files in this folder")
    options = parser.parse_args()
    tools = harness.Tools(os.path.abspath(options.bin), SECONDS, MEMORY_BYTES, CPU_SECONDS)
    known = CASES + commands.COMMANDS
    if is_sanitized(tools):
        tools.memory_bytes = None
        tools.timeout *= SANITIZED_FACTOR
        tools.cpu_seconds *= SANITIZED_FACTOR
    else:
        known = known + commands.MEMORY

    place = options.keep or tempfile.mkdtemp(prefix="bad-models-")
    if options.keep:
        shutil.rmtree(place, ignore_errors=True)
        os.makedirs(place)
    chosen = [c for c in known if options.match in c.name]
    models = [c for c in chosen if isinstance(c, files.Case)]
    lines = [c for c in chosen if isinstance(c, commands.Command)]
    failed = 0
    try:
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            complaints = list(pool.map(lambda c: check(tools, c, place), models))
        if lines:
            complaints += check_commands(tools, lines, place, options.jobs)
        for case, complaint in zip(models + lines, complaints):
            if complaint:
                failed += 1
                print(f"FAILED {case.name}: {complaint}")
    finally:
        if not options.keep:
            shutil.rmtree(place)
    return harness.print_counts(len(chosen) - failed, failed, 0)


if __name__ == "__main__":
    sys.exit(main())
