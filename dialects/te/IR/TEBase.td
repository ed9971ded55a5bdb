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
  let summary = "tensor expressions: definitions of tensors element by element";
  let description = [{
    A program in `te` defines each element of a tensor by a scalar expression over
    elements of other tensors, which are read at index expressions of the
    element's own index. Reshape, transpose, slice, padding and broadcast are
    index expressions; convolution and matrix product are sums over reads. `te`
    has no memory, no order of loops and no in-place writes.

    Index expressions are affine in the dims `d0, d1, ...` of the enclosing op,
    with `floordiv` and `mod`. Symbols `s0, s1, ...` stand for SSA values of
    type index: sizes if they are defined outside of the op, and data-dependent
    (opaque) indexes if the body of the op computes them.

    A stage passes information to later stages in attributes of functions, of the
    module and of products, such as `te.port`, `te.tf32` and the tables of the
    manifest. They are listed in dialects/te/IR/Program.h. The dialect verifies
    them; any other attribute `te.*` is an error.
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
