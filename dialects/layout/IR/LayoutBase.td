//===- LayoutBase.td - the layout dialect -----------------*- tablegen -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_LAYOUT_IR_LAYOUTBASE
#define DIALECTS_LAYOUT_IR_LAYOUTBASE

include "mlir/IR/OpBase.td"

def Layout_Dialect : Dialect {
  let name = "layout";
  let cppNamespace = "::mlir::tssa::layout";
  let summary = "how a tensor lies in memory and how the loops of a kernel run";
  let description = [{
    `#layout.map` says how a tensor is stored. `#layout.machine`, the attribute
    `layout.machine` of a module, is the machine for which that is chosen, and `#layout.device`, in
    `layout.device`, the GPU. The `schedule` region of a
    `te.kernel` is a list of ops of this dialect. Loops are
    values: `layout.loops` returns the loops of a labelled te.compute in the order
    of its dims, and the other ops take loops as operands. `layout.split` and
    `layout.fuse` consume their loops and return new ones. No op of a schedule
    changes what a kernel computes.
  }];
  let extraClassDeclaration = [{
    /// The attribute of a module that holds its machine.
    static constexpr ::llvm::StringLiteral getMachineName() { return "layout.machine"; }
    /// The attribute of a module that holds its GPU.
    static constexpr ::llvm::StringLiteral getDeviceName() { return "layout.device"; }
  }];
  let hasOperationAttrVerify = 1;
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
}

#endif // DIALECTS_LAYOUT_IR_LAYOUTBASE
