//===- SiblingMatch.h - how expressions with one body differ -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// *Siblings* are expressions that compute the same body, but read other constants, or other places
/// of a tensor that they share: the experts of a mixture, the gates of a cell, the heads of an
/// attention. They can become one expression, with their results either stacked along a new dim or
/// one after the other along a dim of them. This is the horizontal transformation of Souffle
/// (section 6.1) without predicates, since all siblings run the same code.
///
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TE_TRANSFORMS_SIBLINGMATCH_H
#define DIALECTS_TE_TRANSFORMS_SIBLINGMATCH_H

#include "dialects/te/IR/TEOps.h"

namespace mlir::tssa::te {

/// How the results of siblings lie in one tensor.
struct SiblingMode {
  /// The dim along which they follow each other. Without it they are stacked along a new first dim.
  std::optional<unsigned> axis;

  bool isStacked() const { return !axis; }
};

/// How one read, or one operand that is a scalar constant, of siblings differs among them.
struct Variation {
  enum Kind {
    Shifted, ///< reads of one tensor: sibling i reads `shift` times i further
    Joined,  ///< reads of a constant of each sibling
    Scalar,  ///< an operand that is a scalar constant
  } kind;
  Operation *op;               ///< of the first sibling
  unsigned operand;            ///< of `op`, for a scalar
  SmallVector<int64_t> shift;  ///< for each dim of the tensor
  SmallVector<Attribute> data; ///< a constant of each sibling
  /// The dim along which the constants are joined. Without it they are stacked.
  std::optional<unsigned> dim;
};

/// Expressions that can become one.
struct Siblings {
  SiblingMode mode;
  SmallVector<ComputeOp> members;
  /// One for each read and each such operand, in the order of ops and operands.
  SmallVector<Variation> variations;

  /// Starts with `first`, with which others may join.
  Siblings(ComputeOp first, SiblingMode mode);
  /// Adds `next` if it is a sibling of the others, and returns whether it is.
  bool tryToAdd(ComputeOp next);
};

} // namespace mlir::tssa::te

#endif // DIALECTS_TE_TRANSFORMS_SIBLINGMATCH_H
