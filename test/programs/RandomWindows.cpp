//===- RandomWindows.cpp - windows that are written and read often --------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgramMaker.h"
#include "dialects/te/IR/Builders.h"

using namespace mlir;
using namespace mlir::tssa::te;
using namespace ::tssa::reference;

namespace {
/// A box of a tensor with constant bounds.
struct Window {
  SmallVector<int64_t> begin, count;
};
} // namespace

static bool hasConstantSizes(const LiveTensor &tensor) {
  return tensor.getRank() >= 1 && !tensor.element.isInteger(1) &&
         llvm::all_of(tensor.sizes, [](OpFoldResult size) { return isa<Attribute>(size); }) &&
         llvm::all_of(tensor.extents, [](int64_t extent) { return extent > 0; });
}

/// Writes a chain of windows, one after the other, with values of this or an older version of the
/// tensor at the same place or in another column. A loop or a branch of Python that writes
/// `x[..., 2:4] = f(x[..., 0:2])` gives such chains.
bool ProgramMaker::stepWriteWindows() {
  const LiveTensor *found = choose(hasConstantSizes);
  if (!found)
    return false;
  LiveTensor start = *found;
  double error = start.error;
  auto first = buildCompute(builder, loc, start.sizes, start.element, [&](OpBuilder &b, Location) {
    Value value = readIdentity(b, start);
    return SmallVector<Value>{apply(b, value, value, error)};
  });
  SmallVector<LiveTensor> versions(1, start);
  versions[0].value = first.getResult(0);
  unsigned last = start.getRank() - 1;
  for (unsigned links = 1 + random.below(4); links > 0; --links) {
    Window window;
    for (int64_t extent : start.extents) {
      bool isWhole = random.oneIn(2);
      window.begin.push_back(isWhole ? 0 : random.below(extent));
      int64_t rest = extent - window.begin.back();
      window.count.push_back(isWhole ? rest : 1 + random.below(rest));
    }
    int64_t column = random.below(start.extents[last] - window.count[last] + 1);
    LiveTensor source = versions[random.below(versions.size())];
    bool isOwn = random.oneIn(2);
    SmallVector<OpFoldResult> domain;
    SmallVector<AffineExpr> target, at;
    for (unsigned d = 0; d <= last; ++d) {
      target.push_back(dim(d) + window.begin[d]);
      at.push_back(d == last && !isOwn ? dim(d) + column : target.back());
      domain.push_back(builder.getIndexAttr(window.count[d]));
    }
    auto update = buildUpdate(builder, loc, versions.back().value, domain,
                              AffineMap::get(last + 1, 0, target, builder.getContext()), {},
                              IntegerSet(), [&](OpBuilder &b, Location) {
                                Value value = read(b, source, at);
                                return SmallVector<Value>{apply(b, value, value, error)};
                              });
    update.setInjective(true);
    versions.push_back(start);
    versions.back().value = update.getResult();
  }
  if (random.oneIn(3))
    addResult(versions[random.below(versions.size())].value, start, error);
  addResult(versions.back().value, start, error);
  return true;
}

/// Combines each column of a tensor with one column of it.
bool ProgramMaker::stepReadColumn() {
  const LiveTensor *found = choose(hasConstantSizes);
  if (!found)
    return false;
  LiveTensor source = *found;
  double error = source.error;
  unsigned last = source.getRank() - 1;
  int64_t column = random.below(source.extents[last]);
  auto made = buildCompute(builder, loc, source.sizes, source.element, [&](OpBuilder &b, Location) {
    Value value = readIdentity(b, source);
    return SmallVector<Value>{apply(b, value, value, error)};
  });
  source.value = made.getResult(0);
  auto op = buildCompute(builder, loc, source.sizes, source.element, [&](OpBuilder &b, Location) {
    SmallVector<AffineExpr> at;
    for (unsigned d = 0; d < last; ++d)
      at.push_back(dim(d));
    at.push_back(builder.getAffineConstantExpr(column));
    Value own = readIdentity(b, source), other = read(b, source, at);
    return SmallVector<Value>{apply(b, own, other, error)};
  });
  addResult(op.getResult(0), source, error);
  return true;
}
