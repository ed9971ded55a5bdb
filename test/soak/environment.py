"""tssa-compile and tssa-run where little is allowed: limits, full disks, signals, no home."""

import json
import os
import resource
import shutil
import signal
import subprocess
import time

OK, MODEL_ERROR, LIMIT = 0, 1, 5


def limit(**limits):
    """A function for the child process that sets RLIMIT_<name> to the bytes given."""
    def apply():
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        for name, value in limits.items():
            resource.setrlimit(getattr(resource, "RLIMIT_" + name), (value, value))
    return apply


class Environment:
    """`arguments` are a binary and inputs for which its results are larger than its file; `model` is what it was
    made of."""

    def __init__(self, tools, folder, arguments, model):
        self.tools, self.folder, self.model = tools, os.path.join(folder, "environment"), model
        self.binary, self.inputs = arguments
        os.makedirs(self.folder)
        self.run = [tools.runner, self.binary, "--inputs", self.inputs]
        self.complaints = []

    def call(self, what, command, codes, text="", setup=None, environ=None, stdout=subprocess.DEVNULL):
        """Runs it; it must end with one of `codes`, never by a signal, and say `text`."""
        try:
            done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=stdout, stderr=subprocess.PIPE, timeout=60,
                                  preexec_fn=setup or limit(), env=environ, cwd=self.folder, check=False)
        except subprocess.TimeoutExpired:
            self.complaints.append(f"{what}: no answer in 60 s")
            return
        errors = done.stderr.decode(errors="replace")
        is_told = done.returncode in (OK, 127) or ("error:" in errors and text in errors)
        if done.returncode not in codes or not is_told:
            self.complaints.append(f"{what}: ended with {done.returncode}: {errors.strip()[-200:]}")

    def expect_no_files(self, what):
        left = os.listdir(self.folder)
        if left:
            self.complaints.append(f"{what}: left {left}")
            shutil.rmtree(self.folder)
            os.makedirs(self.folder)

    def finish(self, test, **numbers):
        ok, broken = not self.complaints, "; ".join(self.complaints[:4])
        self.complaints = []
        print(json.dumps({"test": test, "ok": ok, **numbers, "broken": broken}), flush=True)
        return ok

    def address_space(self):
        """RLIMIT_AS from far too little on: a status, or it works."""
        tried = 0
        for megabytes in (40, 60, 100, 160, 250, 400, 700, 1500):
            tried += 1
            self.call(f"tssa-run in {megabytes} MiB", self.run, (OK, MODEL_ERROR, LIMIT, 127),
                      setup=limit(AS=megabytes << 20))
        self.call("tssa-run in 4 GiB", self.run, (OK,), setup=limit(AS=4 << 30))
        return self.finish("address-space", tried=tried)

    def small_stack(self):
        """RLIMIT_STACK is also the size of new threads' stacks."""
        for kilobytes in (256, 1024):
            self.call(f"tssa-run with a stack of {kilobytes} kB", self.run + ["--threads", "4"], (OK,),
                      setup=limit(STACK=kilobytes << 10))
        return self.finish("small-stack")

    def few_files(self):
        for count in (3, 4, 5, 6, 8):
            codes = (OK, MODEL_ERROR) if count > 4 else (MODEL_ERROR,)
            self.call(f"tssa-run with {count} files", self.run, codes + (127,), setup=limit(NOFILE=count))
        self.call("tssa-run with 16 files", self.run, (OK,), setup=limit(NOFILE=16))
        return self.finish("few-files")

    def few_threads(self):
        """Threads that cannot be had are no error."""
        self.call("tssa-run with a processor-time limit", self.run + ["--threads", "64"], (OK,), setup=limit(CPU=30))
        self.call("tssa-run on one core", ["taskset", "-c", "0", *self.run, "--threads", "8"], (OK,))
        return self.finish("few-threads")

    def full_disk(self):
        """Files that may not grow and devices that are full: an error that names the path, and no half file."""
        out, code = os.path.join(self.folder, "out.npz"), os.path.getsize(self.binary)
        self.call("tssa-run --outputs beyond RLIMIT_FSIZE", self.run + ["--outputs", out], (MODEL_ERROR,), "out.npz",
                  setup=limit(FSIZE=code))
        self.call("tssa-run beyond RLIMIT_FSIZE", self.run, (MODEL_ERROR,), "cannot write", setup=limit(FSIZE=64))
        self.expect_no_files("tssa-run beyond RLIMIT_FSIZE")
        self.call("tssa-compile beyond RLIMIT_FSIZE", [self.tools.compiler, self.model, "-o", "model.so"],
                  (MODEL_ERROR,), setup=limit(FSIZE=4096), environ=dict(os.environ, TMPDIR=self.folder))
        self.expect_no_files("tssa-compile beyond RLIMIT_FSIZE")
        self.call("tssa-run --outputs /dev/full", self.run + ["--outputs", "/dev/full"], (MODEL_ERROR,),
                  "not a regular file")
        self.call("tssa-compile -o /dev/full", [self.tools.compiler, self.model, "-o", "/dev/full"], (MODEL_ERROR, 2))
        with open("/dev/full", "w") as full:
            self.call("tssa-run > /dev/full", self.run, (MODEL_ERROR,), "stdout", stdout=full)
        return self.finish("full-disk")

    def no_home(self):
        """Without a home there is no cache; a cache that cannot be is an error only when it was asked for."""
        environ = {"PATH": os.environ["PATH"], "TMPDIR": self.folder}
        source = [self.tools.runner, self.model, "--inputs", self.inputs]
        self.call("tssa-run without HOME", source, (OK,), environ=environ)
        self.expect_no_files("tssa-run without HOME")
        self.call("tssa-run with a HOME that is a file", source, (OK,), environ=dict(environ, HOME="/proc/version"))
        self.expect_no_files("tssa-run with a HOME that is a file")
        self.call("tssa-run --cache-dir /proc/tssa", source + ["--cache-dir", "/proc/tssa"], (MODEL_ERROR,),
                  "cannot be the cache", environ=environ)
        self.call("tssa-run with a TMPDIR that is not there", source, (OK,),
                  environ=dict(environ, TMPDIR="/proc/none"))
        return self.finish("no-home")

    def remove_whole_artifact(self, what):
        """A signal may come directly after the artifact got its name, which it gets when it is whole."""
        artifact = os.path.join(self.folder, "model.so")
        if not os.path.exists(artifact):
            return
        if subprocess.run([self.tools.runner, artifact, "--inspect"], stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL, check=False).returncode != OK:
            self.complaints.append(f"{what}: left a part of an artifact")
        os.remove(artifact)

    def interrupted(self):
        """SIGINT and SIGTERM in the middle: exit 130 and 143 as a shell says it, and no file stays."""
        interrupted = 0
        environ = {"PATH": os.environ["PATH"], "TMPDIR": self.folder}
        commands = [[self.tools.compiler, self.model, "-o", "model.so"],
                    [self.tools.runner, self.model, "--inputs", self.inputs]]
        for command in commands:
            for number in (signal.SIGINT, signal.SIGTERM):
                for delay in (0.02, 0.08, 0.15, 0.25, 0.4):
                    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                               stderr=subprocess.DEVNULL, cwd=self.folder, env=environ,
                                               start_new_session=True)
                    time.sleep(delay)
                    os.killpg(process.pid, number) # as a terminal does it
                    code = process.wait(60)
                    what = f"{os.path.basename(command[0])} after signal {number} at {delay} s"
                    interrupted += code != OK
                    if code not in (OK, -number, 128 + number):
                        self.complaints.append(f"{what}: ended with {code}")
                    self.remove_whole_artifact(what)
                    self.expect_no_files(what)
        return self.finish("interrupted", interrupted=interrupted)

    def tests(self):
        return {"address-space": self.address_space, "small-stack": self.small_stack, "few-files": self.few_files,
                "few-threads": self.few_threads, "full-disk": self.full_disk, "no-home": self.no_home,
                "interrupted": self.interrupted}
