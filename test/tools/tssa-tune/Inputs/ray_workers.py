"""Tunes with two workers on actors of a Ray cluster, and with one whose program is missing.

usage: ray_workers.py FOLDER TUNE.py
"""

import os
import shlex
import sys

import ray
import tuning

# Notes which process is a worker.
PROGRAM = """#!/bin/sh
touch "$0.$$"
exec tssa-tune "$@"
"""


def main(folder, script):
    program = os.path.join(folder, "program")
    with open(program, "w", encoding="utf-8") as file:
        file.write(PROGRAM)
    os.chmod(program, 0o700)
    cluster = ray.init(num_cpus=2, resources={"kind": 2}, include_dashboard=False, log_to_driver=False)
    command = [sys.executable, script, "--address", cluster.address_info["address"], "--resources", '{"kind": 1}']
    worker = f"--worker-command={shlex.join([*command, '--program', program])}"
    run = tuning.tune(f"{folder}/tuned", "--trials", "8", worker, worker)
    tuning.expect(run, 0)
    print(run.stdout)
    print(sum(name.startswith("program.") for name in os.listdir(folder)), "actors")
    run = tuning.tune(f"{folder}/none", f"--worker-command={shlex.join([*command, '--program', 'missing'])}")
    tuning.expect(run, 1, "cannot be used: ")
    print("there is no worker without a program:", run.stderr.partition("[Errno 2] ")[2])


if __name__ == "__main__":
    main(*sys.argv[1:])
