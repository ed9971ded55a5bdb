//===- Character.cpp - operations and elements of an expression -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/te/Analysis/Character.h"
#include "dialects/te/Analysis/FlopCount.h"
#include "dialects/te/Analysis/Image.h"
#include "dialects/te/IR/ElementBytes.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::te;

static bool isOpen(const Polynomial &polynomial) { return !polynomial.getConstant(); }

bool Character::isOpen() const {
  auto isOpenTraffic = [](const TensorTraffic &traffic) { return ::isOpen(traffic.elements); };
  return ::isOpen(points) || ::isOpen(operations) || llvm::any_of(reads, isOpenTraffic) ||
         llvm::any_of(writes, isOpenTraffic);
}

double Character::getRatio() const {
  double elements = 0;
  for (const TensorTraffic &traffic : llvm::concat<const TensorTraffic>(reads, writes))
    elements += assumeSizes(traffic.elements);
  return assumeSizes(operations) / std::max(elements, 1.0);
}

double Character::getReuse() const {
  double reuse = 1;
  for (const TensorTraffic &traffic : reads)
    reuse = std::max(reuse, traffic.reuse);
  return reuse;
}

bool Character::isComputeIntensive(CharacterRule rule) const {
  return getRatio() >= minRatio && (rule == CharacterRule::Paper || getReuse() >= minReuse);
}

/// Adds `more` distinct elements of the tensor of `traffic`.
static void addElements(TensorTraffic &traffic, const Image &more, SizeTable &sizes) {
  SmallVector<OpFoldResult> shape = findSizes(traffic.tensor);
  Polynomial sum = traffic.elements + more.count, all = sizes.getProduct(shape);
  if (traffic.elements == all)
    return;
  bool isOpen = llvm::is_contained(shape, OpFoldResult());
  traffic.isExact = more.isExact && more.count == all;
  traffic.elements = isOpen || assumeSizes(sum) < assumeSizes(all) ? sum : all;
}

/// Adds the elements of `access`. `isSeen` says whether an equal access was added before.
static void addAccess(SmallVectorImpl<TensorTraffic> &traffics, const TensorAccess &access,
                      bool isSeen, ArrayRef<OpFoldResult> domain, SizeTable &sizes) {
  Type element = cast<RankedTensorType>(access.tensor.getType()).getElementType();
  SmallVector<OpFoldResult> extents = getExtents(access, domain);
  Image image = countImage(access, extents, sizes);
  auto *found = llvm::find_if(
      traffics, [&](const TensorTraffic &traffic) { return traffic.tensor == access.tensor; });
  if (found == traffics.end()) {
    traffics.push_back({access.tensor, image.count, image.isExact, getElementBytes(element), 1});
    found = &traffics.back();
  } else if (!isSeen) {
    addElements(*found, image, sizes);
  }
  double points = assumeSizes(sizes.getProduct(extents));
  found->reuse = std::max(found->reuse, points / std::max(assumeSizes(image.count), 1.0));
}

static bool isSame(const TensorAccess &a, const TensorAccess &b) {
  return a.tensor == b.tensor && a.map == b.map && a.symbols == b.symbols && a.guard == b.guard &&
         a.point.region == b.point.region;
}

Character te::getCharacter(ExpressionOpInterface expression, SizeTable &sizes) {
  Character character;
  SmallVector<OpFoldResult> domain = expression.getIterationDomain();
  character.points = sizes.getProduct(domain);
  for (const FlopTerm &term : countFlops(expression)) {
    Polynomial points = sizes.getProduct(term.sizes);
    character.operations = character.operations + Polynomial(term.each) * points;
    character.transcendental = character.transcendental + Polynomial(term.transcendental) * points;
  }
  SmallVector<TensorAccess> reads = expression.getReads();
  for (auto [number, read] : llvm::enumerate(reads)) {
    bool isSeen = llvm::any_of(ArrayRef(reads).take_front(number),
                               [&, &read = read](auto &before) { return isSame(before, read); });
    addAccess(character.reads, read, isSeen, domain, sizes);
  }
  for (const TensorAccess &write : expression.getWrites())
    addAccess(character.writes, write, false, domain, sizes);
  return character;
}
