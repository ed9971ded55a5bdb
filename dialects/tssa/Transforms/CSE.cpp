//===- CSE.cpp - common subexpression elimination -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/te/IR/MergeEqualOps.h"
#include "dialects/tssa/Transforms/Passes.h"

namespace mlir::tssa::refs {
#define GEN_PASS_DEF_TSSACSE
#include "dialects/tssa/Transforms/Passes.h.inc"
} // namespace mlir::tssa::refs

using namespace mlir;
using namespace mlir::tssa;

namespace {
struct CSE : refs::impl::TSSACSEBase<CSE> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    te::mergeEqualOps(rewriter, getOperation());
  }
};
} // namespace
