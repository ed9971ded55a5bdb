//===- Fourier.cpp - Fourier transforms -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The Python package records complex tensors as real ones with a last dim of size 2: the real and
/// the imaginary part.
///
//===----------------------------------------------------------------------===//

#include "lib/Import/PyTorch/Operators.h"

using namespace llvm;
using mlir::failure;
using mlir::FailureOr;
using mlir::NamedAttribute;

namespace tssa::pytorch {

/// dft(self, dim, length, inverse, onesided): self has a last dim of size 1 or 2. The result has a
/// last dim of size 2, or 1 for the real signal of half a spectrum. An inverse transform divides by
/// `length`.
static FailureOr<Tensors> buildDFT(Importer &importer, const Call &call) {
  FailureOr<Tensor> self = importer.read(call[0]);
  if (failed(self))
    return failure();
  FailureOr<int64_t> axis = importer.getDim(call[1], self->rank());
  FailureOr<Size> length = importer.getSize(call[2]);
  FailureOr<bool> isInverse = importer.getFlag(call[3], "inverse");
  FailureOr<bool> isOneSided = importer.getFlag(call[4], "onesided");
  if (failed(axis) || failed(length) || failed(isInverse) || failed(isOneSided))
    return failure();
  mlir::Builder &ops = importer.b.ops;
  auto makeInt = [&](StringRef name, int64_t value) {
    return ops.getNamedAttr(name, ops.getI64IntegerAttr(value));
  };
  return importer.call(
      "DFT", 17, {*self, importer.b.fromSizes(DType::I64, {}, *length)},
      {makeInt("axis", *axis), makeInt("inverse", *isInverse), makeInt("onesided", *isOneSided)});
}

void registerFourier(OperatorTable &table) {
  table.compute("tssa::dft", "-", buildDFT, Layout::Contiguous);
}

} // namespace tssa::pytorch
