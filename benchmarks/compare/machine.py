"""The machine: its name, its roof, the versions of what is compared."""

import importlib.metadata
import os
import platform
import shutil
import subprocess

from compare import runners

HERE = os.path.dirname(os.path.abspath(__file__))
#: instruction sets: (option for tssa-compile, bits of the roof's vectors, 0 for the widest)
SETS = {"native": ("native", 0), "v3": ("x86-64-v3", 256)}


def cpus():
    """The CPUs that this process may use, in the order in which they are taken: the first one serves interrupts."""
    return sorted(os.sched_getaffinity(0), reverse=True)


def cpu_name():
    with open("/proc/cpuinfo") as file:
        for line in file:
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.machine()


def vector_flags():
    with open("/proc/cpuinfo") as file:
        flags = next((line.split(":", 1)[1].split() for line in file if line.startswith("flags")), [])
    return [name for name in ("avx2", "fma", "avx512f", "avx512_vnni", "avx512_bf16", "amx_tile") if name in flags]


def memory_gib():
    return round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1)


def commit(folder):
    done = subprocess.run(["git", "-C", folder, "describe", "--always", "--dirty"], capture_output=True, text=True)
    return done.stdout.strip() if done.returncode == 0 else "unknown"


def describe(systems):
    packages = sorted({runners.kind_of(s).package for s in systems if runners.kind_of(s).package})
    return {"cpu": cpu_name(), "vectors": vector_flags(), "cpus": len(cpus()), "memory_gib": memory_gib(),
            "kernel": platform.release(), "python": platform.python_version(), "commit": commit(HERE),
            "versions": {name: importlib.metadata.version(name) for name in packages}}


class Roof:
    """Fused multiply-adds per second, by roof/fma_peak.c."""

    def __init__(self, folder):
        self.probe = os.path.join(folder, "fma_peak")
        compiler = shutil.which("clang-22") or shutil.which("cc")
        if not compiler:
            raise SystemExit("roof/fma_peak.c needs a C compiler, and there is neither clang-22 nor cc")
        subprocess.run([compiler, "-O2", "-pthread", os.path.join(HERE, "..", "roof", "fma_peak.c"), "-o", self.probe],
                       check=True)

    def measure(self, threads, isa, milliseconds=60):
        """GFLOP/s."""
        done = subprocess.run([self.probe, str(threads), str(milliseconds), str(SETS[isa][1])], check=True,
                              capture_output=True, text=True,
                              preexec_fn=lambda: os.sched_setaffinity(0, cpus()[:threads]))
        return float(done.stdout)
