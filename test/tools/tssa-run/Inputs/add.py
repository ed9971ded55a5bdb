"""Inputs of the add program (see test/unit/Runtime) and their sums, as NumPy writes them.

usage: add.py FOLDER
"""

import sys

import numpy as np

folder = sys.argv[1]
rows = 5
a = np.arange(rows * 3, dtype=np.float32).reshape(rows, 3) - 7
b = np.linspace(0, 1, rows * 3, dtype=np.float32).reshape(rows, 3)
mode = np.int32(0)
total = a + b + np.array([0.5, 1, 2], np.float32)
np.savez(f"{folder}/in.npz", a=a, b=b, mode=mode)
np.savez_compressed(f"{folder}/other.npz", mode=mode, b=np.asfortranarray(b), a=a)
np.savez(f"{folder}/ref.npz", sum=total, found=np.flatnonzero(a > 0))
np.savez(f"{folder}/far.npz", sum=total + np.float32(0.25))
np.savez(f"{folder}/shape.npz", sum=total[:4])
np.savez(f"{folder}/name.npz", som=total)
np.savez(f"{folder}/missing.npz", a=a, b=b)
np.savez(f"{folder}/dtype.npz", a=a.astype(np.float64), b=b, mode=mode)
np.savez(f"{folder}/strings.npz", a=np.array(["x"]), b=b, mode=mode)
np.savez(f"{folder}/fails.npz", a=a, b=b, mode=np.int32(1))
np.savez(f"{folder}/grows.npz", a=a, b=b, mode=np.int32(2))
np.savez(f"{folder}/loops.npz", a=a, b=b, mode=np.int32(3))
