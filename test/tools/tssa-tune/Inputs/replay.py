"""Restores the recorded session, and derives its proposals again, as they are and after changes.

usage: replay.py FOLDER
       replay.py --record   makes Inputs/session.sql again, with tssa-tune on the PATH
"""

import os
import sqlite3
import sys
import tempfile

import tuning

SESSION = os.path.join(tuning.HERE, "session.sql")
TRIALS = 32
HEAD = """\
-- The database of a session of tssa-tune on conv.mlir, without its record. When the space, the draft, the samplers or
-- the cost model change, its proposals are others: make it again by
-- python3 test/tools/tssa-tune/Inputs/replay.py --record
"""


def record():
    with tempfile.TemporaryDirectory() as folder:
        tuning.expect(tuning.tune(folder, "--trials", str(TRIALS)), 0)
        connection = sqlite3.connect(f"{folder}/tune.db")
        connection.execute("DELETE FROM record")
        pragmas = [f"PRAGMA {name} = {connection.execute(f'PRAGMA {name}').fetchone()[0]};"
                   for name in ("application_id", "user_version")]
        lines = [HEAD.rstrip(), *pragmas, *connection.iterdump()]
        connection.close()
    with open(SESSION, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")


def restore(folder, *changes):
    """Makes the database of the recorded session in an empty folder, and changes it."""
    os.makedirs(tuning.clear(folder))
    connection = sqlite3.connect(f"{folder}/tune.db")
    with open(SESSION, encoding="utf-8") as file:
        connection.executescript(file.read())
    for change in changes:
        assert connection.execute(change).rowcount == 1, change
    connection.commit()
    connection.close()


def replay(folder, code, text, *changes):
    restore(folder, *changes)
    tuning.expect(tuning.tune(folder, "--replay", "1", model=None), code, text)
    print(text)


def main(folder):
    folder = f"{folder}/replayed"
    replay(folder, 0, f"{TRIALS} proposals of session 1 are derived again")
    differs, last = "which is not what the session recorded", "(SELECT max(id) FROM proposal)"
    replay(folder, 4, differs, f"UPDATE proposal SET point = point || ' ' WHERE id = {last}")
    other_seed = """replace(options, '"seed":"1"', '"seed":"2"')"""
    replay(folder, 4, differs, f"UPDATE session SET options = {other_seed}")
    # The machine is that of the plan, not that on which this test runs.
    replay(folder, 4, differs, "UPDATE session SET options = replace(options, 'registers = ', 'registers = 1')")
    replay(folder, 4, "the plan of the session has no machine: a machine has no 'core'",
           "UPDATE session SET options = replace(options, 'cpu = ', 'core = ')")
    replay(folder, 4, "the plan of the session is damaged", "UPDATE session SET options = '{'")
    replay(folder, 4, "the database lacks trials of a round", "DELETE FROM trial WHERE id = 12")


if __name__ == "__main__":
    if sys.argv[1:] == ["--record"]:
        record()
    else:
        main(sys.argv[1])
