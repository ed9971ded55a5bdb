//===- Recurrent.h - common parts of LSTM, GRU and RNN -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// With quantised weights, each product quantises its other factor to u8, by the range of all its
/// elements, and computes the sum in i32.
///
/// One matrix product before the loop over time multiplies all inputs with the input weights,
/// so that an iteration computes only the recurrent products. The loop carries the states and
/// the output Y, and each iteration writes its part of Y.
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_LIB_OPERATORS_ONNX_RECURRENT_H
#define TSSA_LIB_OPERATORS_ONNX_RECURRENT_H

#include "tssa/Builder/Contraction.h"
#include "tssa/Operators/Node.h"

namespace tssa::operators {

using ActivationFn = std::function<Scalar(const Scalar &)>;

/// The scales and zero points of quantised weights, one for each direction or, in rank 2, for each
/// direction and gate row. Null for weights that are floats.
struct WeightScaling {
  Tensor scale, zero;
};
struct WeightScalings {
  WeightScaling weights, recurrence;
};

/// A recurrent operator and its inputs. The inputs have one of the two layouts of ONNX.
struct Network {
  Tensor x, weights, recurrence, bias, lengths;
  WeightScalings scalings;
  int64_t numGates, numDirections;
  bool isBatchFirst;
  Size steps, batch, inputs, hidden;
  std::optional<double> clip;
  /// The activations of all directions, in the order of ONNX's attribute `activations`.
  std::vector<ActivationFn> activations;

  DType type() const { return x.dtype(); }
  DType wide() const { return getAccumulator(x.dtype()); }
  Scalar clipped(const Scalar &x) const;
};

/// Reads the inputs and attributes of `node`. `defaults` names the default activations of one
/// direction.
mlir::FailureOr<Network> getNetwork(Builder &builder, const Node &node, int64_t numGates,
                                    llvm::ArrayRef<llvm::StringRef> defaults);

/// One time step in one direction.
struct Step {
  const Network &network;
  int64_t direction;
  llvm::ArrayRef<ActivationFn> activations;
  /// Returns the input product of gate row `row` (gate * hidden + unit) for sample `b`.
  std::function<Scalar(Body &, mlir::AffineExpr b, mlir::AffineExpr row)> input;
  /// Returns `next` while the sequence of sample `b` lasts, and `last` after its end.
  std::function<Scalar(Body &, mlir::AffineExpr b, Scalar next, Scalar last)> keep;
};

/// Returns the next states, each [batch, hidden], given the current states.
using StepFn =
    llvm::function_ref<mlir::FailureOr<Tensors>(Builder &, const Step &, const Tensors &states)>;

/// Builds all directions. Returns Y, then the last value of each state. `initial` has the initial
/// states, which are optional. If `addsRecurrentBias` is true, the input products include the
/// recurrent bias; else `step` adds the recurrent bias.
mlir::FailureOr<Tensors> runNetwork(Builder &builder, const Node &node, const Network &network,
                                    llvm::ArrayRef<Tensor> initial, bool addsRecurrentBias,
                                    StepFn step);

/// Returns, for the rows in [begin, begin + count), the sum over k of
/// state[b, k] * recurrence[direction, row, k], mapped by `epilogue`.
mlir::FailureOr<Tensor> multiplyState(Builder &builder, const Step &step, const Tensor &state,
                                      const Size &begin, const Size &count,
                                      EpilogueFn epilogue = nullptr);

/// Builds an LSTM. Its inputs W and R may be quantised, with these scalings.
mlir::FailureOr<Tensors> buildLSTM(Builder &builder, const Node &node, WeightScalings scalings);

} // namespace tssa::operators

#endif // TSSA_LIB_OPERATORS_ONNX_RECURRENT_H
