# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Profiles of tssa.InferenceSession, what a model says of itself, and models that are damaged."""

import io
import json
import os
import pickle
import random
import re
import resource
import tempfile
import threading
import time
import unittest
import unittest.mock

import numpy
import tssa
from tssa import _modelmeta, _profile

from test_files import field, make_model

ONES = numpy.ones(3, numpy.float32)


def make_session(prefix, model=make_model("Neg")):
    options = tssa.SessionOptions()
    options.enable_profiling, options.profile_file_prefix = True, prefix
    return tssa.InferenceSession(model, options)


class Profiles(unittest.TestCase):
    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory())
        self.prefix = os.path.join(self.folder, "p")

    def read(self, session):
        path = session.end_profiling()
        self.assertRegex(path, rf"^{re.escape(self.prefix)}_\d{{4}}-\d\d-\d\d_\d\d-\d\d-\d\d_\d{{3}}\.json$")
        with open(path, encoding="utf-8") as file:
            return json.load(file)

    def test_events(self):
        before = time.time_ns()
        session = make_session(self.prefix)
        self.assertTrue(before <= session.get_profiling_start_time_ns() <= time.time_ns())
        for _ in range(3):
            numpy.testing.assert_array_equal(session.run(None, {"x": ONES})[0], -ONES)
        session.run(["y"], {"x": ONES}, tssa.RunOptions())
        events = self.read(session)
        for event in events:
            self.assertEqual(set(event), {"cat", "pid", "tid", "dur", "ts", "ph", "name", "args"})
            self.assertEqual((event["ph"], event["pid"], event["tid"]), ("X", os.getpid(), threading.get_native_id()))
            self.assertTrue(isinstance(event["dur"], int) and isinstance(event["ts"], int) and event["dur"] >= 0)
        names = [event["name"] for event in events]
        self.assertEqual(names[0], "session_initialization")
        self.assertEqual(names.count("model_run"), 4)
        nodes = [event for event in events if event["cat"] == "Node"]
        self.assertEqual(len(nodes), 4)
        for node in nodes:
            self.assertEqual({name: node["args"][name] for name in ("op_name", "provider", "node_index", "flops")},
                             {"op_name": "Neg", "provider": "CPUExecutionProvider", "node_index": "0", "flops": 3})
        runs = [event for event in events if event["name"] == "model_run"]
        for node, run in zip(nodes, runs, strict=True):
            self.assertTrue(run["ts"] <= node["ts"] and node["ts"] + node["dur"] <= run["ts"] + run["dur"])
        for before, after in zip(runs, runs[1:]):
            self.assertLessEqual(before["ts"] + before["dur"], after["ts"])

    def test_ends_once(self):
        session = make_session(self.prefix)
        start = session.get_profiling_start_time_ns()
        self.assertEqual(len(self.read(session)), 1)
        session.run(None, {"x": ONES})
        self.assertEqual(session.end_profiling(), "")
        self.assertEqual(session.get_profiling_start_time_ns(), start)
        self.assertEqual(len(os.listdir(self.folder)), 1)

    def test_without_profiling(self):
        session = tssa.InferenceSession(make_model("Neg"))
        self.assertEqual((session.end_profiling(), session.get_profiling_start_time_ns()), ("", 0))

    def test_full_disk(self):
        session = make_session(self.prefix)
        session.run(None, {"x": ONES})
        limits = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (50, limits[1]))
        try:
            with self.assertRaisesRegex(tssa.Error, "the profile '.*' cannot be written: File too large"):
                session.end_profiling()
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        self.assertEqual(os.listdir(self.folder), [])
        self.assertEqual(len(self.read(session)), 3, "what was recorded is kept")

    def test_two_sessions_have_two_files(self):
        with unittest.mock.patch.object(_profile.time, "time_ns", lambda: 1_700_000_000_000_000_000):
            sessions = [make_session(self.prefix), make_session(self.prefix)]
        self.assertEqual(len({session.end_profiling() for session in sessions}), 2)

    def test_threads_and_pickles(self):
        session = make_session(self.prefix)
        copied = pickle.loads(pickle.dumps(session))
        threads = [threading.Thread(target=session.run, args=(None, {"x": ONES})) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual([event["name"] for event in self.read(session)].count("model_run"), 4)
        self.assertEqual(len(self.read(copied)), 1)

    def test_runs_that_fail_are_not_recorded(self):
        session, options = make_session(self.prefix), tssa.RunOptions()
        options.terminate = True
        with self.assertRaises(tssa.Error):
            session.run(None, {"x": ONES}, options)
        self.assertEqual(len(self.read(session)), 1)

    def test_the_first_events_are_kept(self):
        with unittest.mock.patch.object(_profile, "MAX_EVENTS", 12):
            session = make_session(self.prefix)
        for _ in range(50):
            session.run(None, {"x": ONES})
        names = [event["name"] for event in self.read(session)]
        self.assertEqual(names[:2], ["session_initialization", "model_run"])
        self.assertLessEqual(len(names), 13)

    def test_runs_while_the_profile_is_written(self):
        """A run that has begun is waited for, and one that begins later is not recorded."""
        session = make_session(self.prefix)
        stop = threading.Event()

        def run():
            while not stop.is_set():
                session.run(None, {"x": ONES})

        threads = [threading.Thread(target=run) for _ in range(3)]
        for thread in threads:
            thread.start()
        time.sleep(0.05)
        events = self.read(session)
        stop.set()
        for thread in threads:
            thread.join()
        self.assertIn("model_run", [event["name"] for event in events])


class Metadata(unittest.TestCase):
    content = make_model("Neg") + field(2, "producer") + field(3, "1.0") + field(4, "org.example") + field(5, 7) + field(
        6, "größer") + field(14, field(1, "a"), field(2, "b")) + field(14, field(1, "c"))

    def test_fields(self):
        path = os.path.join(self.enterContext(tempfile.TemporaryDirectory()), "m.onnx")
        with open(path, "wb") as file:
            file.write(self.content)
        for model in (self.content, path):
            session = tssa.InferenceSession(model)
            if model == path:
                os.remove(path)
            self.assertEqual(session.get_modelmeta(), tssa.ModelMetadata(
                producer_name="producer", graph_name="g", domain="org.example", description="größer", graph_description="",
                version=7, custom_metadata_map={"a": "b", "c": ""}))
        self.assertEqual(tssa.InferenceSession(make_model("Neg")).get_modelmeta().version, 2 ** 63 - 1)

    def test_negative_version(self):
        found, _ = _modelmeta.read_modelmeta(io.BytesIO(b"\x28" + b"\xff" * 9 + b"\x01"))
        self.assertEqual(found.version, -1)

    def test_damage(self):
        """Any bytes have metadata or are refused; none takes long."""
        source = random.Random(0)
        for _ in range(2000):
            content = bytearray(self.content)
            for _ in range(source.randrange(1, 4)):
                content[source.randrange(len(content))] = source.randrange(256)
            content = content[:source.randrange(len(content) + 1)] + source.randbytes(source.randrange(3))
            try:
                metadata, _ = _modelmeta.read_modelmeta(io.BytesIO(content))
                self.assertEqual(len(metadata), 7)
            except tssa.InvalidProtobuf as error:
                self.assertIn(f"its {len(content)} bytes are damaged", str(error))


class Damage(unittest.TestCase):
    def test_no_protobuf(self):
        content, source = make_model("Neg"), random.Random(0)
        for damaged in (b"\xff" + source.randbytes(200), b"a text", content[:1], content[:20], content[:-1], b""):
            with self.assertRaises(tssa.InvalidProtobuf):
                tssa.InferenceSession(damaged)
        path = os.path.join(self.enterContext(tempfile.TemporaryDirectory()), "m.onnx")
        for damaged in (content[:20], b"", b"version https://git-lfs.github.com/spec/v1\n"):
            with open(path, "wb") as file:
                file.write(damaged)
            for kind in (tssa.InferenceSession, tssa.Session):
                with self.assertRaises(tssa.InvalidProtobuf) as caught:
                    kind(path)
                self.assertNotIn(path, str(caught.exception))

    def test_folders(self):
        path = os.path.join(self.enterContext(tempfile.TemporaryDirectory()), "m.onnx")
        os.mkdir(path)
        with self.assertRaisesRegex(tssa.Error, "cannot be read: is a directory") as caught:
            tssa.Session(path)
        self.assertIs(type(caught.exception), tssa.Error)

    def test_broken_graphs(self):
        folder = self.enterContext(tempfile.TemporaryDirectory())
        for cache in ("0", "1"):
            with unittest.mock.patch.dict(os.environ, TSSA_CACHE=cache, XDG_CACHE_HOME=folder):
                with self.assertRaises(tssa.InvalidGraph) as caught:
                    tssa.InferenceSession(make_model("Add"))
                self.assertEqual(caught.exception.code, 1)
                with self.assertRaises(tssa.UnsupportedError):
                    tssa.InferenceSession(make_model("NoSuchOperator"))


if __name__ == "__main__":
    unittest.main()
