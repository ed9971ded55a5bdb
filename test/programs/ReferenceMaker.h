//===- ReferenceMaker.h - makes imperative programs ------------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TEST_PROGRAMS_REFERENCEMAKER_H
#define TEST_PROGRAMS_REFERENCEMAKER_H

#include "RandomProgram.h"
#include "dialects/tssa/IR/TSSAOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tssa/Reference/RandomInputs.h"

namespace tssa::reference {

/// A ref, with its sizes in the program and their values when the program runs.
struct LiveRef {
  mlir::Value ref;
  llvm::SmallVector<mlir::OpFoldResult> sizes;
  llvm::SmallVector<int64_t> extents;
  unsigned getRank() const { return sizes.size(); }
};

/// The index of a loop around the current statement. When the program runs, it is less than
/// `bound`.
struct LiveIndex {
  mlir::Value index;
  int64_t bound;
};

class ReferenceMaker {
public:
  ReferenceMaker(mlir::MLIRContext &context, uint64_t seed, const RandomProgramOptions &options)
      : options(options), random(seed), builder(&context), loc(builder.getUnknownLoc()) {}
  RandomProgram make();

private:
  void makeArguments();
  mlir::Value constantIndex(int64_t value) {
    return mlir::arith::ConstantIndexOp::create(builder, loc, value);
  }
  const LiveRef &choose() { return refs[random.below(refs.size())]; }
  const LiveRef *chooseShape(const LiveRef &like);
  void statement(unsigned depth);
  void block(unsigned depth);

  // Views.
  void stepView();
  std::optional<mlir::tssa::refs::BoundStep> makeStep(const LiveRef &base);
  mlir::OpFoldResult chooseIndex(int64_t extent);
  LiveRef view(const LiveRef &base, llvm::ArrayRef<mlir::tssa::refs::BoundStep> path,
               llvm::ArrayRef<int64_t> extents);

  // Writes.
  void stepWrite();
  void stepClone();
  mlir::Value makeValue(const LiveRef &target, bool readsOthers = true);
  void write(const LiveRef &target);

  // Control.
  mlir::Value makeCondition();
  void stepBranch(unsigned depth);
  void stepFor(unsigned depth);
  void stepRows();
  void stepWhile(unsigned depth);
  void stepRecurrence(unsigned depth);
  void stepSwap(unsigned depth);
  void stepChoose();
  void stepExchange(unsigned depth);
  mlir::scf::ForOp makeLoop(mlir::ValueRange carried, int64_t &trips);

  const RandomProgramOptions options;
  Random random;
  mlir::OpBuilder builder;
  mlir::Location loc;
  mlir::func::FuncOp function;
  llvm::SmallVector<LiveRef> refs;
  llvm::SmallVector<LiveIndex> indexes;
  /// How many more times control flow may choose between storages. The number of storages that a
  /// name may refer to has a limit.
  unsigned choices = 2;
  llvm::StringMap<int64_t> sizes;
};

} // namespace tssa::reference

#endif // TEST_PROGRAMS_REFERENCEMAKER_H
