//===- RandomInputs.h - inputs made from a seed ----------------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_REFERENCE_RANDOMINPUTS_H
#define TSSA_REFERENCE_RANDOMINPUTS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "tssa/Reference/HostTensor.h"
#include "llvm/ADT/StringMap.h"

#include <vector>

namespace tssa::reference {

/// A generator of random numbers (splitmix64). Equal seeds give equal numbers on every machine.
class Random {
public:
  explicit Random(uint64_t seed) : state(seed) {}

  uint64_t next();
  /// Uniform in [0, bound).
  uint64_t below(uint64_t bound) { return next() % bound; }
  bool oneIn(uint64_t n) { return below(n) == 0; }
  /// Uniform in [0, 1).
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }
  /// A sum of uniform numbers, close to the standard normal distribution.
  double normal();
  template <typename T> const T &pick(llvm::ArrayRef<T> values) {
    return values[below(values.size())];
  }

private:
  uint64_t state;
};

/// Returns a tensor of random elements: floats distributed nearly as N(0, 1), integers in [0, 4)
/// (valid indices of most tensors), or booleans.
llvm::Expected<HostTensor> makeRandomTensor(ElementKind kind, llvm::ArrayRef<int64_t> shape,
                                            Random &random);

/// Returns one tensor for each argument of `function`, except for weights and arena. The size of a
/// dynamic dim comes from `sizes`, by the name of the dim in the argument's port. If the name is
/// not in `sizes`, the size comes from the example in the port; without an example it is
/// `defaultSize`.
llvm::Expected<std::vector<HostTensor>> makeRandomInputs(mlir::func::FuncOp function, uint64_t seed,
                                                         const llvm::StringMap<int64_t> &sizes,
                                                         int64_t defaultSize = 3);

} // namespace tssa::reference

#endif // TSSA_REFERENCE_RANDOMINPUTS_H
