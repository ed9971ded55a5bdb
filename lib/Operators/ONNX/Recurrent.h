//===- Recurrent.h - what LSTM, GRU and RNN share -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The products of all inputs with the input weights are one matrix product before
/// the loop over time, whose steps then need only the recurrent products. The states
/// and Y are carried by the loop; every step writes its part of Y.
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_LIB_OPERATORS_ONNX_RECURRENT_H
#define TSSA_LIB_OPERATORS_ONNX_RECURRENT_H

#include "tssa/Builder/Contraction.h"
#include "tssa/Operators/Node.h"

namespace tssa::operators {

using ActivationFn = std::function<Scalar(const Scalar &)>;

/// A recurrent operator and its inputs, of any layout.
struct Network {
  Tensor x, weights, recurrence, bias, lengths;
  int64_t numGates, numDirections;
  bool isBatchFirst;
  Size steps, batch, inputs, hidden;
  std::optional<double> clip;
  /// Per direction, those of the operator in order.
  std::vector<ActivationFn> activations;

  DType type() const { return x.dtype(); }
  DType wide() const { return getAccumulator(x.dtype()); }
  Scalar clipped(const Scalar &x) const;
};

/// `defaults` names the activations of one direction.
mlir::FailureOr<Network> getNetwork(Builder &builder, const Node &node, int64_t numGates,
                                    llvm::ArrayRef<llvm::StringRef> defaults);

/// One step of one direction.
struct Step {
  const Network &network;
  int64_t direction;
  llvm::ArrayRef<ActivationFn> activations;
  /// The input products of gate row `row` (gate * hidden + unit) of sample `b`.
  std::function<Scalar(Body &, mlir::AffineExpr b, mlir::AffineExpr row)> input;
  /// `next` while the sequence of sample `b` lasts, then `last`.
  std::function<Scalar(Body &, mlir::AffineExpr b, Scalar next, Scalar last)> keep;
};

/// The next states, each [batch, hidden], from the last ones.
using StepFn =
    llvm::function_ref<mlir::FailureOr<Tensors>(Builder &, const Step &, const Tensors &states)>;

/// All directions: Y, then the last value of each state. `initial` are the optional
/// initial states. `addsRecurrentBias` says that the bias of the recurrent products
/// is part of the input products; else the step adds it.
mlir::FailureOr<Tensors> runNetwork(Builder &builder, const Node &node, const Network &network,
                                    llvm::ArrayRef<Tensor> initial, bool addsRecurrentBias,
                                    StepFn step);

/// sum over k of state[b, k] * recurrence[direction, row, k], and what `epilogue`
/// makes of it, for rows [begin, begin + count).
mlir::FailureOr<Tensor> multiplyState(Builder &builder, const Step &step, const Tensor &state,
                                      const Size &begin, const Size &count,
                                      EpilogueFn epilogue = nullptr);

} // namespace tssa::operators

#endif // TSSA_LIB_OPERATORS_ONNX_RECURRENT_H
