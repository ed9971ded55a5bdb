# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""The compiler that these tests run is that of packages, where one is given: it has LLVM inside."""

import os
import subprocess
import unittest

from tssa import _package


class ToolsTest(unittest.TestCase):
    @unittest.skipUnless("TSSA_COMPILE" in os.environ, "no compiler is given")
    def test_the_compiler_is_that_of_packages(self):
        self.assertEqual(_package.find_tool(), os.environ["TSSA_COMPILE"])
        libraries = subprocess.run(["ldd", _package.find_tool()], capture_output=True, text=True, check=True).stdout
        self.assertNotIn("LLVM", libraries)
        self.assertNotIn("MLIR", libraries)


if __name__ == "__main__":
    unittest.main()
