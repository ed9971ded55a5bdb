"""Writes what nobody measured into a database of tssa-tune.

usage: report_damage.py tune.db KIND   KIND: failures, names, numbers, plan or tasks
"""

import json
import sqlite3
import sys

HOSTILE = "</title><script>alert('1')</script>\"&amp;\x07\u00e9"


def fail_trials(base):
    """Each kind of failure once, for the first trials that were measured."""
    rows = base.execute("SELECT id FROM trial WHERE status = 0 ORDER BY id DESC LIMIT 5").fetchall()
    for status, (number,) in enumerate(rows, 1):
        base.execute("UPDATE trial SET status = ?, seconds = NULL WHERE id = ?", (status, number))


def change_plan(base, change):
    number, text = base.execute("SELECT id, options FROM session ORDER BY id DESC").fetchone()
    plan = json.loads(text)
    change(plan)
    base.execute("UPDATE session SET options = ? WHERE id = ?", (json.dumps(plan), number))


def rename(base):
    def change(plan):
        for task in plan["tasks"]:
            task["name"] = HOSTILE

    change_plan(base, change)


def change_numbers(base):
    """Times from the least to the largest number, and counts as large."""

    def change(plan):
        plan["flops_per_second"] = 1e308
        for task in plan["tasks"]:
            task["calls"] = 1e300

    change_plan(base, change)
    base.execute("DELETE FROM record")
    rows = base.execute("SELECT id FROM trial WHERE status = 0 ORDER BY id").fetchall()
    for time, (number,) in zip([5e-324, 1e308, 1e-9, 1, 1e-300] * len(rows), rows):
        base.execute("UPDATE trial SET seconds = ?, time = ? WHERE id = ?", (time, 1 << 62, number))


def damage_tasks(base):
    """Texts that are no kernels, and records that are none."""
    base.execute("UPDATE task SET text = ?", (f"// constants:\n  layout.store {HOSTILE}\n",))
    base.execute("UPDATE record SET schedule = ?", (HOSTILE.encode(),))
    base.execute("UPDATE trial SET point = ?", (HOSTILE,))
    base.execute("UPDATE proposal SET point = ?", (HOSTILE,))


def damage_plan(base):
    base.execute("UPDATE session SET options = '{}'")


KINDS = {
    "failures": fail_trials,
    "names": rename,
    "numbers": change_numbers,
    "plan": damage_plan,
    "tasks": damage_tasks,
}


def main():
    base = sqlite3.connect(sys.argv[1])
    KINDS[sys.argv[2]](base)
    base.commit()
    base.close()


if __name__ == "__main__":
    main()
