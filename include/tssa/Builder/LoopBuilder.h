//===- LoopBuilder.h - loops over tensors -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A carried tensor has one type for all iterations, but its sizes may change from one
/// iteration to the next. The builder finds these sizes by building the body as a trial: a
/// size that differs between the input and the output of the body becomes unknown, the
/// trial is discarded, and the body is built again.
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_BUILDER_LOOPBUILDER_H
#define TSSA_BUILDER_LOOPBUILDER_H

#include "tssa/Builder/Subgraph.h"

namespace tssa::operators {

/// The type and the known sizes of a tensor that is not built yet. An unknown size is nullopt.
struct TensorForm {
  DType type;
  llvm::SmallVector<std::optional<Size>> shape;
};

mlir::RankedTensorType getType(Builder &builder, const TensorForm &form);
/// Wraps `value` in a Tensor of the given form; unknown sizes are read from `value`.
Tensor wrap(Builder &builder, mlir::Value value, const TensorForm &form);
/// Returns the value of `tensor`, cast to `type`. Fewer sizes may be static in `type` than in
/// `tensor`.
mlir::Value conform(Builder &builder, const Tensor &tensor, mlir::Type type);
/// Returns the only element of the bool tensor `tensor`, as an i1.
mlir::FailureOr<mlir::Value> extractFlag(Builder &builder, const Tensor &tensor);

/// Reports an error if one of `tensors` is a sequence or an absent optional: a value that is
/// chosen at run time must be a tensor.
mlir::LogicalResult requirePlain(Builder &builder, llvm::ArrayRef<Tensor> tensors,
                                 const llvm::Twine &what);

struct LoopSpec {
  LoopSpec(Subgraph &body, llvm::ArrayRef<Tensor> initial) : body(body), initial(initial) {}

  Subgraph &body;
  llvm::ArrayRef<Tensor> initial;
  /// The index of the first carried value among the outputs of the body. The scan outputs
  /// follow the carried values.
  unsigned firstOutput = 0;
  /// The maximal number of iterations.
  std::optional<Size> count;
  /// Whether the first iteration runs, as an i1. Null if there are always `count` iterations;
  /// otherwise output 0 of the body says whether another iteration follows.
  mlir::Value condition;
  /// Returns the inputs of the body for an iteration number and the carried tensors.
  std::function<mlir::FailureOr<Tensors>(const Size &, llvm::ArrayRef<Tensor>)> makeInputs;
  /// For each scan output, whether it is filled from the end.
  llvm::SmallVector<bool> reversed;
};

class LoopBuilder {
public:
  LoopBuilder(Builder &builder, const LoopSpec &spec);

  /// Builds the loop. Returns the final carried tensors, then the scan outputs.
  mlir::FailureOr<Tensors> run();

private:
  /// The result of a trial: nothing if the body must be built again.
  using Trial = mlir::FailureOr<std::optional<Tensors>>;

  unsigned numScans() const;
  Trial tryFor();
  Trial tryWhile();
  Trial buildBody(const Size &position, mlir::ValueRange values, mlir::Value *goesOn);
  mlir::FailureOr<bool> learn(llvm::ArrayRef<Tensor> outputs);
  mlir::FailureOr<Tensor> accumulate(unsigned scan, const Tensor &accumulator,
                                     const Tensor &element, const Size &position);
  mlir::FailureOr<llvm::SmallVector<mlir::Value>> getInitialValues();
  /// Returns the values of `tensors`, cast to `types`.
  llvm::SmallVector<mlir::Value> conformAll(llvm::ArrayRef<Tensor> tensors, mlir::TypeRange types);
  Tensors wrapResults(mlir::ValueRange values);
  void fillCondition(mlir::Block *before);
  bool isPreallocated(const TensorForm &element) const;
  TensorForm getAccumulatorForm(const TensorForm &element) const;

  Builder &b;
  const LoopSpec &spec;
  llvm::SmallVector<TensorForm> carried;
  /// The form of an element of each scan output; known once a body has been built.
  std::optional<llvm::SmallVector<TensorForm>> scanned;
  /// The block that contains the loop. The forms of scan outputs have only sizes that are visible
  /// there.
  mlir::Block *block;
};

} // namespace tssa::operators

#endif // TSSA_BUILDER_LOOPBUILDER_H
