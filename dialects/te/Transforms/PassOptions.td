//===- PassOptions.td - passes that merge expressions beside each other -*- tablegen -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TE_TRANSFORMS_PASSOPTIONS
#define DIALECTS_TE_TRANSFORMS_PASSOPTIONS

include "mlir/Pass/PassBase.td"

/// When a pass does something: where it pays, wherever it can, or never.
class ApplyOption<string name, string text>
    : Option<name, name, "::tssa::Apply", "::tssa::Apply::Auto", text, "::tssa::getApplyValues()">;

/// How a pass groups expressions into launches.
def PartitionOption : Option<
    "partition", "partition", "::tssa::Apply", "::tssa::Apply::Auto",
    "how expressions are grouped into launches",
    [{::llvm::cl::values(
        clEnumValN(::tssa::Apply::Auto, "cost", "what is estimated to cost least"),
        clEnumValN(::tssa::Apply::Always, "paper", "what relies on one element where it is read"),
        clEnumValN(::tssa::Apply::Never, "none", "each expression by itself"))}]>;

#endif // DIALECTS_TE_TRANSFORMS_PASSOPTIONS
