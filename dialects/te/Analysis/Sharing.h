//===- Sharing.h - tensors that are read more than once -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Which tensors are read more than once, and by which steps (Souffle, section 5.1). Two readers
/// that do not depend on each other share a tensor *spatially*: one kernel that computes both loads
/// it once. If one depends on the other, they share it *temporally*: it may stay on chip between
/// the two. What a loop defines is another tensor in each iteration, so that its readers depend on
/// each other only within one. A reader in a loop that does not define the tensor shares it with
/// itself.
///
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TE_ANALYSIS_SHARING_H
#define DIALECTS_TE_ANALYSIS_SHARING_H

#include "dialects/te/Analysis/StepGraph.h"

namespace mlir::tssa::te {

/// A step that reads a shared tensor.
struct Reader {
  Operation *step = nullptr;
  /// The steps from the nearest reader on which this one depends to this one: the greatest number
  /// on a path, with this one. Nothing if it depends on no other reader.
  std::optional<unsigned> depth;
  bool isRepeated = false; ///< in a loop that does not define the tensor

  bool isTemporal() const { return depth || isRepeated; }
};

struct SharedTensor {
  Value tensor;
  SmallVector<Reader> readers; ///< in the order of the program

  /// Returns whether no reader depends on another one or repeats its reads.
  bool isSpatial() const;
};

/// The tensors that a program, a host program or a kernel, reads more than once. A tensor and its
/// casts are one tensor. The base of an update is read.
class Sharing {
public:
  explicit Sharing(Operation *program);

  /// Returns the tensors in the order of their definitions.
  ArrayRef<SharedTensor> get() const { return tensors; }
  /// Returns the entry of `tensor`, or null if it is read at most once.
  const SharedTensor *lookup(Value tensor) const;
  const StepGraph &getGraph() const { return graph; }

private:
  StepGraph graph;
  SmallVector<SharedTensor, 0> tensors;
  llvm::DenseMap<Value, unsigned> numbers;

  void visit(Value tensor);
  void findDepths(SharedTensor &shared) const;
};

} // namespace mlir::tssa::te

#endif // DIALECTS_TE_ANALYSIS_SHARING_H
