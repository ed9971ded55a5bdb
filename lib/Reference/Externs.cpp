//===- Externs.cpp - library routines of the evaluator --------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The routines of te.extern, implemented from their definitions in ONNX and independently of
/// lib/Externs, so that each implementation checks the other.
///
//===----------------------------------------------------------------------===//

#include "TensorOps.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

#include <cmath>
#include <numeric>

using namespace mlir;
namespace reference = ::tssa::reference;
using namespace ::tssa::reference;
using namespace mlir::tssa::te;
using llvm::Expected;

using Tensors = SmallVector<HostTensor>;

namespace {
/// One call: the op, for its attributes, and the input tensors.
struct Call {
  ExternOp op;
  ArrayRef<HostValue> inputs;

  ExternOp getOp() const { return op; } // its accessors are not const

  const HostTensor &tensor(unsigned i) const { return *inputs[i].tensor; }
  bool has(unsigned i) const { return i < inputs.size() && inputs[i].tensor; }
  llvm::Error error(const llvm::Twine &text) const { return makeError(op->getLoc(), text); }
};

/// The shape of a tensor as [outer, size of the axis, inner].
struct AxisView {
  int64_t outer = 1, size = 1, inner = 1;

  AxisView(ArrayRef<int64_t> shape, int64_t axis) {
    for (auto [dim, extent] : llvm::enumerate(shape))
      (static_cast<int64_t>(dim) < axis    ? outer
       : static_cast<int64_t>(dim) == axis ? size
                                           : inner) *= extent;
  }
  int64_t at(int64_t o, int64_t i, int64_t n) const { return (o * size + i) * inner + n; }
};
} // namespace

/// Whether `a` is less than `b`; NaN is greater than any number. An attribute of the op says
/// whether integers are unsigned.
static bool isLess(const Call &call, ElementKind kind, Scalar a, Scalar b) {
  if (isFloat(kind))
    return a.f < b.f || (std::isnan(b.f) && !std::isnan(a.f));
  if (call.getOp().getIsUnsigned())
    return static_cast<uint64_t>(a.i) < static_cast<uint64_t>(b.i);
  return a.i < b.i;
}

static Expected<Tensors> topK(const Call &call) {
  const HostTensor &source = call.tensor(0);
  int64_t axis = *call.getOp().getAxis();
  AxisView from(source.getShape(), axis);
  Scalar count = call.inputs[1].tensor ? call.tensor(1).get(0) : call.inputs[1].scalar;
  if (count.i < 0 || count.i > from.size)
    return call.error("expected k of at most " + llvm::Twine(from.size) + ", got " +
                      llvm::Twine(count.i));
  SmallVector<int64_t> shape(source.getShape());
  shape[axis] = count.i;
  AxisView to(shape, axis);
  Expected<HostTensor> values = HostTensor::create(source.getKind(), shape);
  Expected<HostTensor> indices = HostTensor::create(ElementKind::I64, shape);
  if (!values || !indices)
    return call.error(toString(joinErrors(values.takeError(), indices.takeError())));
  bool largest = call.getOp().getLargest();
  SmallVector<int64_t> order(from.size);
  for (int64_t o = 0; o < from.outer; ++o)
    for (int64_t n = 0; n < from.inner; ++n) {
      std::iota(order.begin(), order.end(), 0);
      llvm::sort(order, [&](int64_t a, int64_t b) {
        Scalar left = source.get(from.at(o, a, n)), right = source.get(from.at(o, b, n));
        if (!largest)
          std::swap(left, right);
        bool before = isLess(call, source.getKind(), right, left);
        bool after = isLess(call, source.getKind(), left, right);
        return before || (!after && a < b);
      });
      for (int64_t i = 0; i < count.i; ++i) {
        values->set(to.at(o, i, n), source.get(from.at(o, order[i], n)));
        indices->set(to.at(o, i, n), makeInt(order[i]));
      }
    }
  return Tensors{*values, *indices};
}

static Expected<Tensors> nonZero(const Call &call) {
  const HostTensor &source = call.tensor(0);
  SmallVector<int64_t> found;
  for (int64_t i = 0; i < source.getNumElements(); ++i) {
    Scalar element = source.get(i);
    if (isFloat(source.getKind()) ? element.f != 0 : element.i != 0)
      found.push_back(i);
  }
  int64_t rank = source.getRank(), count = found.size();
  Expected<HostTensor> result = HostTensor::create(ElementKind::I64, {rank, count});
  if (!result)
    return call.error(toString(result.takeError()));
  for (auto [column, position] : llvm::enumerate(found))
    for (int64_t dim = rank, rest = position; dim-- > 0; rest /= source.getShape()[dim])
      result->set(dim * count + column, makeInt(rest % source.getShape()[dim]));
  return Tensors{*result};
}

static Expected<Tensors> compress(const Call &call) {
  const HostTensor &source = call.tensor(0), &condition = call.tensor(1);
  SmallVector<int64_t> shape(source.getShape());
  if (!call.getOp().getAxis())
    shape = {source.getNumElements()};
  int64_t axis = call.getOp().getAxis().value_or(0);
  AxisView from(shape, axis);
  SmallVector<int64_t> kept;
  for (int64_t i = 0; i < std::min(from.size, condition.getNumElements()); ++i)
    if (condition.get(i).i)
      kept.push_back(i);
  shape[axis] = kept.size();
  AxisView to(shape, axis);
  Expected<HostTensor> result = HostTensor::create(source.getKind(), shape);
  if (!result)
    return call.error(toString(result.takeError()));
  for (int64_t o = 0; o < from.outer; ++o)
    for (auto [i, position] : llvm::enumerate(kept))
      for (int64_t n = 0; n < from.inner; ++n)
        result->set(to.at(o, i, n), source.get(from.at(o, position, n)));
  return Tensors{*result};
}

/// Compares slices `a` and `b` lexicographically: returns -1, 0 or 1 if `a` is less than, equal to
/// or greater than `b`.
static int compareSlices(const Call &call, const HostTensor &source, const AxisView &slices,
                         int64_t a, int64_t b) {
  for (int64_t o = 0; o < slices.outer; ++o)
    for (int64_t n = 0; n < slices.inner; ++n) {
      Scalar left = source.get(slices.at(o, a, n)), right = source.get(slices.at(o, b, n));
      if (isLess(call, source.getKind(), left, right))
        return -1;
      if (isLess(call, source.getKind(), right, left))
        return 1;
    }
  return 0;
}

static Expected<Tensors> unique(const Call &call) {
  const HostTensor &source = call.tensor(0);
  bool flat = !call.getOp().getAxis();
  SmallVector<int64_t> shape(source.getShape());
  if (flat)
    shape = {source.getNumElements()};
  int64_t axis = call.getOp().getAxis().value_or(0);
  AxisView from(shape, axis);
  auto compare = [&](int64_t a, int64_t b) { return compareSlices(call, source, from, a, b); };
  SmallVector<int64_t> firsts, inverse(from.size), counts;
  for (int64_t i = 0; i < from.size; ++i) {
    auto *same = llvm::find_if(firsts, [&](int64_t first) { return compare(first, i) == 0; });
    inverse[i] = same - firsts.begin();
    if (same == firsts.end()) {
      firsts.push_back(i);
      counts.push_back(0);
    }
    ++counts[inverse[i]];
  }
  SmallVector<int64_t> order(firsts.size()), rank(firsts.size());
  std::iota(order.begin(), order.end(), 0);
  if (call.getOp().getSorted())
    llvm::sort(order, [&](int64_t a, int64_t b) { return compare(firsts[a], firsts[b]) < 0; });
  for (auto [position, group] : llvm::enumerate(order))
    rank[group] = position;
  shape[axis] = firsts.size();
  AxisView to(shape, axis);
  int64_t numUnique = firsts.size();
  Expected<HostTensor> values = HostTensor::create(source.getKind(), shape);
  Expected<HostTensor> first = HostTensor::create(ElementKind::I64, {numUnique});
  Expected<HostTensor> where = HostTensor::create(ElementKind::I64, {from.size});
  Expected<HostTensor> count = HostTensor::create(ElementKind::I64, {numUnique});
  llvm::cantFail(joinErrors(joinErrors(values.takeError(), first.takeError()),
                            joinErrors(where.takeError(), count.takeError())));
  for (auto [position, group] : llvm::enumerate(order)) {
    first->set(position, makeInt(firsts[group]));
    count->set(position, makeInt(counts[group]));
    for (int64_t o = 0; o < from.outer; ++o)
      for (int64_t n = 0; n < from.inner; ++n)
        values->set(to.at(o, position, n), source.get(from.at(o, firsts[group], n)));
  }
  for (int64_t i = 0; i < from.size; ++i)
    where->set(i, makeInt(rank[inverse[i]]));
  return Tensors{*values, *first, *where, *count};
}

Expected<SmallVector<HostTensor>> reference::evaluateExtern(ExternOp op,
                                                            ArrayRef<HostValue> inputs) {
  using Routine = Expected<Tensors> (*)(const Call &);
  static const llvm::StringMap<Routine> routines = {
      {"topk", topK}, {"nonzero", nonZero}, {"compress", compress}, {"unique", unique}};
  auto routine = routines.find(op.getCallee());
  if (routine == routines.end())
    return makeError(op.getLoc(), "cannot evaluate routine '" + op.getCallee() + "'");
  return routine->second({op, inputs});
}

bool reference::isSizeKnownBefore(ExternOp op, unsigned index, unsigned numKnown,
                                  unsigned numResults) {
  if (numKnown == 0 || numKnown == numResults)
    return numKnown != 0;
  return op.getCallee() == "unique" && index == 2; // the inverse indices, one per element
}
