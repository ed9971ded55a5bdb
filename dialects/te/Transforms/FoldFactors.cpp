//===- FoldFactors.cpp - multiplies weights by the factor of their sum -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// `(sum(x * w) + b) * f` equals `sum(x * (w * f)) + b * f`. If w, b and f are constants, as in a
/// convolution followed by a batch normalisation, the products `w * f` and `b * f` are computed
/// here.
///
//===----------------------------------------------------------------------===//

#include "dialects/te/IR/Builders.h"
#include "dialects/te/IR/Rounding.h"
#include "dialects/te/IR/TEOps.h"
#include "dialects/te/Transforms/Passes.h"
#include "dialects/te/Transforms/WeightCollector.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Remarks.h"

#include <cmath>

namespace mlir::tssa::te {
#define GEN_PASS_DEF_TEFOLDFACTORS
#include "dialects/te/Transforms/Passes.h.inc"
} // namespace mlir::tssa::te

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::te;

namespace {
/// `(sum + bias) * factor` at the start of an epilogue.
struct ScaledSum {
  ReadOp weight;         ///< a factor of each term of the sum
  arith::AddFOp biased;  ///< the sum plus the bias; null if there is no bias
  ReadOp bias;           ///< null if there is no bias
  arith::MulFOp product; ///< the multiplication by `factor`
  Value factor;          ///< a constant, or a read of a constant
};
} // namespace

/// Returns the read that defines `value` if it reads an f32 or f64 constant at plain dims, or null.
static ReadOp matchConstantRead(Value value) {
  auto read = value.getDefiningOp<ReadOp>();
  if (!read || !read.getSource().getDefiningOp<ConstantOp>() || read.getGuard() ||
      !read.getSymbols().empty() || !isa<Float32Type, Float64Type>(value.getType()))
    return {};
  bool isPlain = llvm::all_of(read.getMap().getResults(),
                              [](AffineExpr expr) { return isa<AffineDimExpr>(expr); });
  return isPlain ? read : ReadOp();
}

/// Returns the only user of `value` if it is an `Op`, and sets `other` to the other operand of the
/// user. Returns null otherwise.
template <typename Op> static Op matchOnlyUse(Value value, Value &other) {
  auto op = value.hasOneUse() ? dyn_cast<Op>(*value.user_begin()) : Op();
  if (op)
    other = op.getLhs() == value ? op.getRhs() : op.getLhs();
  return op;
}

/// If each term of a sum has a read of a constant as a factor, and nothing else reads the constant,
/// returns the read; otherwise null.
static ReadOp matchWeight(ComputeOp compute) {
  Block &body = *compute.getPieceBlock();
  auto term = body.getTerminator()->getOperand(0).getDefiningOp<arith::MulFOp>();
  // The weights would not keep the values of tf32.
  if (!term || !term->hasOneUse() || isTF32Product(term))
    return {};
  for (Value factor : term->getOperands())
    if (ReadOp read = matchConstantRead(factor);
        read && read->hasOneUse() && read.getSource().hasOneUse())
      return read;
  return {};
}

static std::optional<ScaledSum> match(ComputeOp compute) {
  if (!compute.hasReduction() || !compute.hasEpilogue() || compute.getNumResults() != 1 ||
      compute.getPieces().size() != 1 || matchCombiner(compute.getCombiner()) != Combiner::Add ||
      !matchPattern((*compute.getInit())[0], m_AnyZeroFloat()))
    return std::nullopt;
  ScaledSum sum;
  sum.weight = matchWeight(compute);
  if (!sum.weight)
    return std::nullopt;
  Value value = compute.getEpilogue().getArgument(0), other;
  if ((sum.biased = matchOnlyUse<arith::AddFOp>(value, other))) {
    sum.bias = matchConstantRead(other);
    if (!sum.bias || !sum.bias->hasOneUse())
      return std::nullopt;
    value = sum.biased;
  }
  sum.product = matchOnlyUse<arith::MulFOp>(value, sum.factor);
  bool isKnown =
      sum.product && (matchConstantRead(sum.factor) || matchPattern(sum.factor, m_Constant()));
  return isKnown ? std::optional(sum) : std::nullopt;
}

//===----------------------------------------------------------------------===//
// Products of constants
//===----------------------------------------------------------------------===//

namespace {
/// The factors by which the elements of a constant are multiplied. Either all elements have the
/// same factor, or the factors are the elements of another constant. Some dims of the first
/// constant then index the second.
class Factor {
public:
  /// Returns the factors of the elements that `of` reads, given that `value` is the factor at each
  /// point. Returns nothing if an element would have several factors.
  static std::optional<Factor> get(Value value, ReadOp of) {
    Factor factor;
    FloatAttr number;
    if (matchPattern(value, m_Constant(&number))) {
      factor.number = number.getValueAsDouble();
      return factor;
    }
    auto read = value.getDefiningOp<ReadOp>();
    FailureOr<ConstantBytes> bytes =
        ConstantBytes::get(read.getSource().getDefiningOp<ConstantOp>().getValue());
    if (failed(bytes))
      return std::nullopt;
    factor.bytes = *bytes;
    ArrayRef<AffineExpr> indexes = of.getMap().getResults();
    factor.strides.assign(indexes.size(), 0);
    for (auto [dim, stride] : llvm::zip_equal(read.getMap().getResults(),
                                              computeStrides(read.getSourceType().getShape()))) {
      const auto *found = llvm::find(indexes, dim);
      if (found == indexes.end())
        return std::nullopt;
      factor.strides[found - indexes.begin()] += stride;
    }
    return factor;
  }

  template <typename Float> Float at(ArrayRef<int64_t> point) const {
    if (!bytes)
      return static_cast<Float>(number);
    int64_t offset = 0;
    for (auto [index, stride] : llvm::zip_equal(point, strides))
      offset += index * stride;
    return reinterpret_cast<const Float *>(bytes->getBytes().data())[offset];
  }

private:
  double number = 0;
  std::optional<ConstantBytes> bytes;
  SmallVector<int64_t> strides; ///< in `bytes`, for each dim of the constant that is scaled
};
} // namespace

/// Writes the elements of `from` times their factors to `into`. Returns false if a product is not
/// finite.
template <typename Float>
static bool multiply(ArrayRef<char> from, ArrayRef<int64_t> shape, const Factor &factor,
                     MutableArrayRef<char> into) {
  const auto *elements = reinterpret_cast<const Float *>(from.data());
  auto *products = reinterpret_cast<Float *>(into.data());
  SmallVector<int64_t> point(shape.size(), 0);
  for (size_t i = 0; i < into.size() / sizeof(Float); ++i) {
    products[i] = elements[i] * factor.at<Float>(point);
    if (!std::isfinite(products[i]))
      return false;
    for (size_t dim = shape.size(); dim-- > 0;) {
      if (++point[dim] < shape[dim])
        break;
      point[dim] = 0;
    }
  }
  return true;
}

/// Returns the constant that `read` reads, multiplied by `by`. Returns null if its bytes are not
/// available, an element has several factors, or a product is not finite.
static ElementsAttr scale(ReadOp read, Value by) {
  RankedTensorType type = read.getSourceType();
  FailureOr<ConstantBytes> bytes =
      ConstantBytes::get(read.getSource().getDefiningOp<ConstantOp>().getValue());
  std::optional<Factor> factor = Factor::get(by, read);
  if (failed(bytes) || !factor)
    return {};
  AsmResourceBlob blob = HeapAsmResourceBlob::allocate(bytes->getBytes().size(), 64);
  bool isDone =
      type.getElementType().isF64()
          ? multiply<double>(bytes->getBytes(), type.getShape(), *factor, blob.getMutableData())
          : multiply<float>(bytes->getBytes(), type.getShape(), *factor, blob.getMutableData());
  return isDone ? DenseResourceElementsAttr::get(type, "scaled", std::move(blob)) : ElementsAttr();
}

namespace {
struct FoldFactors : te::impl::TEFoldFactorsBase<FoldFactors> {
  void runOnOperation() override {
    SmallVector<std::pair<ComputeOp, ScaledSum>> sums;
    getOperation().walk([&](ComputeOp compute) {
      if (std::optional<ScaledSum> sum = match(compute))
        sums.emplace_back(compute, *sum);
    });
    for (auto &[compute, sum] : sums) {
      int64_t elements = sum.weight.getSourceType().getNumElements();
      auto options = remark::RemarkOpts::name("factor").category(getArgument());
      if (fold(compute, sum)) {
        ++numFolded;
        remark::passed(compute.getLoc(), options)
            << remark::add("the weights are multiplied by the factor of their sum")
            << remark::metric("Elements", elements);
        continue;
      }
      remark::missed(compute.getLoc(), options)
          << remark::reason("a product is not finite, or an element has several factors")
          << remark::metric("Elements", elements);
    }
  }

private:
  static bool fold(ComputeOp compute, const ScaledSum &sum) {
    ElementsAttr weight = scale(sum.weight, sum.factor);
    ElementsAttr bias = weight && sum.bias ? scale(sum.bias, sum.factor) : ElementsAttr();
    if (!weight || (sum.bias && !bias))
      return false;
    replace(compute, sum.weight, weight);
    if (sum.bias)
      replace(compute, sum.bias, bias);
    arith::MulFOp product = sum.product;
    product.replaceAllUsesWith(sum.biased ? Value(arith::AddFOp(sum.biased).getResult())
                                          : compute.getEpilogue().getArgument(0));
    product.erase();
    if (auto read = sum.factor.getDefiningOp<ReadOp>(); read && read->use_empty())
      erase(read);
    // An epilogue that only yields the sum is erased.
    if (Block &epilogue = compute.getEpilogue().front();
        epilogue.getTerminator()->getOperand(0) == epilogue.getArgument(0))
      epilogue.erase();
    return true;
  }

  static void replace(ComputeOp compute, ReadOp read, ElementsAttr elements) {
    OpBuilder builder(compute);
    Value old = read.getSource();
    read.getSourceMutable().assign(ConstantOp::create(builder, old.getLoc(), elements));
    if (old.use_empty())
      old.getDefiningOp()->erase();
  }

  static void erase(ReadOp read) {
    Operation *source = read.getSource().getDefiningOp();
    read.erase();
    if (source->use_empty())
      source->erase();
  }
};
} // namespace
