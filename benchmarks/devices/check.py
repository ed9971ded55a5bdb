"""`device.py check`: all that is worth doing while a device is at hand, in a limited time.

Each section is a table of rows. A row is printed when it is known, and the page is written
anew then, so that nothing is lost when the time ends early.
"""

import ctypes
import json
import os
import re
import shutil
import time

from devices import errors, products, rates, rivals
from devices.cases import binaries_in, cases_of, error_of, images_for, label_of, number_of, unpack
from devices.processes import Failed, OutOfTime, call, finish

# With less time than this left, no case is begun.
LEAST_SECONDS = 0.5


class Page:
    """The tables so far, in a file if one is given."""

    def __init__(self, path):
        self.path, self.lines = path, []

    def add(self, line):
        print(line, flush=True)
        self.lines.append(line)
        self.write()

    def write(self):
        if not self.path:
            return
        with open(self.path + ".new", "w") as file:
            file.write("\n".join(self.lines) + "\n")
        os.replace(self.path + ".new", self.path)


class Check:
    """Runs cases, counts them, and keeps to the time."""

    def __init__(self, options):
        self.options = options
        self.end = time.monotonic() + options.seconds
        self.page = Page(options.out)
        self.runner = os.path.join(options.bin, "tssa-run")
        self.passed, self.failed, self.not_run = 0, 0, 0
        self.complaints, self.columns = [], 0
        self.device, self.arch, self.driver = options.device, None, "unknown"
        self.contents = {}

    def open(self):
        """Unpacks the folder and reads what is in it."""
        unpack(self.options.folder)
        path = os.path.join(self.options.folder, "check.json")
        if os.path.exists(path):
            with open(path) as file:
                self.contents = json.load(file)

    def begin(self, title, columns=()):
        self.columns = len(columns)
        for line in ["", f"## {title}", ""]:
            self.page.add(line)
        if columns:
            self.page.add("| " + " | ".join(columns) + " |")
            self.page.add("|" + "---|" * len(columns))

    def note(self, text):
        self.page.add(text)

    def row(self, cells):
        cells = [str(cell) for cell in cells] + [""] * (self.columns - len(cells))
        self.page.add("| " + " | ".join(cell.replace("|", "/") for cell in cells) + " |")

    def left(self):
        return self.end - time.monotonic()

    def seconds(self):
        """The time that one run may take now."""
        if self.left() < LEAST_SECONDS:
            raise OutOfTime("no time is left")
        return min(self.options.case_seconds, self.left())

    def call(self, *arguments, environment=None):
        """tssa-run's JSON, within the time of a run."""
        return call(self.runner, *arguments, seconds=self.seconds(), environment=environment)

    def finish(self, command, times=1):
        """What `processes.finish` gives, within the time of so many runs."""
        seconds = min(self.seconds() * times, self.left())
        code, out, err = finish(command, seconds)
        if code is None:
            raise OutOfTime(f"stopped after {seconds:.3g} s")
        return code, out, err

    def case(self, label, work):
        """Adds the row of a case. `work` gives its cells after the label, and a complaint or None."""
        try:
            self.seconds()
            cells, complaint = work()
        except OutOfTime as late:
            if self.left() < LEAST_SECONDS:
                self.not_run += 1
                self.row([label, "not run"])
                return
            cells, complaint = ["failed"], str(late)
        except Exception as failure:  # whatever it is, the other cases are run
            cells, complaint = ["failed"], str(failure) or type(failure).__name__
        self.row([label, *cells])
        self.passed += complaint is None
        if complaint:
            self.complain(label, complaint)

    def complain(self, label, complaint):
        self.failed += 1
        self.complaints.append(f"{label}: {complaint}")
        print(f"FAILED {label}: {complaint}", flush=True)

    def part(self, name, work):
        """Does a part of the check. A folder that is damaged ends that part and no other; gives what `work` gives."""
        try:
            return work()
        except Exception as failure:
            self.complain(name, f"{type(failure).__name__}: {failure}")
            return None

    def close(self):
        """Adds the complaints and the counts; gives the exit code."""
        if self.complaints:
            self.begin("Complaints")
        for complaint in self.complaints:
            self.note(f"- FAILED {complaint}")
        self.note("")
        self.note(f"{self.passed} passed, {self.failed} failed, {self.not_run} not run")
        return 1 if self.failed or not self.passed else 0


def driver_version(check):
    """The driver's version and the CUDA that it is for, as far as they can be found."""
    found = []
    tool = shutil.which("nvidia-smi")
    if tool:
        code, out, _ = check.finish([tool, "--query-gpu=driver_version", "--format=csv,noheader"])
        found += [out.split()[0]] if code == 0 and out.split() else []
    try:
        version = ctypes.c_int()
        if ctypes.CDLL("libcuda.so.1").cuDriverGetVersion(ctypes.byref(version)) == 0:
            found.append(f"CUDA {version.value // 1000}.{version.value % 1000 // 10}")
    except (OSError, AttributeError):
        pass
    return ", ".join(found) or "unknown"


def smallest_binary(check):
    """The smallest compiled model that has cases, with the first of them."""
    with_cases = [binary for binary in binaries_in(check.options.folder) if cases_of(binary)]
    if not with_cases:
        raise Failed(f"'{check.options.folder}': there is no compiled model with inputs and answers")
    binary = min(with_cases, key=os.path.getsize)
    return (binary, *cases_of(binary)[0])


def name_device(check, name):
    check.device = name
    match = re.search(r"\bsm_\d+\b", name)
    check.arch = number_of(match.group()) if match else None


def find_device(check):
    """Asks for the device's name without a run first: a run may fail, and the other cases need the arch."""
    binary, given, _ = smallest_binary(check)
    name = check.call(binary, "--inspect").get("device", "")
    if name.split(" ")[0] == check.options.device:
        name_device(check, name)
    name_device(check, check.call(binary, f"--device={check.options.device}", "--inputs", given)["device"])
    return [check.device], None


def describe(check):
    """Section 1: the device, the driver, the rivals."""
    check.begin("Device", ["what", "is"])
    check.case("device", lambda: find_device(check))
    try:
        check.driver = driver_version(check)
    except OutOfTime:
        pass
    check.row(["driver", check.driver])
    check.row(["commit", check.contents.get("commit", "unknown")])
    check.note("")
    for line in rivals.find(check):
        check.note(line)


def host_median(check, binary, given):
    try:
        result = check.call(binary, f"--device={check.options.against}", "--inputs", given, "--bench", "--runs",
                            str(check.options.runs))
    except (Failed, OutOfTime):
        return "-"
    return f"{result['median_ms']:.3f}"


def answer(check, binary, given, wanted, image, host):
    """A case with one kind of image; `host` keeps the host's time for the other kind."""
    options = check.options
    result = check.call(binary, f"--device={options.device}", "--inputs", given, "--expect", wanted, "--bench", "--runs",
                        str(options.runs), environment={"TSSA_CUDA_IMAGE": image} if image else None)
    error = error_of(result)
    if given not in host:
        host[given] = host_median(check, binary, given)
    cells = [f"{error:.2g}", f"{result['median_ms']:.3f}", f"{result['p90_ms']:.3f}", host[given]]
    return cells, None if error <= options.tolerance else f"off by {error:.3g}"


def find_images(check, binary):
    """The kinds of images to try. The device chooses where it has no images, and where they are not known."""
    if check.arch is None:
        return [None]
    try:
        kinds = images_for(check.call(binary, "--inspect"), check.arch)
    except (Failed, OutOfTime):
        return ["cubin", "ptx"]
    if "cubin" not in kinds:
        check.without_cubin.append(os.path.basename(binary))
    return kinds or [None]


def answers(check):
    """Section 2: every case, with each kind of image."""
    check.begin("Answers", ["case", "error", "median ms", "p90 ms", "host median ms"])
    check.without_cubin, host = [], {}
    for binary in binaries_in(check.options.folder):
        images = find_images(check, binary)
        if not cases_of(binary):
            check.case(os.path.basename(binary), lambda: (["failed"], "no inputs and answers beside it"))
        for given, wanted in cases_of(binary):
            for image in images:
                check.case(f"{label_of(given)} {image or ''}".rstrip(),
                           lambda: answer(check, binary, given, wanted, image, host))
    check.note("")
    if check.without_cubin:
        check.note(f"No cubin for this device in {', '.join(check.without_cubin)}: there was no ptxas when they were "
                   "compiled, or they are for other devices.")
    check.note("The error is the largest over the largest magnitude of the answer; `host` is "
               f"`--device={check.options.against}` of the same file, with copies in both.")


def check(options):
    session = Check(options)
    session.page.add("# A check on a device")
    session.part("folder", session.open)
    session.part("device", lambda: describe(session))
    session.part("answers", lambda: answers(session))
    if session.contents:
        times = session.part("products", lambda: products.measure(session)) or {"wait_ms": 0.0, "others": {}}
        session.part("rates", lambda: rates.measure(session, times))
    else:
        session.note("")
        session.note(f"'{options.folder}' has no products and no programs for rates: device.py prepare --check writes them.")
    session.part("errors", lambda: errors.provoke(session, smallest_binary))
    return session.close()
