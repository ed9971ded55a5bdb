//===- IndexBuilder.h - index expressions as values -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Turns index expressions over loops and size symbols into SSA values. Sums are built from the
/// terms of the outermost loop inwards, so that partial sums that do not change in a loop can be
/// hoisted out of it.
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_CONVERSION_INDEXBUILDER_H
#define TSSA_CONVERSION_INDEXBUILDER_H

#include "dialects/te/Analysis/IndexSimplifier.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"

namespace tssa::conversion {

/// The terms of the sum `expr`, from left to right.
llvm::SmallVector<mlir::AffineExpr> getTerms(mlir::AffineExpr expr);

class IndexBuilder {
public:
  IndexBuilder(mlir::OpBuilder &builder, mlir::Location loc) : builder(builder), loc(loc) {}

  /// Returns the symbol that stands for `value`, of type index or a vector of it.
  mlir::AffineExpr getSymbol(mlir::Value value);
  /// Returns the symbol that stands for `value`, an index from 0 to `most`.
  mlir::AffineExpr getSymbolUpTo(mlir::Value value, int64_t most);
  /// Returns `size` as a constant or a symbol.
  mlir::AffineExpr getSize(mlir::OpFoldResult size);

  /// Declares that expressions may contain the loop `loop`, which has `extent` iterations.
  void declareLoop(unsigned loop, mlir::AffineExpr extent);
  /// Enters loop `loop`, whose iteration is `value`. Loops that are entered later count as more
  /// deeply nested.
  void setLoop(unsigned loop, mlir::Value value);
  /// Declares the dim that stands for the lane of a vector.
  void setLane(unsigned dim, int64_t lanes);
  /// Leaves a loop that was entered by `setLoop`. Loops must be left innermost first.
  void dropLoop(unsigned loop);
  bool hasLoop(unsigned loop) const { return loops.contains(loop); }
  /// Whether `expr` contains only loops that are entered, and no lane.
  bool isKnown(mlir::AffineExpr expr) const;

  /// Whether `expr` differs from lane to lane.
  bool hasLanes(mlir::AffineExpr expr) const;
  /// Returns the address of lane 0 if the lanes have consecutive addresses, otherwise null.
  mlir::AffineExpr getFirstOfRun(mlir::AffineExpr address, unsigned laneDim) const;
  /// Simplifies `expr` by the ranges of loops, lanes and sizes, and by what `assuming` declares.
  mlir::AffineExpr simplify(mlir::AffineExpr expr) const;
  /// Whether `expr` >= 0 is proven.
  bool isNonNegative(mlir::AffineExpr expr) const;
  /// From now on, `expr` >= 0 counts as proven.
  void assume(mlir::AffineExpr expr) { facts.push_back(expr); }
  /// Runs `body`; meanwhile `expr` >= 0 counts as proven.
  void assuming(mlir::AffineExpr expr, llvm::function_ref<void()> body);

  /// Builds `expr`, which contains no lane, as a value of type index.
  mlir::Value materialize(mlir::AffineExpr expr);
  /// Builds `expr` like `materialize`, so that `getOrigin` returns it for the value.
  mlir::Value materializeOrigin(mlir::AffineExpr expr);
  /// Returns the expression for `value`, a symbol unless `materializeOrigin` built it here.
  mlir::AffineExpr getOrigin(mlir::Value value);
  /// Builds `expr` as a vector of index with one element per lane.
  mlir::Value materializeLanes(mlir::AffineExpr expr, unsigned laneDim, int64_t lanes);
  /// Builds the condition `expr` == 0 if `equality` is set, else `expr` >= 0, as an i1.
  mlir::Value materializeCondition(mlir::AffineExpr expr, bool equality);
  /// Builds `expr` as the sum of what changes in no loop, with its constant, and of the rest: the
  /// first part moves out of loops.
  mlir::Value materializeFromOuter(mlir::AffineExpr expr);
  /// Builds the comparison 0 <= `expr` < `count`.
  mlir::Value materializeRange(mlir::AffineExpr expr, int64_t count);
  /// Builds the same condition as a vector of i1 with one element per lane.
  mlir::Value materializeLaneCondition(mlir::AffineExpr expr, bool equality, unsigned laneDim,
                                       int64_t lanes);
  /// Returns the expression that is >= 0 where `mask` holds, if `mask` was built by
  /// `materializeLaneCondition`; otherwise null.
  mlir::AffineExpr findLaneCondition(mlir::Value mask) const { return conditions.lookup(mask); }
  mlir::Value constant(int64_t value);
  /// Builds `offset` where `condition` holds and 0 elsewhere. A null condition always holds.
  mlir::Value clampOffset(mlir::Value offset, mlir::Value condition);

  mlir::OpBuilder &getBuilder() { return builder; }
  mlir::Location getLoc() const { return loc; }
  void setLoc(mlir::Location newLoc) { loc = newLoc; }
  mlir::MLIRContext *getContext() const { return builder.getContext(); }

  /// Returns the nesting depth of the innermost loop in `expr`; 0 if it contains none.
  unsigned getDepth(mlir::AffineExpr expr) const;

  /// Returns the simplifier for what is known here. The next new symbol or loop invalidates it.
  mlir::tssa::te::IndexSimplifier &getSimplifier() const;

private:
  struct LoopInfo {
    mlir::Value value;
    unsigned depth;
  };
  mlir::Value build(mlir::AffineExpr expr, int64_t lanes, unsigned laneDim);
  mlir::Value buildSum(mlir::AffineExpr expr, int64_t lanes, unsigned laneDim);
  mlir::Value buildDivMod(mlir::AffineBinaryOpExpr expr, int64_t lanes, unsigned laneDim);
  mlir::Value splat(mlir::Value value, int64_t lanes);
  void matchLanes(mlir::Value &lhs, mlir::Value &rhs);

  mlir::OpBuilder &builder;
  mlir::Location loc;

  llvm::SmallVector<mlir::Value> symbols;
  llvm::DenseMap<unsigned, int64_t> symbolBounds; ///< the greatest values of symbols that have one
  llvm::DenseMap<unsigned, LoopInfo> loops;
  llvm::SmallVector<mlir::tssa::te::IndexRange> ranges; ///< of loops and the lane
  /// The simplifier for the current ranges of loops and symbols; made again when they change.
  mutable std::unique_ptr<mlir::tssa::te::IndexSimplifier> simplifier;
  mutable size_t simplifierSymbols = 0;
  llvm::DenseMap<mlir::Value, mlir::AffineExpr> conditions; ///< of lanes, by mask
  llvm::DenseMap<mlir::Value, mlir::AffineExpr> origins;    ///< by the value that was built
  llvm::SmallVector<mlir::AffineExpr, 2> facts; ///< further expressions that are >= 0 here
  std::optional<std::pair<unsigned, int64_t>> lane;
  unsigned nextDepth = 1;
};

} // namespace tssa::conversion

#endif // TSSA_CONVERSION_INDEXBUILDER_H
