"""Runs tssa-tune for tests, and reads its database."""

import os
import shutil
import sqlite3
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
CONVOLUTION = os.path.join(HERE, "conv.mlir")
# As search::TrialStatus numbers them.
STATUSES = ["measured", "build failed", "wrong", "timeout", "crash", "out of memory"]


def clear(folder):
    """Removes the folder, and returns its name."""
    shutil.rmtree(folder, ignore_errors=True)
    return folder


def tune(folder, *arguments, model=CONVOLUTION, seconds=120, layouts="--loops-only", **options):
    """Runs tssa-tune on a model to its end. `layouts` says whether layouts are searched."""
    command = ["tssa-tune", model] if model else ["tssa-tune"]
    return subprocess.run(
        command + ["--db", folder, layouts, *arguments],
        capture_output=True,
        text=True,
        timeout=seconds,
        check=False,
        **options,
    )


def expect(run, code, *texts):
    """Checks the exit code of a run and what it says: of an error, exactly one sentence."""
    said = run.stdout if code == 0 else run.stderr
    assert run.returncode == code, (run.args, run.returncode, run.stdout, run.stderr)
    for text in texts:
        assert text in said, (run.args, text, said)
    assert run.stderr.count("\n") == (code != 0), (run.args, run.stderr)


def read(folder, query):
    """Returns the rows of a query on the database of a folder, none if there is no database."""
    path = os.path.join(folder, "tune.db")
    if not os.path.exists(path):
        return []
    connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=30)
    try:
        return connection.execute(query).fetchall()
    finally:
        connection.close()


def records(folder):
    """Returns the names of the files of records."""
    path = os.path.join(folder, "records")
    return sorted(os.listdir(path)) if os.path.isdir(path) else []
