//===- SinkProducts.cpp - products of all iterations after the loop -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A product can wait for the end of the loop under these conditions:
///
///   1. Its only use is an assign to a carried tensor, and the loop has no other use of that
///   tensor.
///      The assign selects an index that is a sum with the induction variable, so no iteration
///      writes what another one has written.
///   2. It reads one tensor that depends on what the loop carries, its operand, of the same sizes
///   in
///      each iteration. Everything else that it needs can be batched (LoopSlice).
///   3. The operands of all iterations fit the limits (BatchLimits).
///
/// The loop then carries a further tensor, to which each iteration assigns the operand.
///
//===----------------------------------------------------------------------===//

#include "dialects/tssa/Transforms/SinkProducts.h"
#include "dialects/te/IR/Sizes.h"
#include "dialects/tssa/Analysis/Shapes.h"
#include "dialects/tssa/Transforms/BatchLimits.h"
#include "dialects/tssa/Transforms/LoopBatch.h"
#include "dialects/tssa/Transforms/LoopForm.h"
#include "dialects/tssa/Transforms/LoopSlice.h"
#include "dialects/tssa/Transforms/ViewMap.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::refs;

namespace {
/// A product that can wait for the end of its loop.
struct Product {
  te::ComputeOp compute;
  AssignOp assign;
  /// The carried tensor that the product is assigned to.
  BlockArgument target;
  /// The operand that depends on what the loop carries, and its sizes.
  Value operand;
  SmallVector<OpFoldResult> sizes;
};
} // namespace

/// Returns whether `assign` selects an index of its base that differs in each iteration.
static bool selectsIteration(scf::ForOp loop, AssignOp assign) {
  Path path = assign.getBoundPath();
  if (path.empty() || !isa<SelectAttr>(path.front().step))
    return false;
  auto index = dyn_cast<Value>(path.front().integers.back());
  return index && isAffine(loop, index) && Linear::of(index).getFactor(loop.getInductionVar()) != 0;
}

/// Finds the assign that is the only use of `compute` and the only write of its target.
static bool findAssign(scf::ForOp loop, Product &product) {
  if (!product.compute->hasOneUse())
    return false;
  product.assign = dyn_cast<AssignOp>(*product.compute->getUsers().begin());
  if (!product.assign || product.assign->getBlock() != loop.getBody())
    return false;
  product.target = dyn_cast<BlockArgument>(product.assign.getBase());
  return product.target && product.target.getOwner() == loop.getBody() &&
         product.target.hasOneUse() && product.assign->hasOneUse() &&
         loop.getTiedLoopYieldedValue(product.target)->get() == product.assign.getResult() &&
         selectsIteration(loop, product.assign);
}

/// Finds the operand of the product: the only tensor it reads that depends on what the loop
/// carries.
static bool findOperand(scf::ForOp loop, Product &product) {
  product.compute.walk([&](te::ReadOp read) {
    Value source = read.getSource();
    Operation *op = source.getDefiningOp();
    if (loop.isDefinedOutsideOfLoop(source) || source == product.operand ||
        (op && LoopSlice(loop, op).getObstacle().empty()))
      return WalkResult::advance();
    bool isFirst = !product.operand;
    product.operand = isFirst ? source : Value();
    return isFirst ? WalkResult::advance() : WalkResult::interrupt();
  });
  return product.operand != nullptr;
}

/// Returns the sizes of `tensor`; those that no value holds are null.
static SmallVector<OpFoldResult> findSizes(Value tensor) {
  Value origin = getShapeOrigin(tensor);
  if (auto access = origin.getDefiningOp<AccessOp>())
    return reifyShape(access.getBoundPath(), findSizes(access.getBase()));
  SmallVector<OpFoldResult> sizes;
  for (auto [dim, known] : llvm::enumerate(cast<RankedTensorType>(tensor.getType()).getShape()))
    sizes.push_back(ShapedType::isDynamic(known)
                        ? te::findSize(origin, dim)
                        : OpFoldResult(Builder(tensor.getContext()).getIndexAttr(known)));
  return sizes;
}

/// Finds the sizes of the operand. They must be known before the loop.
static bool findSizes(scf::ForOp loop, Product &product) {
  product.sizes = findSizes(product.operand);
  return llvm::all_of(product.sizes, [&](OpFoldResult size) {
    auto value = dyn_cast_if_present<Value>(size);
    return size && (!value || loop.isDefinedOutsideOfLoop(value));
  });
}

/// Builds a tensor without contents for the operands of all iterations.
static Value makeStorage(OpBuilder &builder, Location loc, const Product &product, Value count) {
  auto type = cast<RankedTensorType>(product.operand.getType());
  SmallVector<int64_t> shape(type.getShape());
  SmallVector<Value> dynamicSizes;
  std::optional<int64_t> known = getConstantIntValue(count);
  shape.insert(shape.begin(), known.value_or(ShapedType::kDynamic));
  if (!known)
    dynamicSizes.push_back(count);
  for (auto [dim, size] : llvm::enumerate(product.sizes))
    if (type.isDynamicDim(dim))
      dynamicSizes.push_back(getValueOrCreateConstantIndexOp(builder, loc, size));
  return tensor::EmptyOp::create(builder, loc, RankedTensorType::get(shape, type.getElementType()),
                                 dynamicSizes);
}

/// Makes `loop` carry the operands of all iterations. Returns the number of the new result.
static unsigned storeOperand(scf::ForOp &loop, Product &product, Value storage) {
  IRRewriter rewriter(loop.getContext());
  rewriter.setInsertionPoint(loop);
  AssignOp stored;
  auto assign = [&](OpBuilder &builder, Location loc, ArrayRef<BlockArgument> arguments) {
    Path path{makeSelect(builder.getContext(), 0, makeIterationNumber(builder, loop))};
    stored = AssignOp::create(builder, loc, product.operand, arguments.front(), path);
    return SmallVector<Value>{stored.getResult()};
  };
  loop =
      cast<scf::ForOp>(*loop.replaceWithAdditionalYields(
                                rewriter, storage, /*replaceInitOperandUsesInLoop=*/false, assign)
                            ->getOperation());
  product.operand = stored.getSource();
  product.target = cast<BlockArgument>(product.assign.getBase());
  return loop.getNumResults() - 1;
}

/// Moves `product` behind `loop`.
static void sink(scf::ForOp &loop, Product product) {
  Location loc = product.compute.getLoc();
  OpBuilder builder(loop);
  Value count = makeTripCount(builder, loop);
  unsigned stored = storeOperand(loop, product, makeStorage(builder, loc, product, count));
  lowerAccesses(LoopSlice(loop, product.compute, product.operand));
  OpBuilder inside(product.assign);
  te::UpdateOp update = lowerAssign(inside, product.assign);
  product.assign.erase();
  prepareForBatch(loop); // moves the sizes of the update out of the loop
  LoopSlice slice(loop, product.compute, product.operand);
  builder.setInsertionPointAfter(loop);
  LoopBatch batch(builder, loop, count);
  batch.setBatched(product.operand, loop.getResult(stored));
  batchSlice(builder, slice, batch);
  batch.setUniform(product.target, loop.getTiedLoopInit(product.target)->get());
  batch.batchInPlace(update);
  loop.getTiedLoopResult(product.target).replaceAllUsesWith(batch.getUniform(update.getResult()));
  update.replaceAllUsesWith(Value(product.target));
  update.erase();
  slice.eraseUnused();
}

/// Returns the product that `compute` is, if it is one that the loop only stores. If it stays in
/// the loop nevertheless, `obstacle` says why.
static std::optional<Product> findProduct(scf::ForOp loop, te::ComputeOp compute, bool force,
                                          std::string &obstacle) {
  Product product;
  product.compute = compute;
  if (!compute.hasReduction() || compute.getNumResults() != 1 || !findAssign(loop, product) ||
      !findOperand(loop, product))
    return std::nullopt;
  LoopSlice slice(loop, compute, product.operand);
  if (!force && !reusesTensor(slice, compute))
    return std::nullopt;
  OpBuilder builder(loop);
  if (!findSizes(loop, product))
    obstacle = "the sizes of its operand are not known before the loop";
  else if (!LoopBatch(builder, loop, Value()).canBatch(product.assign))
    obstacle = "its assign cannot be done for all iterations at once";
  else if (!slice.getObstacle().empty())
    obstacle = slice.getObstacle().str();
  else if (!force)
    obstacle = findExcess(loop, product.operand.getType(), product.sizes);
  return product;
}

unsigned refs::sinkProducts(scf::ForOp &loop, StringRef category, bool force) {
  unsigned numSunk = 0;
  SmallVector<te::ComputeOp> computes(loop.getBody()->getOps<te::ComputeOp>());
  for (te::ComputeOp compute : computes) {
    std::string obstacle;
    std::optional<Product> product = findProduct(loop, compute, force, obstacle);
    if (!product)
      continue;
    auto options = remark::RemarkOpts::name("stored-product").category(category);
    if (!obstacle.empty()) {
      remark::missed(compute.getLoc(), options)
          << remark::add("stays in the loop") << remark::reason("{0}", obstacle);
      continue;
    }
    remark::passed(compute.getLoc(), options)
        << remark::add("computed for all iterations, after the loop")
        << remark::metric("Iterations", describeIterations(loop))
        << remark::metric("Bytes", getBatchBytes(loop, product->operand.getType(), product->sizes));
    sink(loop, *product);
    ++numSunk;
  }
  return numSunk;
}
