"""Whether a model's answers through tssa differ from those expected: exit status 0 if so, for `tssa-reduce --keep`.

usage: compare_model.py MODEL [--bin DIR] [--variant NAME] [--seed N] [--text TEXT]

Inputs are drawn from the seed. A model that cannot be evaluated is not interesting (exit status 1), nor is
one that tssa refuses. --bin is build/release/bin by default. With --text the complaint must contain TEXT.
"""

import argparse
import os
import sys

from evaluation import Rejected
import graphs_test
import harness
import variants
from model_file import read_graph


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    harness.add_tool_options(parser)
    parser.add_argument("model")
    parser.add_argument("--variant", default="plain", choices=[make.__name__ for make in variants.ALL])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--text", default="")
    parser.set_defaults(bin=os.path.join(graphs_test.HERE, "..", "..", "build", "release", "bin"))
    options = parser.parse_args()
    options.keep = ""
    tools = harness.Tools(options.bin, options.timeout)
    try:
        graph = read_graph(options.model, options.seed)
    except (Rejected, KeyError, StopIteration) as reason:
        print(f"{options.model}: cannot be evaluated: {reason}")
        return 1
    chosen = [make for make in variants.ALL if make.__name__ == options.variant]
    [(_, _, status, text)] = graphs_test.check_graph(tools, graph, options.model, chosen, options)
    print(f"{options.model}: {status} {text}")
    return 0 if status == "failed" and options.text in text else 1


if __name__ == "__main__":
    sys.exit(main())
