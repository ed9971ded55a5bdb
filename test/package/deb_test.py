"""The Debian packages of cpack, installed into a root of their own, used without LLVM, and removed."""

import argparse
import glob
import os
import shutil
import sys
import tempfile

import checks as common
from checks import ROOT, run

NAMES = ["libtssart0", "libtssart-dev", "tssa"]


def list_files(folder):
    """Files and links, without what dpkg itself keeps."""
    found = []
    for path, _, names in os.walk(folder):
        found += [os.path.relpath(os.path.join(path, name), folder) for name in names]
    return sorted(path for path in found if not path.startswith("var/"))


class Checks(common.Checks):
    def __init__(self, folder):
        super().__init__()
        self.root, self.place = os.path.join(folder, "root"), os.path.join(folder, "c")
        os.makedirs(f"{self.root}/var/lib/dpkg/info")
        os.makedirs(f"{self.root}/var/lib/dpkg/updates")
        with open(f"{self.root}/var/lib/dpkg/status", "w", encoding="utf-8"):
            pass

    def dpkg(self, *arguments):
        # The root has no libc as a package; the example below shows that the dependencies are enough.
        return run(["dpkg", f"--root={self.root}", "--force-depends", "--force-not-root", "--force-script-chrootless",
                    *arguments])

    def check_all(self, packages, compiler):
        for name in NAMES:
            found = [path for path in packages if os.path.basename(path).startswith(name + "_")]
            self.check(f"there is one {name}", len(found) == 1, str(packages))
            fields = run(["dpkg-deb", "-f", *found, "Depends", "Section", "Maintainer"]).stdout
            self.check(f"{name} has the fields of a package", fields.count("\n") == 3, fields)
        installed = self.dpkg("-i", *packages)
        self.check("dpkg -i", installed.returncode == 0, installed.stdout)
        for name in NAMES:
            self.check(f"{name} has a copyright", f"usr/share/doc/{name}/copyright" in list_files(self.root))
        version = run([f"{self.root}/usr/bin/tssa-compile", "--version"])
        self.check("tssa-compile runs", version.returncode == 0, version.stdout)
        tuner = run([f"{self.root}/usr/bin/tssa-tune", "--version"])
        self.check("tssa-tune runs", tuner.stdout.startswith("tssa-tune "), tuner.stdout)
        self.check_example(compiler)
        removed = self.dpkg("--purge", *NAMES)
        self.check("dpkg --purge", removed.returncode == 0, removed.stdout)
        self.check("nothing is left", not list_files(self.root), str(list_files(self.root)))

    def check_example(self, compiler):
        """examples/c, configured and built with the installed packages, prints what its README says."""
        shutil.copytree(os.path.join(ROOT, "examples", "c"), self.place)
        build = f"{self.place}/build"
        for command in (["cmake", "-S", self.place, "-B", build, f"-DCMAKE_PREFIX_PATH={self.root}/usr",
                         f"-DCMAKE_C_COMPILER={compiler}", f"-DCMAKE_CXX_COMPILER={compiler}"],
                        ["cmake", "--build", build], [f"{build}/nearest", f"{build}/nearest_model.so"]):
            done = run(command)
            self.check(" ".join(command[:2]), done.returncode == 0, done.stdout)
        self.check("the example prints what its README says", common.read_promised() in done.stdout, done.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", help="with the packages")
    parser.add_argument("--compiler", default="clang-22")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="tssa-deb-") as folder:
        checks = Checks(folder)
        checks.check_all(sorted(glob.glob(options.folder + "/*.deb")), options.compiler)
    print(f"{checks.passed} passed, {checks.failed} failed, 0 skipped")
    return checks.failed


if __name__ == "__main__":
    sys.exit(main() > 0)
