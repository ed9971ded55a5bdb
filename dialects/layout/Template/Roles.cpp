//===- Roles.cpp - what the dims of an expression are for -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/layout/Template/Roles.h"
#include "dialects/te/IR/AssumedSize.h"
#include "dialects/te/IR/Contraction.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::layout;

StringRef layout::getName(Role role) {
  switch (role) {
  case Role::Batch:
    return "batch";
  case Role::Image:
    return "image";
  case Role::Out:
    return "out";
  case Role::Group:
    return "group";
  case Role::In:
    return "in";
  case Role::Window:
    return "window";
  }
  llvm_unreachable("no such role");
}

StringRef layout::getName(Kind kind) {
  switch (kind) {
  case Kind::Elements:
    return "elements";
  case Kind::Reduction:
    return "reduction";
  case Kind::Pool:
    return "pool";
  case Kind::Product:
    return "product";
  case Kind::BatchedProduct:
    return "batched product";
  case Kind::Convolution:
    return "convolution";
  case Kind::GroupedConvolution:
    return "grouped convolution";
  case Kind::DepthwiseConvolution:
    return "depthwise convolution";
  }
  llvm_unreachable("no such kind");
}

SmallVector<unsigned> Roles::getDims(Role role) const {
  SmallVector<unsigned> found;
  for (auto [dim, candidate] : llvm::enumerate(dims))
    if (candidate.role == role)
      found.push_back(dim);
  return found;
}

static bool dependOn(ArrayRef<te::ReadOp> reads, unsigned dim) {
  return llvm::any_of(reads, [&](te::ReadOp read) { return te::dependsOn(read, dim); });
}

/// Returns whether an index of one of `reads` depends on `dim`, a reduction dim of `op`, and on a
/// parallel dim on which the other factor does not depend.
static bool isWindow(te::ComputeOp op, ArrayRef<te::ReadOp> reads, ArrayRef<te::ReadOp> others,
                     unsigned dim) {
  auto mixes = [&](AffineExpr expr) {
    return expr.isFunctionOfDim(dim) &&
           llvm::any_of(llvm::seq<unsigned>(0, op.getNumParallel()), [&](unsigned other) {
             return expr.isFunctionOfDim(other) && !dependOn(others, other);
           });
  };
  return llvm::any_of(
      reads, [&](te::ReadOp read) { return llvm::any_of(read.getMap().getResults(), mixes); });
}

static bool hasWindow(te::ComputeOp op, ArrayRef<te::ReadOp> reads, ArrayRef<te::ReadOp> others) {
  return llvm::any_of(llvm::seq<unsigned>(op.getNumParallel(), op.getNumDims()),
                      [&](unsigned dim) { return isWindow(op, reads, others, dim); });
}

/// Finds the factors of a sum of products. Returns whether `op` is one.
static bool findFactors(te::ComputeOp op, Roles &roles) {
  std::optional<te::FactorReads> factors = te::findFactorReads(op);
  if (!factors || factors->first.empty() || factors->second.empty() ||
      llvm::any_of(factors->first,
                   [&](te::ReadOp read) { return llvm::is_contained(factors->second, read); }))
    return false;
  roles.data = factors->first;
  roles.weights = factors->second;
  if (!hasWindow(op, roles.data, roles.weights) && hasWindow(op, roles.weights, roles.data))
    std::swap(roles.data, roles.weights);
  return true;
}

/// Returns the number of adjacent iterations of `dim` for which `expr` is the same, as far as
/// divisions of `dim` itself show it.
static int64_t getRun(AffineExpr expr, unsigned dim) {
  if (!expr.isFunctionOfDim(dim))
    return 0;
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return 1;
  auto divisor = dyn_cast<AffineConstantExpr>(binary.getRHS());
  if (binary.getKind() == AffineExprKind::FloorDiv && divisor && divisor.getValue() > 0 &&
      binary.getLHS() == getAffineDimExpr(dim, expr.getContext()))
    return divisor.getValue();
  return std::gcd(getRun(binary.getLHS(), dim), getRun(binary.getRHS(), dim));
}

static int64_t getRun(ArrayRef<te::ReadOp> reads, unsigned dim) {
  int64_t run = 0;
  for (te::ReadOp read : reads)
    for (AffineExpr expr : read.getMap().getResults())
      run = std::gcd(run, getRun(expr, dim));
  return std::max<int64_t>(run, 1);
}

/// Returns whether dim 0 is a batch: there are at least three parallel dims, and another one of
/// them is a position in the data only.
static bool hasBatch(te::ComputeOp op, const Roles &roles) {
  return op.getNumParallel() > 2 &&
         llvm::any_of(llvm::seq<unsigned>(1, op.getNumParallel()), [&](unsigned dim) {
           return op.getStaticSizes()[dim] != 1 && !dependOn(roles.weights, dim);
         });
}

static DimRole getRole(te::ComputeOp op, const Roles &roles, unsigned dim) {
  if (dim >= op.getNumParallel())
    return {isWindow(op, roles.data, roles.weights, dim) ? Role::Window : Role::In};
  bool inData = dependOn(roles.data, dim), inWeights = dependOn(roles.weights, dim);
  if (inData && inWeights)
    return {Role::Group, getRun(roles.data, dim)};
  if (inWeights)
    return {Role::Out};
  return {dim == 0 && hasBatch(op, roles) ? Role::Batch : Role::Image};
}

static Kind getKind(te::ComputeOp op, const Roles &roles) {
  auto has = [&](Role role) {
    return llvm::any_of(roles.getDims(role),
                        [&](unsigned dim) { return op.getStaticSizes()[dim] != 1; });
  };
  if (roles.weights.empty())
    return !op.hasReduction() ? Kind::Elements : has(Role::Window) ? Kind::Pool : Kind::Reduction;
  if (!has(Role::Group))
    return has(Role::Window) ? Kind::Convolution : Kind::Product;
  if (has(Role::Window) && !has(Role::In))
    return Kind::DepthwiseConvolution;
  bool shared = llvm::any_of(roles.dims, [](DimRole dim) { return dim.run > 1; });
  return shared || has(Role::Window) ? Kind::GroupedConvolution : Kind::BatchedProduct;
}

Roles layout::getRoles(te::ComputeOp op) {
  Roles roles;
  if (!findFactors(op, roles))
    for (Region &piece : op.getPieces())
      piece.walk([&](te::ReadOp read) { roles.data.push_back(read); });
  for (unsigned dim = 0; dim < op.getNumDims(); ++dim)
    roles.dims.push_back(getRole(op, roles, dim));
  roles.kind = getKind(op, roles);
  return roles;
}

int64_t layout::countSums(te::ComputeOp op, const Roles &roles) {
  return roles.weights.empty() ? 1 : op.getInitAttr().size();
}

int64_t layout::getExtent(te::ComputeOp op, const Roles &roles, unsigned dim) {
  bool isBatch = roles[dim] == Role::Batch;
  int64_t size =
      te::assumeSize(op.getStaticSizes()[dim], isBatch ? te::SizeRole::Batch : te::SizeRole::Any);
  return std::clamp<int64_t>(size, 1, mostExtent);
}

raw_ostream &layout::operator<<(raw_ostream &stream, const Roles &roles) {
  stream << getName(roles.kind) << ": ";
  llvm::interleaveComma(llvm::enumerate(roles.dims), stream, [&](auto entry) {
    auto [dim, role] = entry;
    stream << 'd' << dim << ' ' << getName(role.role);
    if (role.run > 1)
      stream << '/' << role.run;
  });
  return stream;
}
