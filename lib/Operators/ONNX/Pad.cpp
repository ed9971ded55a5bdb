//===- Pad.cpp - Pad in all its modes -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Operators/Families.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "tssa/Builder/BodyScalar.h"
#include "tssa/Builder/Elements.h"
#include "tssa/Builder/Shapes.h"

using namespace mlir;

namespace tssa::operators {

namespace {
struct Pads {
  SmallVector<Size> begin, end;
};
} // namespace

/// Returns the pads of every dim.
static FailureOr<Pads> getPads(Builder &b, const Node &node) {
  int64_t rank = node.inputs[0].rank();
  SmallVector<Size> pads, axes;
  if (node.has("pads")) {
    SmallVector<int64_t> values = node.getInts("pads");
    pads.assign(values.begin(), values.end());
  } else {
    FailureOr<SmallVector<Size>> values = b.requireSizes(node.inputs[1], "pads");
    if (failed(values))
      return failure();
    pads = *values;
  }
  if (Tensor given = node.input(3)) {
    FailureOr<SmallVector<Size>> values = b.requireSizes(given, "axes");
    if (failed(values))
      return failure();
    axes = *values;
  } else {
    for (int64_t i = 0; i < rank; ++i)
      axes.push_back(i);
  }
  if (pads.size() != 2 * axes.size())
    return b.error("pads has " + Twine(pads.size()) + " elements, expected " +
                   Twine(2 * axes.size()));
  SmallVector<Size> zeros(rank, 0);
  ArrayRef<Size> all = pads;
  FailureOr<SmallVector<Size>> begin = spreadByAxes(b, axes, all.take_front(axes.size()), zeros);
  FailureOr<SmallVector<Size>> end = spreadByAxes(b, axes, all.drop_front(axes.size()), zeros);
  if (failed(begin) || failed(end))
    return failure();
  return Pads{*begin, *end};
}

/// Returns the value of the new elements, or null if the value is not known.
static TypedAttr getPadValue(Builder &b, const Node &node) {
  DType type = node.inputs[0].dtype();
  Type elementType = getElementType(b.context(), type);
  if (Tensor value = node.input(2)) {
    std::optional<SmallVector<Attribute>> elements;
    if (value.constant())
      elements = readAttributes(value.constant(), 1);
    return elements && elements->size() == 1 ? cast<TypedAttr>(elements->front()) : TypedAttr();
  }
  if (isa<FloatType>(elementType))
    return b.ops.getFloatAttr(elementType, node.getFloat("value", 0));
  return cast<TypedAttr>(b.ops.getZeroAttr(elementType));
}

static FailureOr<Tensor> padConstant(Builder &b, const Node &node, const Pads &pads,
                                     ArrayRef<Size> shape) {
  const Tensor &x = node.inputs[0];
  TypedAttr known = getPadValue(b, node);
  if (!known && !node.inputs[2].numElements().isConstant(1))
    return b.error("expected one element as pad value, got " + node.inputs[2].str());
  return b.compute(x.dtype(), shape, [&](Body &body) -> Value {
    SmallVector<AffineExpr> at, guard;
    for (auto [i, size] : llvm::enumerate(x.shape())) {
      AffineExpr index = body.dim(i) - body.size(pads.begin[i]);
      at.push_back(index);
      if (!pads.begin[i].isAtMost(0))
        guard.push_back(index);
      if (!pads.end[i].isAtMost(0))
        guard.push_back(body.size(size) - 1 - index);
    }
    if (known)
      return body.read(x, at, guard, known);
    auto zero = cast<TypedAttr>(body.ops.getZeroAttr(getElementType(b.context(), x.dtype())));
    Value element = body.read(x, at, guard, zero);
    SmallVector<AffineExpr> first(node.inputs[2].rank(), body.constantExpr(0));
    return arith::SelectOp::create(body.ops, body.loc, body.inside(guard), element,
                                   body.read(node.inputs[2], first));
  });
}

/// Maps `index`, which may be outside a dim of size `size`, to the index that is read instead. The
/// latter index is computed by selects, so the read is checked at run time.
static AffineExpr foldIndex(Body &body, StringRef mode, AffineExpr index, AffineExpr size) {
  auto select = [&](AffineExpr condition, AffineExpr ifTrue, AffineExpr ifFalse) {
    Value chosen = arith::SelectOp::create(body.ops, body.loc, body.inside(condition),
                                           body.index(ifTrue), body.index(ifFalse));
    return body.opaque(chosen);
  };
  if (mode == "edge")
    return select(index, select(size - 1 - index, index, size - 1), body.constantExpr(0));
  if (mode == "wrap") // a dim may have no elements when the program runs
    return index %
           (isa<AffineConstantExpr>(size) ? size : select(size - 1, size, body.constantExpr(1)));
  // Reflections repeat with this period. For a dim of one element, any period is right.
  AffineExpr period = select(size - 2, (size - 1) * 2, body.constantExpr(1));
  AffineExpr position = index % period;
  return select(size - 1 - position, position, period - position);
}

static FailureOr<Tensor> padByIndex(Builder &b, const Tensor &x, const Pads &pads,
                                    ArrayRef<Size> shape, StringRef mode) {
  return b.compute(x.dtype(), shape, [&](Body &body) {
    SmallVector<AffineExpr> at;
    for (auto [i, size] : llvm::enumerate(x.shape())) {
      AffineExpr index = body.dim(i) - body.size(pads.begin[i]), extent = body.size(size);
      bool isInside = pads.begin[i].isAtMost(0) && pads.end[i].isAtMost(0);
      if (isInside)
        at.push_back(index);
      else
        at.push_back(foldIndex(body, mode, index, extent));
    }
    return body.read(x, at);
  });
}

static FailureOr<Tensors> buildPad(Builder &b, const Node &node) {
  const Tensor &x = node.inputs[0];
  FailureOr<Pads> pads = getPads(b, node);
  if (failed(pads))
    return failure();
  SmallVector<Size> shape;
  for (auto [i, size] : llvm::enumerate(x.shape()))
    shape.push_back(size + pads->begin[i] + pads->end[i]);
  auto isZero = [](const Size &size) { return size.isConstant(0); };
  if (llvm::all_of(pads->begin, isZero) && llvm::all_of(pads->end, isZero))
    return Tensors{x};
  StringRef mode = node.getString("mode", "constant");
  if (mode == "constant")
    return single(padConstant(b, node, *pads, shape));
  if (mode != "reflect" && mode != "edge" && mode != "wrap")
    return b.error("mode '" + mode + "' is not one of constant, reflect, edge and wrap");
  for (auto [size, begin, end] : llvm::zip_equal(x.shape(), pads->begin, pads->end))
    if (size.isConstant(0) && !(isZero(begin) && isZero(end)))
      return b.error("mode '" + mode + "' cannot pad a dim without elements, got " + x.str());
  return single(padByIndex(b, x, *pads, shape, mode));
}

static std::optional<int64_t> padsLength(const NodeFacts &facts) {
  if (Tensor axes = facts.node.input(3)) {
    std::optional<int64_t> count = axes.numElements().constant();
    return count ? std::optional(2 * *count) : std::nullopt;
  }
  return 2 * facts.rank();
}

OperatorRows getPadRows() { return {{"Pad", Versions{2}, buildPad, List{1, padsLength}}}; }

} // namespace tssa::operators
