//===- ScheduleTest.cpp - a schedule region as data -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/layout/Analysis/Schedule.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::layout;

namespace {

class ScheduleTest : public ::testing::Test {
protected:
  ScheduleTest() { context.loadDialect<te::TEDialect, LayoutDialect, arith::ArithDialect>(); }

  /// Parses a copy of a tensor [d0, 6, 40], called @y, with `schedule`, which may be empty.
  te::ComputeOp parse(StringRef schedule) {
    std::string text = R"(
te.kernel @k(%x: tensor<?x6x40xf32> {te.sizes = array<i64: 1, -1, -1>}, %n: index) -> tensor<?x6x40xf32> {
  %y = te.compute @y (d0: %n, d1: 6, d2: 40) {
    %a = te.read %x[d0, d1, d2] : tensor<?x6x40xf32>
    te.yield %a : f32
  } : tensor<?x6x40xf32>
  te.return %y : tensor<?x6x40xf32>
})";
    if (!schedule.empty())
      text += (" schedule {\n" + schedule + "\n}").str();
    module = parseSourceString<ModuleOp>(text, &context);
    te::ComputeOp op;
    if (module)
      module->walk([&](te::ComputeOp compute) { op = compute; });
    return op;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

constexpr const char *fused = R"(
  %d0, %d1, %d2 = layout.loops @y : !layout.loop, !layout.loop, !layout.loop
  %f = layout.fuse %d0, %d1
  %o, %v = layout.split %d2 [*, 16]
  layout.reorder %o, %f, %v
  layout.vectorize %v
  layout.bind %o to parallel)";

TEST_F(ScheduleTest, LoopsKnowTheirDimsOrderAndHandles) {
  te::ComputeOp op = parse(fused);
  ASSERT_TRUE(op);
  std::optional<Schedule> schedule = findSchedule(op);
  ASSERT_TRUE(schedule);
  ASSERT_EQ(schedule->order.size(), 3u);
  auto loop = [&](unsigned position) -> const ScheduledLoop & {
    return schedule->loops[schedule->order[position]];
  };
  EXPECT_EQ(loop(0).dims, (SmallVector<unsigned, 2>{2}));
  EXPECT_EQ(loop(0).kind, LoopKind::Parallel);
  EXPECT_EQ(loop(0).extent, getAffineConstantExpr(3, &context));
  EXPECT_EQ(loop(1).dims, (SmallVector<unsigned, 2>{0, 1}));
  EXPECT_EQ(loop(1).extent, getAffineSymbolExpr(0, &context) * 6) << "an open size is a symbol";
  EXPECT_EQ(loop(2).kind, LoopKind::Vector);
  EXPECT_TRUE(isa<FuseOp>(loop(1).handle.getDefiningOp()));
  EXPECT_EQ(loop(2).handle.getDefiningOp<SplitOp>().getLoops().back(), loop(2).handle);
  EXPECT_EQ(schedule->parallel, SmallVector<unsigned>{schedule->order[0]});
  ASSERT_TRUE(schedule->getVector());
  EXPECT_EQ(schedule->getVector()->size, 16);
}

TEST_F(ScheduleTest, LoopsThatNothingNamesAreNotFound) {
  te::ComputeOp op = parse("");
  ASSERT_TRUE(op);
  EXPECT_FALSE(findSchedule(op));
  FailureOr<Schedule> natural = readSchedule(op);
  ASSERT_TRUE(succeeded(natural));
  EXPECT_EQ(natural->serial.size(), 3u);
}

TEST_F(ScheduleTest, OnlyReadingReportsAnError) {
  te::ComputeOp op = parse(R"(
  %d0, %d1, %d2 = layout.loops @y : !layout.loop, !layout.loop, !layout.loop
  layout.vectorize %d2
  layout.register_tile %d2)");
  ASSERT_TRUE(op);
  std::string error;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    error = diagnostic.str();
    return success();
  });
  EXPECT_FALSE(findSchedule(op));
  EXPECT_EQ(error, "");
  EXPECT_TRUE(failed(readSchedule(op)));
  EXPECT_EQ(error, "this loop is already bound, tiled or vectorized");
}

} // namespace
