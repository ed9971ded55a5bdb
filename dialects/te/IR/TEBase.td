//===- TEBase.td - the te dialect -------------------------*- tablegen -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TE_IR_TEBASE
#define DIALECTS_TE_IR_TEBASE

include "mlir/IR/OpBase.td"

def TE_Dialect : Dialect {
  let name = "te";
  let cppNamespace = "::mlir::tssa::te";
  let summary = "tensor expressions: what each element of a tensor is";
  let description = [{
    A program in `te` says for every tensor what each of its elements is: a
    scalar expression over elements of other tensors at index expressions of the
    element's own position. Reshape, transpose, slice, padding and broadcast are
    index expressions; convolution and matrix product are sums over reads. There
    is no memory, no order of loops and no in-place write in it.

    Index expressions are affine in the dims `d0, d1, ...` of the enclosing op,
    with `floordiv` and `mod`. Symbols `s0, s1, ...` stand for SSA values of
    type index: sizes when defined outside of the op, data-dependent (opaque)
    indexes when computed inside of its body.

    What stages tell each other stands in attributes of functions and of the
    module, listed in dialects/te/IR/Program.h: `te.port` and the tables of the
    manifest. The dialect verifies them; another attribute `te.*` is an error.
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::tensor::TensorDialect"];
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
}

class TE_Op<string mnemonic, list<Trait> traits = []>
    : Op<TE_Dialect, mnemonic, traits>;

#endif // DIALECTS_TE_IR_TEBASE
