//===- OpCost.h - what an operation of a body costs -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// One table, by kind of operation and by type, of what the operations of bodies cost. Whoever
/// decides by the cost of an operation asks it. Costs are in simple instructions, such as a sum: a
/// core does two of them in a cycle. They were measured with AVX-512 on 16 f32 or 8 f64 a vector,
/// as the increase of the time of a body in cache by one more operation.
///
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TE_ANALYSIS_OPCOST_H
#define DIALECTS_TE_ANALYSIS_OPCOST_H

#include "mlir/IR/Operation.h"

namespace mlir::tssa::te {

struct OpCost {
  int64_t flops = 0;     ///< floating-point operations that it counts as; two for an fma
  int64_t functions = 0; ///< 1 if it takes many instructions, such as a root or an exponential
  double vector = 0;     ///< simple instructions that one vector of results takes
  double scalar = 0;     ///< those of one result outside of vectors
  int64_t code = 0;      ///< of a vector, as multiples of the code of a multiply-add
};

/// Returns what `op`, one of a body, costs. Constants and conversions to index are free. Reads and
/// the terminator cost nothing here: what they take is moving data.
OpCost getOpCost(Operation &op);

/// Returns the sums over the operations of a body or a combiner.
OpCost getCost(Region &body);

/// Returns the simple instructions of a point of a body, with one for each read and each result.
int64_t getWork(Region &body);

/// Returns whether `op`, one of a body, may fail for some operands: an integer division whose
/// divisor is not known to be harmless.
bool mayTrap(Operation &op);

} // namespace mlir::tssa::te

#endif // DIALECTS_TE_ANALYSIS_OPCOST_H
