"""Programs that have only so much time: one that hangs or crashes ends nothing but itself."""

import json
import os
import signal
import subprocess
import tempfile


class Process:
    """A program in a session of its own, so that what it starts ends with it."""

    def __init__(self, command, environment=None):
        self.out, self.err = tempfile.TemporaryFile(), tempfile.TemporaryFile()
        self.process, self.refused = None, ""
        try:
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=self.out, stderr=self.err,
                                            env={**os.environ, **(environment or {})}, start_new_session=True)
        except OSError as error:
            self.refused = f"'{command[0]}': {error.strerror}"

    def finish(self, seconds):
        """Waits; gives (exit code or None if the time was over, what it printed, its errors)."""
        if not self.process:
            return 127, "", self.refused
        try:
            code = self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            code = None
        finally:
            self.stop()
        return code, self.read(self.out), self.read(self.err)

    def stop(self):
        """Kills what is left. A process that a driver holds may outlive this; nothing waits for it long."""
        if not self.process:
            return
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait(5)
        except (ProcessLookupError, PermissionError, subprocess.TimeoutExpired):
            pass

    @staticmethod
    def read(file):
        file.seek(0)
        with file:
            return file.read().decode(errors="replace")


class OutOfTime(Exception):
    """A program was stopped because its time was over."""


class Failed(Exception):
    """A program failed; the text says how."""


def finish(command, seconds, environment=None):
    """Runs a program to its end; gives what `Process.finish` gives."""
    return Process(command, environment).finish(seconds)


def last_line(text):
    return (text.strip() or "no message").splitlines()[-1][:300]


def call(runner, *arguments, seconds=None, environment=None):
    """Runs tssa-run and gives its JSON; also where the results differ (exit code 4)."""
    code, out, err = finish([runner, *arguments, "--json"], seconds, environment)
    if code is None:
        raise OutOfTime(f"stopped after {seconds:.3g} s")
    if code < 0:
        raise Failed(f"killed by signal {-code}: {last_line(err)}")
    if code not in (0, 4):
        raise Failed(f"exit code {code}: {last_line(err)}")
    try:
        return json.loads(out)
    except ValueError:
        raise Failed(f"no JSON from tssa-run: {last_line(out)}") from None
