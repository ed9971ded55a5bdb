"""Runs tssa-tune on databases and folders that cannot be used: each is one sentence, and nothing is lost.

usage: databases.py FOLDER
"""

import ctypes
import os
import resource
import shutil
import sqlite3
import sys

import recorded
import tuning

ROWS = "SELECT id, point, seconds FROM trial ORDER BY id"
MORE = ("--continue", "--trials", "12")


def copy(good, name):
    """Returns a folder with a database of one session."""
    folder = tuning.clear(os.path.join(os.path.dirname(good), name))
    shutil.copytree(good, folder)
    return folder


def change(folder, *statements):
    connection = sqlite3.connect(f"{folder}/tune.db", isolation_level=None)
    for statement in statements:
        connection.execute(statement)
    connection.close()


def read_bytes(folder):
    with open(f"{folder}/tune.db", "rb") as file:
        return file.read()


def refuse(folder, text):
    """Expects an error, and a database that is as it was."""
    before = read_bytes(folder)
    tuning.expect(tuning.tune(folder, *MORE), 1, text)
    assert read_bytes(folder) == before, text
    print(text)


def check_files(good):
    folder = copy(good, "text")
    with open(f"{folder}/tune.db", "w", encoding="utf-8") as file:
        file.write("no database\n" * 1000)
    refuse(folder, "is no SQLite database")
    folder = copy(good, "foreign")
    os.remove(f"{folder}/tune.db")
    change(folder, "CREATE TABLE bookmarks (address TEXT)")
    refuse(folder, "is a database of another program")
    folder = copy(good, "newer")
    change(folder, "PRAGMA user_version = 4")
    refuse(folder, "has version 4, this build reads versions up to 3")
    folder = copy(good, "text-of-task")
    change(folder, "UPDATE task SET text = text || ' '")
    refuse(folder, "the database has another kernel under the key")
    tuning.expect(tuning.tune(f"{good}/tune.db", *MORE), 1, "there is no such folder")


def check_lock(good):
    folder = copy(good, "locked")
    before = tuning.read(folder, ROWS)
    connection = sqlite3.connect(f"{folder}/tune.db", isolation_level=None)
    connection.execute("BEGIN EXCLUSIVE")
    tuning.expect(tuning.tune(folder, *MORE), 1, "is locked by another process")
    connection.execute("ROLLBACK")
    connection.close()
    assert tuning.read(folder, ROWS) == before
    print("is locked by another process")


def limit_files():
    """Before the tool is run: files may have 40 KiB, as if the disk were full."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (40 << 10, 40 << 10))


def check_full_disk(good):
    folder = copy(good, "full")
    before = tuning.read(folder, ROWS)
    run = tuning.tune(folder, "--continue", "--trials", "32", preexec_fn=limit_files)
    tuning.expect(run, 1, "could not be read or written: disk I/O error")
    assert tuning.read(folder, ROWS)[: len(before)] == before
    assert tuning.read(folder, "PRAGMA integrity_check") == [("ok",)]
    count = len(tuning.read(folder, ROWS))
    tuning.expect(tuning.tune(folder, "--continue", "--trials", str(count + 4)), 0)
    assert len(tuning.read(folder, ROWS)) == count + 4
    print("disk I/O error")


def drop_rights():
    """Before the tool is run: the superuser may not write where others may not."""
    capability_bounding_set_drop, override = 24, 1
    ctypes.CDLL(None).prctl(capability_bounding_set_drop, override, 0, 0, 0)


def check_read_only(good):
    folder = copy(good, "read-only")
    before = read_bytes(folder)
    os.chmod(f"{folder}/tune.db", 0o444)
    os.chmod(folder, 0o555)
    try:
        text = "cannot be written: the file or its folder is read-only"
        tuning.expect(tuning.tune(folder, *MORE, preexec_fn=drop_rights), 1, text)
        text = "cannot make the folder"
        tuning.expect(tuning.tune(f"{folder}/new", *MORE, preexec_fn=drop_rights), 1, text)
        assert read_bytes(folder) == before
    finally:
        os.chmod(folder, 0o755)
    print("is read-only")


def main(folder):
    good = f"{folder}/good"
    recorded.copy("conv.mlir", 8, good)
    check_files(good)
    check_lock(good)
    check_full_disk(good)
    check_read_only(good)


if __name__ == "__main__":
    main(sys.argv[1])
