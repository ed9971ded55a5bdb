# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Times the programs of test/torch/postprocessing.py beside eager PyTorch.

usage: postprocessing.py [--small] [--rounds N] [NAME...]

All ways run in turns on one thread of one core, on fresh copies of the arguments; what is printed are medians of
the thread's CPU time in microseconds, as rows of Markdown. Results agree with eager mode within 1e-3. A program
that is refused is compiled in its changed form, which then runs eagerly, too. Programs that have an entry in LARGE
run at sizes of use; with --small, and for others, it is the call of the tests that takes eager mode longest.
"""

import argparse
import os
import sys
import warnings

warnings.filterwarnings("ignore")
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "test", "torch"))

import torch

import changed_programs
import tssa
from collected import integers, tensor, uniform
from decoding import decoder
from detections import boxes_of
from postprocessing import PROGRAMS
from support import AgreementTest
from thread_clock import measure, time_call

FIRST = 100  # microseconds that eager mode takes; programs below are not compared

# {name: what makes the arguments}
LARGE = {
    "greedy_nms": lambda: (boxes_of(500, size=400.0), uniform(500), 0.5),
    "soft_nms": lambda: (boxes_of(100, size=200.0), uniform(100), 0.5, 0.1),
    "batched_nms": lambda: (boxes_of(500, size=400.0), uniform(500), integers(20, 500), 0.5),
    "matrix_nms": lambda: (uniform(100, 64, 64) > 0.5, integers(5, 100), uniform(100), 2.0),
    "decodes_yolo": lambda: ([tensor(1, 255, n, n, seed=n) for n in (40, 20)], [16, 32], uniform(2, 3, 2) * 100, 0.8),
    "decodes_anchors": lambda: (tensor(5000, 4), tensor(5000, 20), boxes_of(5000, size=400.0), (400, 400)),
    "centre_peaks": lambda: (tensor(1, 20, 96, 96), uniform(1, 2, 96, 96), uniform(1, 2, 96, 96, seed=1), 100),
    "keypoints": lambda: (uniform(2, 17, 64, 48),),
    "pastes_masks": lambda: (uniform(20, 1, 28, 28), boxes_of(20, size=150.0), 240, 320),
    "masks_to_boxes": lambda: (uniform(20, 128, 128) > 0.99,),
    "run_lengths": lambda: (uniform(20, 64, 64) > 0.5,),
    "connected_components": lambda: (uniform(1, 1, 128, 128) > 0.5, 500),
    "matches_greedily": lambda: (boxes_of(100), boxes_of(40, seed=1), 0.1),
    "smooths_tracks": lambda: (tensor(50, 40, 4), 0.9, 0.8),
    "aligns_regions": lambda: (tensor(1, 64, 50, 50), boxes_of(50), 7),
    "otsu": lambda: (integers(256, 512, 512).to(torch.uint8),),
    "thins_edges": lambda: (uniform(1, 1, 256, 256), 0.3, 0.8),
    "beam_search": lambda: (decoder(1000, 64), 5, 30, 0),
    "greedy_decode": lambda: (decoder(1000, 64), torch.arange(1, 5), 40, 0),
    "filters_top_k_and_p": lambda: (tensor(4, 32000), 50, 0.9),
    "penalises_repetition": lambda: (tensor(2, 32000), integers(32000, 2, 100), 1.3),
    "collapses_ctc": lambda: (tensor(500, 29), 0, "-" + "A" * 28),
    "scores_ctc": lambda: (tensor(200, 29), integers(28, 40) + 1),
    "viterbi": lambda: (tensor(60, 8, 20), integers(59, 8) + 1, tensor(20, 20), tensor(20), tensor(20)),
    "crf_likelihood": lambda: (tensor(60, 8, 20), integers(20, 60, 8), torch.ones(60, 8) > 0, tensor(20, 20)),
    "warps_time": lambda: (uniform(20, 40),),
    "kmeans": lambda: (tensor(5000, 8), tensor(16, 8, seed=1), 1e-4),
    "pagerank": lambda: ((uniform(500, 500) > 0.95).float(), 0.85, 1e-6),
    "farthest_points": lambda: (tensor(4, 1024, 3), 128),
    "ball_query": lambda: (0.4, 16, tensor(2, 1024, 3), tensor(2, 1024, 3)[:, :128]),
    "sinkhorn": lambda: (uniform(200, 300), 0.1, 1e-6),
}


def longest_call(function, calls):
    return max(calls, key=lambda arguments: min(time_call(function, arguments) for _ in range(5)))


def print_row(name, medians):
    eager, compiled = medians["eager"], medians["tssa"]
    changed = f"{medians['changed']:.0f}" if "changed" in medians else ""
    remark = "slower" if eager > FIRST and compiled > eager else ""
    print(f"| {name} | {eager:.0f} | {changed} | {compiled:.0f} | {compiled / eager:.2f} | {remark} |", flush=True)


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--rounds", type=int, default=31)
    parser.add_argument("names", nargs="*", default=[])
    options = parser.parse_args()
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[-1:])
    torch.set_num_threads(1)
    print("| program | eager | changed, eager | tssa | ratio | |\n|---|--:|--:|--:|--:|---|")
    with torch.no_grad():
        for name in options.names or PROGRAMS:
            function, calls = PROGRAMS[name]
            changed = getattr(changed_programs, name, None)
            compiled = tssa.compile(changed or function, threads=1)
            arguments = LARGE[name]() if name in LARGE and not options.small else longest_call(function, calls)
            AgreementTest().check(changed or function, arguments, compiled, rtol=1e-3, atol=1e-3)
            ways = {"eager": function, "tssa": compiled, **({"changed": changed} if changed else {})}
            print_row(name, measure(ways, arguments, options.rounds))


if __name__ == "__main__":
    main()
