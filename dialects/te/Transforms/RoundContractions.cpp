//===- RoundContractions.cpp - round the factors of products -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// 1. A sum of products of two f32 elements is a contraction, if it has enough products and does
///    not multiply elements by themselves.
/// 2. Its factors are read from a rounded tensor. One that only rearranges another is made of the
///    other one, rounded, and one that concatenates constants of these. So there is one rounded
///    tensor for each tensor, shared by all readers.
/// 3. A constant is rounded here; another tensor by a te.compute, before its first reader.
/// 4. An element of 16 bits is extended before it is multiplied. A product of tf32 is marked.
///
//===----------------------------------------------------------------------===//

#include "dialects/te/Analysis/BodyFacts.h"
#include "dialects/te/IR/Builders.h"
#include "dialects/te/IR/Contraction.h"
#include "dialects/te/IR/Rounding.h"
#include "dialects/te/IR/Sizes.h"
#include "dialects/te/Transforms/Passes.h"
#include "dialects/te/Transforms/WeightCollector.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/Remarks.h"
#include "tssa/Runtime/Elements.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::tssa::te {
#define GEN_PASS_DEF_TEROUNDCONTRACTIONS
#include "dialects/te/Transforms/Passes.h.inc"
} // namespace mlir::tssa::te

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::te;
using ::tssa::Precision;

/// Sums of fewer products than this stay exact: they take no time that counts.
static constexpr double fewestProducts = 1 << 15;

//===----------------------------------------------------------------------===//
// What is rounded
//===----------------------------------------------------------------------===//

/// Returns the reads that are the factors of `product`, or null reads where a factor is no read.
static Contraction getFactors(Operation *product) {
  return {product->getOperand(0).getDefiningOp<ReadOp>(),
          product->getOperand(1).getDefiningOp<ReadOp>()};
}

static bool isSquare(const Contraction &factors) {
  ReadOp lhs = factors.lhs, rhs = factors.rhs;
  return lhs == rhs || (lhs.getSource() == rhs.getSource() && lhs.getMap() == rhs.getMap() &&
                        lhs.getSymbols() == rhs.getSymbols());
}

/// Returns whether the elements of `source` are those that `round` gives.
static bool isRounded(Value source) {
  auto compute = source.getDefiningOp<ComputeOp>();
  if (!compute)
    return false;
  if (compute.getPieces().size() == 1 && getFacts(compute).isRearrangement() &&
      !compute.getPieceBlock()->getOps<ReadOp>().empty())
    return isRounded((*compute.getPieceBlock()->getOps<ReadOp>().begin()).getSource());
  Type type = getElementTypeOrSelf(source.getType());
  Operation *yield = compute.getPieceBlock()->getTerminator();
  return isRounding(compute) && // to f32, of f64
         (!type.isF32() || isRoundToTF32(yield->getOperand(0).getDefiningOp()));
}

/// Returns why the factors of `products`, those that `op` sums, stay as they are; empty if they are
/// rounded.
static StringRef findObstacle(ComputeOp op, ArrayRef<Operation *> products) {
  for (Operation *product : products) {
    Contraction factors = getFactors(product);
    if (!factors.lhs || !factors.rhs)
      return "a factor is no element of a tensor";
    if (!factors.lhs.getValue().getType().isF32())
      return "its factors are not f32";
    if (isSquare(factors))
      return "it multiplies elements by themselves";
    if (isRounded(factors.lhs.getSource()) && isRounded(factors.rhs.getSource()))
      return "its factors are rounded";
  }
  if (getReuse(op.getIterationDomain(), {}) < fewestProducts)
    return "it has few products";
  return "";
}

//===----------------------------------------------------------------------===//
// Rounding
//===----------------------------------------------------------------------===//

namespace {
class Rounder {
public:
  Rounder(MLIRContext *context, Precision to) : builder(context), to(to) {
    if (to != Precision::TF32)
      narrow = to == Precision::F16 ? Type(builder.getF16Type()) : builder.getBF16Type();
  }

  void round(ReadOp read);

  unsigned numComputed = 0, numConstants = 0; ///< of the rounded tensors
  llvm::SetVector<Operation *> replaced;      ///< what a rounded tensor was made of

private:
  Value getRounded(Value tensor, ComputeOp reader);
  Value makeRounded(Value tensor, ComputeOp reader);
  /// Returns whether the elements of `tensor` are those of constants.
  bool rearrangesConstants(Value tensor);
  /// Returns the reads of `op`, one for each piece, if it only rearranges the elements of a tensor,
  /// or of several constants, and leaves none out of its indexes.
  SmallVector<ReadOp> findRearranged(ComputeOp op);
  Value rearrangeRounded(ComputeOp rearrangement, ComputeOp reader);
  Value foldConstant(ConstantOp constant);
  void retype(ReadOp read, Value source);
  void insertBefore(ComputeOp reader, Block *block);
  bool isLater(OpFoldResult size) const;
  Type getType(Type f32) const { return narrow ? narrow : f32; }

  IRRewriter builder;
  Precision to;
  Type narrow; ///< null for tf32
  llvm::DenseMap<Value, Value> rounded;
  llvm::DenseMap<Value, bool> ofConstants; ///< what rearrangesConstants gave
};
} // namespace

bool Rounder::rearrangesConstants(Value tensor) {
  auto compute = tensor.getDefiningOp<ComputeOp>();
  if (!compute)
    return tensor.getDefiningOp<ConstantOp>() != nullptr;
  if (auto known = ofConstants.find(tensor); known != ofConstants.end())
    return known->second;
  SmallVector<ReadOp> reads = findRearranged(compute);
  bool isOfConstants =
      reads.size() > 1 || (!reads.empty() && rearrangesConstants(reads.front().getSource()));
  return ofConstants[tensor] = isOfConstants;
}

SmallVector<ReadOp> Rounder::findRearranged(ComputeOp op) {
  if (op.hasReduction() || op.getNumResults() != 1 || !getFacts(op).isRearrangement())
    return {};
  SmallVector<ReadOp> reads;
  for (unsigned piece = 0; piece < op.getPieces().size(); ++piece) {
    auto read = op.getPieceBlock(piece)->getTerminator()->getOperand(0).getDefiningOp<ReadOp>();
    if (!read || read.getGuard() || hasOpaqueIndex(read) ||
        (op.getPieces().size() > 1 && !rearrangesConstants(read.getSource())))
      return {};
    reads.push_back(read);
  }
  return reads;
}

static FloatAttr roundPad(FloatAttr pad) {
  uint32_t bits = roundToTF32(llvm::bit_cast<uint32_t>(pad.getValue().convertToFloat()));
  return FloatAttr::get(pad.getType(), APFloat(llvm::bit_cast<float>(bits)));
}

/// Makes `read` read `source`, which has elements of the rounded type.
void Rounder::retype(ReadOp read, Value source) {
  builder.modifyOpInPlace(read, [&] {
    read.getSourceMutable().assign(source);
    read.getValue().setType(getElementTypeOrSelf(source.getType()));
    if (auto pad = dyn_cast_if_present<FloatAttr>(read.getPadAttr()))
      read.setPadAttr(narrow ? FloatAttr::get(narrow, pad.getValueAsDouble()) : roundPad(pad));
  });
}

/// Inserts in `block` before `reader`, or before the op around it. So what is inserted is also
/// before all later readers.
void Rounder::insertBefore(ComputeOp reader, Block *block) {
  builder.setInsertionPoint(block->findAncestorOpInBlock(*reader));
}

/// Returns whether `size` is defined behind the place where ops are inserted.
bool Rounder::isLater(OpFoldResult size) const {
  auto value = dyn_cast<Value>(size);
  Operation *op = value ? value.getDefiningOp() : nullptr;
  return op && op->getBlock() == builder.getInsertionBlock() &&
         !op->isBeforeInBlock(&*builder.getInsertionPoint());
}

Value Rounder::rearrangeRounded(ComputeOp rearrangement, ComputeOp reader) {
  SmallVector<Value> sources;
  for (ReadOp read : findRearranged(rearrangement))
    sources.push_back(getRounded(read.getSource(), reader));
  insertBefore(reader, rearrangement->getBlock());
  auto copy = cast<ComputeOp>(builder.clone(*rearrangement));
  Value result = copy.getResult(0);
  auto type = cast<RankedTensorType>(result.getType());
  result.setType(type.clone(getType(type.getElementType())));
  for (auto [piece, source] : llvm::enumerate(sources)) {
    Operation *yield = copy.getPieceBlock(piece)->getTerminator();
    retype(yield->getOperand(0).getDefiningOp<ReadOp>(), source);
  }
  return result;
}

Value Rounder::foldConstant(ConstantOp constant) {
  FailureOr<ConstantBytes> bytes = ConstantBytes::get(constant.getValue());
  if (failed(bytes))
    return {};
  auto type = cast<RankedTensorType>(constant.getType());
  size_t elementBytes = narrow ? sizeof(uint16_t) : sizeof(uint32_t);
  size_t count = bytes->getBytes().size() / sizeof(float);
  AsmResourceBlob blob = HeapAsmResourceBlob::allocate(count * elementBytes, 64);
  const char *from = bytes->getBytes().data();
  char *result = blob.getMutableData().data();
  for (size_t i = 0; i < count; ++i) {
    uint32_t element;
    std::memcpy(&element, from + i * sizeof(element), sizeof(element));
    auto value = llvm::bit_cast<float>(element);
    element = to == Precision::TF32  ? roundToTF32(element)
              : to == Precision::F16 ? ::tssa::runtime::floatToHalf(value)
                                     : ::tssa::runtime::floatToBFloat(value);
    std::memcpy(result + i * elementBytes, &element, elementBytes); // little-endian
  }
  builder.setInsertionPointAfter(constant);
  ++numConstants;
  return ConstantOp::create(
      builder, constant.getLoc(),
      makeConstant(type.clone(getType(type.getElementType())), "rounded", std::move(blob)));
}

Value Rounder::makeRounded(Value tensor, ComputeOp reader) {
  if (auto compute = tensor.getDefiningOp<ComputeOp>(); compute && !findRearranged(compute).empty())
    return rearrangeRounded(compute, reader);
  if (auto constant = tensor.getDefiningOp<ConstantOp>())
    if (Value folded = foldConstant(constant))
      return folded;
  Location loc = reader.getLoc();
  insertBefore(reader, tensor.getParentBlock());
  SmallVector<OpFoldResult> sizes = getSizes(builder, loc, tensor);
  for (auto [dim, size] : llvm::enumerate(sizes))
    if (isLater(size))
      size = tensor::DimOp::create(builder, loc, tensor, dim).getResult();
  Type type = getElementTypeOrSelf(tensor.getType());
  ++numComputed;
  ComputeOp op = buildCompute(builder, loc, sizes, getType(type),
                              [&](OpBuilder &b, Location at) -> SmallVector<Value> {
                                AffineMap map = b.getMultiDimIdentityMap(sizes.size());
                                Value value = ReadOp::create(b, at, tensor, map).getValue();
                                if (narrow)
                                  return {arith::TruncFOp::create(b, at, narrow, value)};
                                return {buildRoundToTF32(b, at, value)};
                              });
  return op.getResult(0);
}

/// Returns the tensor of the rounded elements of `tensor`. Its first reader is `reader`.
Value Rounder::getRounded(Value tensor, ComputeOp reader) {
  if (Value known = rounded.lookup(tensor))
    return known;
  Value made = makeRounded(tensor, reader);
  if (Operation *op = tensor.getDefiningOp())
    replaced.insert(op);
  return rounded[tensor] = made;
}

void Rounder::round(ReadOp read) {
  if (isRounded(read.getSource()))
    return;
  retype(read, getRounded(read.getSource(), cast<ComputeOp>(read->getParentOp())));
  if (!narrow)
    return;
  builder.setInsertionPointAfter(read);
  auto wide = arith::ExtFOp::create(builder, read.getLoc(), builder.getF32Type(), read.getValue());
  builder.replaceAllUsesExcept(read.getValue(), wide, wide);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct RoundContractions : te::impl::TERoundContractionsBase<RoundContractions> {
  using TERoundContractionsBase::TERoundContractionsBase;

  void runOnOperation() override {
    Rounder rounder(&getContext(), to);
    unsigned count = 0;
    llvm::MapVector<StringRef, unsigned> kept;
    SmallVector<ComputeOp> ops;
    getOperation().walk([&](ComputeOp op) { ops.push_back(op); });
    for (ComputeOp op : ops) {
      if (op.getPieces().size() != 1)
        continue;
      SmallVector<Operation *> products = findSummedProducts(op);
      if (products.empty())
        continue;
      StringRef obstacle = findObstacle(op, products);
      explain(op, obstacle);
      if (!obstacle.empty()) {
        ++kept[obstacle];
        continue;
      }
      for (Operation *product : products)
        for (Value factor : SmallVector<Value>(product->getOperands()))
          if (auto read = factor.getDefiningOp<ReadOp>(); read && read.getType().isF32())
            rounder.round(read);
      if (to == Precision::TF32)
        llvm::for_each(products, markTF32Product);
      ++count;
    }
    for (Operation *op : llvm::reverse(rounder.replaced))
      if (isOpTriviallyDead(op))
        op->erase();
    numRounded += count;
    numTensors += rounder.numComputed;
    numConstants += rounder.numConstants;
    summarize(count, rounder, kept);
  }

private:
  static remark::RemarkOpts getOptions(StringRef name) {
    return remark::RemarkOpts::name(name).category("te-round-contractions");
  }

  static void explain(ComputeOp op, StringRef obstacle) {
    double count = getReuse(op.getIterationDomain(), {});
    std::string products = llvm::formatv("{0:F0}", count);
    if (obstacle.empty())
      remark::passed(op.getLoc(), getOptions("rounded")) << remark::metric("Products", products);
    else
      remark::missed(op.getLoc(), getOptions("rounded"))
          << remark::reason("{0}", obstacle) << remark::metric("Products", products);
  }

  /// Emits a remark with the numbers of the function.
  void summarize(unsigned count, const Rounder &rounder,
                 const llvm::MapVector<StringRef, unsigned> &kept) {
    auto remark = remark::analysis(getOperation().getLoc(), getOptions("contractions"));
    if (!remark)
      return;
    remark << remark::metric("Rounded", count) << remark::metric("Tensors", rounder.numComputed)
           << remark::metric("Constants", rounder.numConstants);
    for (auto [obstacle, number] : kept)
      remark << remark::add("{0} kept: {1}", number, obstacle);
  }
};
} // namespace
