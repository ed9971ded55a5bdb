//===- ProgramMaker.h - the steps of a random program ----------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TEST_PROGRAMS_PROGRAMMAKER_H
#define TEST_PROGRAMS_PROGRAMMAKER_H

#include "RandomProgram.h"
#include "dialects/te/IR/Builders.h"
#include "tssa/Reference/RandomInputs.h"

#include <vector>

namespace tssa::reference {

using mlir::AffineExpr;
using mlir::OpBuilder;
using mlir::OpFoldResult;
using mlir::Type;
using mlir::Value;

/// A tensor that later steps of the maker may use.
struct LiveTensor {
  Value value;
  Type element;
  llvm::SmallVector<OpFoldResult> sizes;
  /// The values of `sizes` when the program runs.
  llvm::SmallVector<int64_t> extents;
  /// The largest difference between two correct results, relative to the largest magnitude; 0 if
  /// all correct compilers compute the same bits.
  double error = 0;

  unsigned getRank() const { return sizes.size(); }
  bool isFloat() const { return llvm::isa<mlir::FloatType>(element); }
};

/// A size in the program, and its value when the program runs.
struct LiveSize {
  OpFoldResult size;
  int64_t extent;
};

/// Builds the body of `main`, step by step.
class ProgramMaker {
public:
  ProgramMaker(mlir::MLIRContext &context, uint64_t seed, const RandomProgramOptions &options);
  RandomProgram make();

private:
  // Sizes and types.
  LiveSize constant(int64_t extent);
  LiveSize add(const LiveSize &size, int64_t amount);
  int64_t chooseExtent();
  Type chooseElementType();
  AffineExpr dim(unsigned position);
  /// Returns the expression of a size: a constant, or a symbol for a value that is appended to
  /// `symbols`.
  AffineExpr getExpr(OpFoldResult size, llvm::SmallVectorImpl<Value> &symbols);
  bool fits(llvm::ArrayRef<int64_t> extents) const;

  // Tensors.
  void makeArguments();
  void addArguments(llvm::ArrayRef<Type> types, llvm::ArrayRef<llvm::SmallVector<int64_t>> shapes,
                    llvm::ArrayRef<llvm::SmallVector<int>> chosen);
  Type makeLongShape(llvm::SmallVector<int64_t> &shape);
  LiveTensor makeConstant(Type element, llvm::ArrayRef<int64_t> extents);
  const LiveTensor *choose(llvm::function_ref<bool(const LiveTensor &)> accepts);
  const LiveTensor &chooseAny();
  void addResult(Value value, const LiveTensor &like, double error);
  void addResult(Value value, llvm::ArrayRef<LiveSize> sizes, double error);
  /// Returns the error of arithmetic in `type` on operands with errors up to `error`.
  static double getError(Type type, double error);
  void finish();

  // Scalars in bodies.
  Value makeNumber(OpBuilder &b, Type type, double value);
  Value convert(OpBuilder &b, Value value, Type type);
  Value clamp(OpBuilder &b, Value value, double limit);
  /// Applies a random unary or binary function whose values stay small. Raises `error` to that of
  /// the result.
  Value apply(OpBuilder &b, Value lhs, Value rhs, double &error);
  Value applyFloat(OpBuilder &b, Value lhs, Value rhs, double &error);
  Value applyInteger(OpBuilder &b, Value lhs, Value rhs);
  Value read(OpBuilder &b, const LiveTensor &tensor, llvm::ArrayRef<AffineExpr> at,
             llvm::ArrayRef<Value> symbols = {});
  Value readIdentity(OpBuilder &b, const LiveTensor &tensor);
  /// Reads an element of a tensor that `chooseBroadcast` returned.
  Value readBroadcast(OpBuilder &b, const LiveTensor &tensor);
  /// Returns a tensor whose sizes are those of `like` or 1, or null if there is none.
  const LiveTensor *chooseBroadcast(const LiveTensor &like);
  /// Returns `value` modulo `size`, as an index that depends on data.
  Value makeIndex(OpBuilder &b, Value value, OpFoldResult size);
  LiveTensor chooseIndices(const LiveSize &count);

  // Each of the following steps adds an expression. It returns false if it does not find the
  // tensors that it needs.
  bool stepElementwise();
  bool stepSelect();
  bool stepTranspose();
  bool stepSlice();
  bool stepReverse();
  bool stepBroadcast();
  bool stepFlatten();
  bool stepSplit();
  bool stepPad();
  bool stepConcat();
  bool stepReduce();
  /// Reduces the dims `reduced` of `source`, which are in order; the other dims keep their order.
  void addReduction(const LiveTensor &source, llvm::ArrayRef<unsigned> reduced);
  bool stepLongSum();
  bool stepContraction();
  bool stepWindow();
  bool stepArgMax();
  bool stepSoftmaxPair();
  bool stepWelford();
  bool stepGather();
  bool stepUpdate();
  bool stepScatter();
  bool stepScan();
  bool stepBranch();
  bool stepLoop();
  bool stepWriteWindows();
  bool stepReadColumn();
  bool stepSiblings();
  /// Returns a tensor of floats with a last dim of constant size, or null if there is none.
  const LiveTensor *chooseFactor();
  LiveTensor makeProduct(const LiveTensor &source, int64_t count, double scalar);
  LiveTensor makeConcat(llvm::ArrayRef<LiveTensor> parts);
  /// Returns the largest of each element of a tensor of floats and 0.
  LiveTensor makeMap(const LiveTensor &source);
  LiveTensor makeCell(const LiveTensor &gates, int64_t windows, int64_t begin, int64_t end);
  bool stepRows();
  LiveTensor reduceRows(const LiveTensor &source, mlir::tssa::te::Combiner combiner, double scale,
                        const LiveTensor *mean = nullptr);
  LiveTensor makeNormal(const LiveTensor &source, const LiveTensor &first,
                        const LiveTensor *second = nullptr);
  bool stepLayers();
  LiveTensor makeGates(const LiveTensor &state, const LiveTensor &weights, const LiveTensor &inputs,
                       AffineExpr time, Value step);
  LiveTensor makeLayer(const LiveTensor &inputs, int64_t numGates, bool isReverse,
                       LiveTensor &last);

  const RandomProgramOptions options;
  Random random;
  OpBuilder builder;
  mlir::Location loc;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::func::FuncOp function;
  std::vector<LiveTensor> live;
  /// The named sizes, N0 and so on.
  std::vector<LiveSize> symbols;
  llvm::StringMap<int64_t> sizes;
  std::vector<double> errors;
};

} // namespace tssa::reference

#endif // TEST_PROGRAMS_PROGRAMMAKER_H
