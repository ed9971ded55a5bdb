//===- LoopBuilder.h - loops over tensors -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A carried tensor has one type for all iterations, but its sizes may change from one to
/// the next. That is found out by building the body: sizes that do not come out as they
/// went in become unknown, the trial is discarded, and the body is built again.
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_BUILDER_LOOPBUILDER_H
#define TSSA_BUILDER_LOOPBUILDER_H

#include "tssa/Builder/Subgraph.h"

namespace tssa::operators {

/// What is known of a tensor before it is there; a size that is not known is null.
struct TensorForm {
  DType type;
  llvm::SmallVector<std::optional<Size>> shape;
};

mlir::RankedTensorType getType(Builder &builder, const TensorForm &form);
/// `value` as a tensor of this form; unknown sizes are read from it.
Tensor wrap(Builder &builder, mlir::Value value, const TensorForm &form);
/// The value of a tensor as `type`, which may know less of its sizes.
mlir::Value conform(Builder &builder, const Tensor &tensor, mlir::Type type);
/// The one element of a bool tensor, of type i1.
mlir::FailureOr<mlir::Value> extractFlag(Builder &builder, const Tensor &tensor);

/// What is decided when the program runs gives tensors: an error for a sequence or an
/// optional without a tensor.
mlir::LogicalResult requirePlain(Builder &builder, llvm::ArrayRef<Tensor> tensors,
                                 const llvm::Twine &what);

struct LoopSpec {
  LoopSpec(Subgraph &body, llvm::ArrayRef<Tensor> initial) : body(body), initial(initial) {}

  Subgraph &body;
  llvm::ArrayRef<Tensor> initial;
  /// Position of the first carried value among the outputs of the body; the scan outputs
  /// follow the carried values.
  unsigned firstOutput = 0;
  /// Most iterations.
  std::optional<Size> count;
  /// Whether to start, of type i1; null when there are always `count` iterations. Then
  /// output 0 of the body says whether to go on.
  mlir::Value condition;
  /// Inputs of the body from the number of the iteration and the carried tensors.
  std::function<mlir::FailureOr<Tensors>(const Size &, llvm::ArrayRef<Tensor>)> makeInputs;
  /// Scan outputs that are filled from the end.
  llvm::SmallVector<bool> reversed;
};

class LoopBuilder {
public:
  LoopBuilder(Builder &builder, const LoopSpec &spec);

  /// The carried tensors after the loop, then the scan outputs.
  mlir::FailureOr<Tensors> run();

private:
  /// Of a trial: nothing when the body must be built again.
  using Trial = mlir::FailureOr<std::optional<Tensors>>;

  unsigned numScans() const;
  Trial tryFor();
  Trial tryWhile();
  Trial buildBody(const Size &position, mlir::ValueRange values, mlir::Value *goesOn);
  mlir::FailureOr<bool> learn(llvm::ArrayRef<Tensor> outputs);
  mlir::FailureOr<Tensor> accumulate(unsigned scan, const Tensor &accumulator,
                                     const Tensor &element, const Size &position);
  mlir::FailureOr<llvm::SmallVector<mlir::Value>> getInitialValues();
  /// The values of `tensors` with the types of `like`.
  llvm::SmallVector<mlir::Value> conformAll(llvm::ArrayRef<Tensor> tensors, mlir::TypeRange types);
  Tensors wrapResults(mlir::ValueRange values);
  void fillCondition(mlir::Block *before);
  bool isPlaced(const TensorForm &element) const;
  TensorForm getAccumulatorForm(const TensorForm &element) const;

  Builder &b;
  const LoopSpec &spec;
  llvm::SmallVector<TensorForm> carried;
  /// Forms of the elements of the scan outputs, once a body was built.
  std::optional<llvm::SmallVector<TensorForm>> scanned;
  /// Where the loop stands: what sizes outside of it are visible from.
  mlir::Block *block;
};

} // namespace tssa::operators

#endif // TSSA_BUILDER_LOOPBUILDER_H
