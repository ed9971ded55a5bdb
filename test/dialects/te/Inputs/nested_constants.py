# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Prints a product whose factor is a constant, put together of two halves, again and again.

usage: nested_constants.py DEPTH
"""

import sys

TYPE = "tensor<64x64xf32>"


def rearrange(name, source, pieces):
    """A te.compute of (condition, index) pairs."""
    text = f"  %{name} = te.compute (d0: 64, d1: 64)"
    for where, index in pieces:
        text += f"{where} {{\n    %a = te.read %{source}[{index}] : {TYPE}\n    te.yield %a : f32\n  }}"
    return f"{text} : {TYPE}"


depth = int(sys.argv[1])
print(f"func.func @main(%x: tensor<512x64xf32>) -> tensor<512x64xf32> {{\n  %c0 = te.constant dense<1.5> : {TYPE}")
for i in range(depth):
    print(rearrange(f"d{i}", f"c{i}", [(" where (-d1 + 31 >= 0)", "d0, d1"), (" where (d1 - 32 >= 0)", "d0, d1 - 32")]))
    print(rearrange(f"c{i + 1}", f"d{i}", [("", "d1, d0")]))
print(f"""  %y = te.compute (d0: 512, d1: 64) reduce (d2: 64) init (0.0 : f32) {{
    %a = te.read %x[d0, d2] : tensor<512x64xf32>
    %b = te.read %c{depth}[d2, d1] : {TYPE}
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  }} combine arith.addf : tensor<512x64xf32>
  return %y : tensor<512x64xf32>
}}""")
