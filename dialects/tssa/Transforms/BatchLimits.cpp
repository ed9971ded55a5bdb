//===- BatchLimits.cpp - how much memory a batched tensor may take -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/tssa/Transforms/BatchLimits.h"
#include "dialects/te/IR/Captures.h"
#include "dialects/te/IR/Sizes.h"
#include "dialects/tssa/IR/Linear.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::refs;

/// The most bytes that the results of all iterations may take.
static constexpr uint64_t maxBytes = uint64_t(64) << 20;
/// The results may take this many times the bytes that the iterations read.
static constexpr uint64_t maxGrowth = 4;

static uint64_t getElementBytes(Type type) {
  if (auto complex = dyn_cast<ComplexType>(type))
    return 2 * getElementBytes(complex.getElementType());
  return type.isIntOrFloat() ? llvm::divideCeil(type.getIntOrFloatBitWidth(), 8) : 8;
}

/// Returns `bytes` times `size`; a size that only the run knows counts as 1.
static uint64_t scale(uint64_t bytes, OpFoldResult size) {
  return llvm::SaturatingMultiply<uint64_t>(bytes, te::getConstantSize(size).value_or(1));
}

/// Returns the bytes of tensors of the element types of `types` and the sizes `sizes`.
static uint64_t getBytes(TypeRange types, ArrayRef<OpFoldResult> sizes) {
  uint64_t bytes = 0;
  for (Type type : types)
    bytes += getElementBytes(getElementTypeOrSelf(type));
  for (OpFoldResult size : sizes)
    bytes = scale(bytes, size);
  return bytes;
}

/// Returns the bytes that one iteration of `compute` reads, each element once.
static uint64_t getReadBytes(te::ComputeOp compute) {
  SmallVector<OpFoldResult> domain = compute.getIterationDomain();
  uint64_t sum = 0;
  compute.walk([&](te::ReadOp read) {
    uint64_t bytes = getElementBytes(read.getSourceType().getElementType());
    for (unsigned dim = 0; dim < domain.size(); ++dim)
      if (read.getMap().isFunctionOfDim(dim))
        bytes = scale(bytes, domain[dim]);
    sum = llvm::SaturatingAdd(sum, bytes);
  });
  return sum;
}

uint64_t refs::getBatchBytes(scf::ForOp loop, TypeRange types, ArrayRef<OpFoldResult> sizes) {
  uint64_t bytes = getBytes(types, sizes);
  if (std::optional<APInt> count = loop.getStaticTripCount())
    bytes = llvm::SaturatingMultiply(bytes, count->getLimitedValue());
  return bytes;
}

std::string refs::describeIterations(scf::ForOp loop) {
  std::optional<APInt> count = loop.getStaticTripCount();
  return count ? std::to_string(count->getSExtValue()) : "open";
}

/// Returns whether the iterations of `loop` are at most a size of some tensor: the number of
/// iterations is such a size, or the loop uses or carries a tensor with a dim of at least as many.
static bool hasDimOfIterations(scf::ForOp loop) {
  std::optional<int64_t> lower = getConstantIntValue(loop.getLowerBound());
  if (!lower || *lower < 0)
    return false;
  if (loop.getUpperBound().getDefiningOp<tensor::DimOp>())
    return true;
  OpFoldResult upper = getAsOpFoldResult(loop.getUpperBound());
  std::optional<int64_t> known = te::getConstantSize(upper);
  llvm::SetVector<Value> captures;
  te::collectCaptures(loop, captures);
  return llvm::any_of(captures, [&](Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type)
      return false;
    return llvm::any_of(llvm::seq<unsigned>(0, type.getRank()), [&](unsigned position) {
      OpFoldResult size = te::findSize(value, position);
      if (!size)
        return false;
      std::optional<int64_t> constant = te::getConstantSize(size);
      return (constant && known && *constant >= *known) || Linear::of(size) == Linear::of(upper);
    });
  });
}

std::string refs::findExcess(scf::ForOp loop, TypeRange types, ArrayRef<OpFoldResult> sizes) {
  uint64_t bytes = getBatchBytes(loop, types, sizes);
  if (bytes > maxBytes)
    return llvm::formatv("a tensor of all iterations takes {0} bytes, more than {1}", bytes,
                         maxBytes);
  bool isOpen = !loop.getStaticTripCount() || llvm::any_of(sizes, [](OpFoldResult size) {
    return !te::getConstantSize(size);
  });
  if (isOpen && !hasDimOfIterations(loop))
    return "the number of bytes is open, and no tensor has a dim of the loop's iterations";
  return "";
}

std::string refs::findExcess(scf::ForOp loop, te::ComputeOp compute) {
  SmallVector<OpFoldResult> sizes = compute.getParallelSizes();
  uint64_t written = getBytes(compute.getResultTypes(), sizes), read = getReadBytes(compute);
  if (written > llvm::SaturatingMultiply(read, maxGrowth))
    return llvm::formatv("an iteration writes {0} bytes, more than {1} times the {2} it reads",
                         written, maxGrowth, read);
  return findExcess(loop, compute.getResultTypes(), sizes);
}

std::string refs::findExcess(scf::ForOp loop, te::ComputeOp compute, TypeRange carried) {
  uint64_t bytes = getBatchBytes(loop, compute.getResultTypes(), compute.getParallelSizes());
  uint64_t limit = maxBytes;
  for (Type type : carried) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor)
      continue;
    if (!tensor.hasStaticShape())
      return "";
    SmallVector<OpFoldResult> sizes = getAsIndexOpFoldResult(type.getContext(), tensor.getShape());
    limit = std::max(limit, llvm::SaturatingMultiply(getBytes(type, sizes), maxGrowth));
  }
  if (bytes <= limit)
    return "";
  return llvm::formatv("a tensor of all iterations takes {0} bytes, more than {1}", bytes, limit);
}
