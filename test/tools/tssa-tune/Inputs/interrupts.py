"""Kills sessions at different moments, and checks that later ones go on where they were.

usage: interrupts.py FOLDER
"""

import os
import signal
import subprocess
import sys
import time

import tuning

MANY_TRIALS = 1000  # no session ends before its signal
TRIAL = "SELECT id, task, point, status, seconds FROM trial ORDER BY id"


def wait_until(condition, what, seconds=60):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"it takes too long until {what}"
        time.sleep(0.005)


def find_workers(parent):
    """Returns the ids of the workers that a process has started, with the times when they began."""
    found = []
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/stat", encoding="utf-8") as file:
                fields = file.read().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == parent:
            found.append((int(name), fields[19]))
    return found


def is_running(worker):
    number, begin = worker
    try:
        with open(f"/proc/{number}/stat", encoding="utf-8") as file:
            fields = file.read().rpartition(")")[2].split()
    except OSError:
        return False
    return fields[0] != "Z" and fields[19] == begin


def take_interrupts():
    """Before the tool is run: a shell may have told the jobs in its background to ignore SIGINT."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def interrupt(folder, layouts, number, new_trials, delay=0.0):
    """Ends a session by a signal when it has so many trials of its own. Returns its exit code."""
    before = tuning.read(folder, TRIAL)
    command = ["tssa-tune", tuning.CONVOLUTION, "--db", folder, layouts, "--trials", str(MANY_TRIALS)]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, preexec_fn=take_interrupts, **pipes) as process:
        wait_until(lambda: find_workers(process.pid), "a worker is started")
        wait_until(lambda: len(tuning.read(folder, TRIAL)) >= len(before) + new_trials, "trials are there")
        time.sleep(delay)
        workers = find_workers(process.pid)
        process.send_signal(number)
        output, errors = process.communicate(timeout=60)
    wait_until(lambda: not any(map(is_running, workers)), "the workers have ended", seconds=10)
    after = tuning.read(folder, TRIAL)
    assert workers and after[: len(before)] == before, "trials are lost"
    assert len(after) >= len(before) + new_trials
    assert len({row[1:3] for row in after}) == len(after), "a point was measured twice"
    if number == signal.SIGINT:
        assert "interrupted; the loops that were found are compared and recorded" in errors, errors
        assert process.returncode == 130 and "interrupted: --continue searches on" in output, output
    else:
        assert not tuning.records(folder) and not errors, errors
    extra = set(os.listdir(folder)) - {"tune.db", "tune.db-wal", "tune.db-shm", "records"}
    assert not extra, f"files are left over: {extra}"
    return process.returncode


def kill(folder, layouts):
    for new_trials, delay in [(0, 0), (1, 0.05), (1, 0.2)]:
        code = interrupt(folder, layouts, signal.SIGKILL, new_trials, delay)
        print(f"killed: {code}")
    print(f"interrupted: {interrupt(folder, layouts, signal.SIGINT, 10, 0.1)}")
    (record,) = tuning.read(folder, "SELECT count(*) FROM record")[0]
    assert record == 1 or layouts != "--loops-only", "what was found is recorded"


def check_end(folder, before):
    """Checks what a folder has in the end. `before` are the trials that it had before the last run."""
    after = tuning.read(folder, TRIAL)
    assert after[: len(before)] == before
    assert len({row[1:3] for row in after}) == len(after), "a point was measured twice"
    assert tuning.read(folder, "SELECT count(*) FROM record")[0][0] > 0
    assert tuning.read(folder, "PRAGMA integrity_check") == [("ok",)]
    for (session,) in tuning.read(folder, "SELECT id FROM session"):
        run = tuning.tune(folder, "--replay", str(session), model=None)
        tuning.expect(run, 0, f"proposals of session {session} are derived again")
    print("ended with a record; every session is replayed")


def main(folder):
    folder = f"{folder}/killed"
    for layouts in ("--loops-only", "--joint=0.5"):
        print(layouts)
        tuning.clear(folder)
        kill(folder, layouts)
        before = tuning.read(folder, TRIAL)
        trials = len(before) + 4 if layouts == "--loops-only" else 90
        go_on = ["--trials", str(trials), "--continue"]
        tuning.expect(tuning.tune(folder, *go_on, layouts=layouts), 0, "1 kernels to tune")
        assert layouts != "--loops-only" or len(tuning.read(folder, TRIAL)) == trials
        check_end(folder, before)
        tuning.expect(tuning.tune(folder, "--trials", str(trials), layouts=layouts), 0, "0 kernels to tune")


if __name__ == "__main__":
    main(sys.argv[1])
