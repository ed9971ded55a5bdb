# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Runs a model on all images of a folder and writes the answers as Parquet: job.py MODEL IMAGES RESULTS [ACTORS]

Each actor takes one CPU, and reading takes one, too. In a cluster (RAY_ADDRESS) actors run on all machines, which need the
package, and the folders under the same absolute names; addresses such as s3://... are also possible.
"""

import os
import sys

import numpy as np
import ray
import tssa


class Runner:
    """An actor with one session, for one batch after the other. It gets the model as bytes, so no machine needs the file."""

    def __init__(self, model):
        options = tssa.SessionOptions()
        options.intra_op_num_threads = 1
        self.session = tssa.InferenceSession(model, options)

    def __call__(self, batch):
        """Adds `brightness` to a dict of arrays and drops the pixels."""
        brightness, = self.session.run(None, {"image": np.stack(batch["image"])})
        return {"path": batch["path"], "brightness": brightness}


def main():
    if len(sys.argv) not in (4, 5):
        sys.exit("usage: job.py MODEL IMAGES RESULTS [ACTORS]")
    model, folder, results, actors = *sys.argv[1:4], int(sys.argv[4]) if len(sys.argv) > 4 else 1
    ray.init()
    if actors + 1 > ray.cluster_resources()["CPU"]:  # Ray would wait for more
        sys.exit(f"error: expected a CPU for each of {actors} actors and one for reading, got {ray.cluster_resources()['CPU']:.0f}")
    with open(model, "rb") as file:
        content = file.read()
    images = ray.data.read_images(folder, include_paths=True)
    rated = images.map_batches(Runner, fn_constructor_args=(content,), batch_size=64, num_cpus=1,
                               compute=ray.data.ActorPoolStrategy(size=actors))
    rated.write_parquet(results, mode=ray.data.SaveMode.OVERWRITE)

    table = ray.data.read_parquet(results).to_pandas().sort_values("path")
    print(f"{len(table)} images, {(table.brightness > 0.5).sum()} are bright")
    for path, brightness in zip(table.path[:3], table.brightness[:3]):
        print(f"{os.path.basename(path)} {brightness:.4f}")


main()
