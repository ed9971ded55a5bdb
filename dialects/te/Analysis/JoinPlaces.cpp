//===- JoinPlaces.cpp - where the parts of joined tensors lie -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/te/Analysis/JoinPlaces.h"
#include "dialects/te/IR/Sizes.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::te;

//===----------------------------------------------------------------------===//
// What may have a place in another tensor
//===----------------------------------------------------------------------===//

/// Returns whether the loops of `launch` address each element by its index, so that tensors may lie
/// in windows.
static bool takesWindows(LaunchOp launch, KernelLookup lookup) {
  KernelOp kernel = lookup(launch);
  return kernel && llvm::all_of(kernel.getBodyBlock().without_terminator(), [](Operation &op) {
           return isa<ComputeOp>(op) || !isa<ExpressionOpInterface>(op);
         });
}

/// Returns why `value` cannot lie in a larger tensor that differs from it along `axis` and is
/// defined in `block`, or an empty string if it can.
static StringRef findPlaceObstacle(Value value, unsigned axis, Block *block, KernelLookup lookup) {
  Operation *producer = value.getDefiningOp();
  if (!isa_and_nonnull<LaunchOp, JoinOp>(producer) || producer->getBlock() != block)
    return "a part is no result of a launch of the same block";
  if (auto launch = dyn_cast<LaunchOp>(producer); launch && !takesWindows(launch, lookup))
    return "the kernel of a part updates a tensor or scans it";
  for (Operation *user : value.getUsers()) {
    if (auto dim = dyn_cast<tensor::DimOp>(user)) {
      std::optional<int64_t> index = dim.getConstantIndex();
      if (index && *index != axis)
        continue;
    }
    if (isa<JoinOp>(user))
      continue;
    auto reader = dyn_cast<LaunchOp>(user);
    if (!reader)
      return "an op other than a launch uses a part";
    if (!takesWindows(reader, lookup))
      return "a reader of a part updates it or scans it";
  }
  return "";
}

/// Returns whether `value` passes from one iteration to the next, or out of a branch.
static bool leavesRegion(Value value) {
  return llvm::any_of(value.getUsers(), [](Operation *user) {
    return user->hasTrait<OpTrait::IsTerminator>() && !isa<func::ReturnOp>(user);
  });
}

/// Returns whether a size is a function of the sizes of the program's arguments.
static bool isKnownAtStart(OpFoldResult size) {
  auto value = dyn_cast_if_present<Value>(size);
  if (!value)
    return bool(size);
  Operation *op = value.getDefiningOp();
  if (!op || op->hasTrait<OpTrait::ConstantLike>())
    return bool(op);
  if (auto dim = dyn_cast<tensor::DimOp>(op)) {
    auto argument = dyn_cast<BlockArgument>(dim.getSource());
    return argument && dim.getConstantIndex() &&
           isa<func::FuncOp>(argument.getOwner()->getParentOp());
  }
  return op->getNumRegions() == 0 && op->getNumResults() == 1 && isPure(op) &&
         llvm::all_of(op->getOperands(), [](Value operand) {
           return !isa<ShapedType>(operand.getType()) && isKnownAtStart(operand);
         });
}

static bool isSizeKnownAtStart(Value tensor) {
  for (auto [dim, size] : llvm::enumerate(cast<RankedTensorType>(tensor.getType()).getShape()))
    if (ShapedType::isDynamic(size) && !isKnownAtStart(findSize(tensor, dim)))
      return false;
  return true;
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

/// Returns the number of elements of a tensor, with 1 for each dynamic size.
static double countElements(Value tensor) {
  double count = 1;
  for (int64_t size : cast<RankedTensorType>(tensor.getType()).getShape())
    count *= ShapedType::isDynamic(size) ? 1.0 : size; // in range: a double
  return count;
}

SmallVector<TensorJoin> te::sortJoins(ArrayRef<TensorJoin> joins) {
  SmallVector<std::pair<double, unsigned>> order; // in which equal ones stay
  for (auto [i, join] : llvm::enumerate(joins))
    order.push_back({-countElements(join.result), i});
  llvm::sort(order);
  return llvm::map_to_vector(order, [&](auto entry) { return joins[entry.second]; });
}

TensorPlace JoinPlaces::getPlace(Value value) const {
  TensorPlace place{value, {}};
  if (auto type = dyn_cast<RankedTensorType>(value.getType()))
    place.at.resize(type.getRank());
  for (auto found = places.find(place.whole); found != places.end();
       found = places.find(place.whole)) {
    for (auto [sum, begin] : llvm::zip_equal(place.at, found->second.at))
      sum += begin;
    place.whole = found->second.whole;
  }
  return place;
}

WindowAttr JoinPlaces::getWindow(Value value) const {
  TensorPlace place = getPlace(value);
  if (place.whole == value)
    return {};
  SmallVector<int64_t> sizes;
  for (auto [own, size] : llvm::zip_equal(cast<RankedTensorType>(value.getType()).getShape(),
                                          cast<RankedTensorType>(place.whole.getType()).getShape()))
    sizes.push_back(own == size ? -1 : size);
  Builder builder(value.getContext());
  return WindowAttr::get(value.getContext(), builder.getDenseI64ArrayAttr(sizes),
                         builder.getDenseI64ArrayAttr(place.at));
}

StringRef JoinPlaces::addSideBySide(const TensorJoin &join, KernelLookup lookup) {
  std::optional<TensorPlace> place;
  int64_t begin = 0;
  for (Value part : join.parts) {
    TensorPlace own = getPlace(part);
    own.at[join.axis] -= begin;
    begin += cast<RankedTensorType>(part.getType()).getDimSize(join.axis);
    if (place && (place->whole != own.whole || place->at != own.at))
      return "a part already lies in another concatenation";
    place = own;
  }
  StringRef obstacle = findPlaceObstacle(join.result, join.axis, join.getBlock(), lookup);
  if (obstacle.empty())
    places.insert({join.result, std::move(*place)});
  return obstacle;
}

StringRef JoinPlaces::add(const TensorJoin &join, KernelLookup lookup) {
  if (leavesRegion(join.result))
    return "its result leaves a region";
  if (!isSizeKnownAtStart(join.result))
    return "its size is not known when the program starts";
  unsigned numPlaced =
      llvm::count_if(join.parts, [&](Value part) { return places.contains(part); });
  if (numPlaced == join.parts.size())
    return addSideBySide(join, lookup);
  if (numPlaced != 0)
    return "a part already lies in another concatenation";
  llvm::SmallDenseSet<Value> seen;
  for (Value part : join.parts) {
    if (!seen.insert(part).second)
      return "a part occurs twice";
    StringRef obstacle = findPlaceObstacle(part, join.axis, join.getBlock(), lookup);
    if (!obstacle.empty())
      return obstacle;
  }
  SmallVector<int64_t> at(cast<RankedTensorType>(join.result.getType()).getRank());
  for (Value part : join.parts) {
    places.insert({part, {join.result, at}});
    at[join.axis] += cast<RankedTensorType>(part.getType()).getDimSize(join.axis);
  }
  return "";
}

FailureOr<JoinPlaces> JoinPlaces::get(func::FuncOp function, KernelLookup lookup) {
  SmallVector<TensorJoin> joins;
  function.walk([&](JoinOp op) {
    joins.push_back(
        {op.getResult(), llvm::to_vector(op.getParts()), static_cast<unsigned>(op.getAxis())});
  });
  JoinPlaces places;
  for (const TensorJoin &join : sortJoins(joins)) {
    StringRef obstacle = places.add(join, lookup);
    if (!obstacle.empty())
      return join.result.getDefiningOp()->emitOpError("has no memory: ") << obstacle;
  }
  return places;
}
