//===- EndsTest.cpp - other layouts for the ends of kernels ---------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TunerTest.h"
#include "dialects/layout/IR/LayoutOps.h"
#include "dialects/layout/Transforms/Passes.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "tssa/Pipeline/Passes.h"
#include "tssa/Pipeline/Records.h"
#include "tssa/Pipeline/Tasks.h"
#include "tssa/Tuner/ModelTasks.h"
#include "tssa/Tuner/ProgramLayouts.h"
#include "tssa/Tuner/StoreSpace.h"
#include "llvm/Support/FileSystem.h"

using namespace tssa;
using namespace tssa::tuner;
namespace te = mlir::tssa::te;
namespace layout = mlir::tssa::layout;

namespace {
/// The convolution of TunerTest.h without stores, in a program whose input is transposed for it.
class EndsTest : public TunerTest {
protected:
  EndsTest() {
    llvm::SmallString<128> path;
    EXPECT_FALSE(llvm::sys::fs::createUniqueDirectory("tssa-ends", path));
    folder = path.str();
    llvm::StringRef text = llvm::StringRef(convolutionTask).split('\n').second;
    module = buildTaskModule(
        *mlir::parseSourceString<mlir::ModuleOp>(text.split(" schedule").first, &context)
             ->getOps<te::KernelOp>()
             .begin(),
        {1}, machine);
  }
  ~EndsTest() override { (void)llvm::sys::fs::remove_directories(folder); }

  te::KernelOp getKernel() { return module->lookupSymbol<te::KernelOp>("kernel"); }

  /// Gives the kernel the stores of its record, and returns the warnings.
  std::string apply(llvm::StringRef machineId, llvm::StringRef epoch) {
    std::string warnings;
    mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) {
      warnings += diagnostic.str();
      return mlir::success();
    });
    mlir::PassManager manager(&context);
    manager.addPass(createApplyRecords({folder, machineId.str(), epoch.str(), "ends"}));
    EXPECT_TRUE(mlir::succeeded(manager.run(*module)));
    return warnings;
  }

  /// Returns the kernel with blocks of `in` and `out` channels; 0 leaves them as they are.
  mlir::OwningOpRef<te::KernelOp> makeStored(int64_t in, int64_t out) {
    auto layouts = llvm::cantFail(ProgramLayouts::create(*module, machine));
    auto space = llvm::cantFail(StoreSpace::create(getKernel(), {1}));
    search::Point point = llvm::cantFail(space->getSpace().parse(
        "store.image.d2=0 store.image.d3=0 store.out=" + std::to_string(out) +
        " store.in=" + std::to_string(in)));
    auto option = layouts->addOption(0, space->getStores(point), "");
    EXPECT_TRUE(option);
    return layouts->getStored(0, *option);
  }

  std::string folder;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};
} // namespace

TEST_F(EndsTest, OtherEndsAreOtherTasksWithConversions) {
  auto base = collectTasks(*module, machine);
  ASSERT_TRUE(static_cast<bool>(base));
  std::vector<size_t> counts;
  for (auto [in, out] : {std::pair<int64_t, int64_t>(0, 0), {16, 16}, {0, 16}, {16, 0}, {8, 8}}) {
    auto stored = makeStored(in, out);
    mlir::OwningOpRef<mlir::ModuleOp> changed = module->clone();
    auto target = changed->lookupSymbol<te::KernelOp>("kernel");
    target.getSchedule().takeBody(stored->getSchedule());
    auto other = collectTasks(*changed, machine);
    ASSERT_TRUE(static_cast<bool>(other));
    counts.push_back(other->tasks.size());
    EXPECT_TRUE(other->obstacles.empty());
  }
  // The kernel, and a conversion for each end that is not as the program has it.
  EXPECT_EQ(counts, std::vector<size_t>({1, 3, 2, 2, 3}));
}

TEST_F(EndsTest, StoresThatChangeNothingAreNoOtherTask) {
  EXPECT_EQ(getTaskText(*makeStored(0, 0), {1}), getTaskText(getKernel(), {1}));
  EXPECT_NE(getTaskText(*makeStored(16, 16), {1}), getTaskText(getKernel(), {1}));
}

TEST_F(EndsTest, ARecordOfEndsIsAppliedOrMissed) {
  RecordInfo info{"some", "0123456789abcdef", 1, 1e-6, 2e-6};
  std::string text = printRecord(*makeStored(16, 16), {1}, info, RecordKind::Ends);
  ASSERT_FALSE(writeRecord(folder, text, RecordKind::Ends));
  EXPECT_EQ(llvm::cantFail(listRecords(folder, RecordKind::Ends)).size(), 1u);
  EXPECT_EQ(llvm::cantFail(listRecords(folder)).size(), 0u);

  EXPECT_NE(apply("some", "fedcba9876543210").find("1 of another epoch"), std::string::npos);
  EXPECT_NE(apply("other", "0123456789abcdef").find("1 of another machine"), std::string::npos);
  EXPECT_TRUE(getKernel().getSchedule().empty());
  EXPECT_EQ(apply("some", "0123456789abcdef"), "");
  EXPECT_EQ(llvm::range_size(getKernel().getSchedule().getOps<layout::StoreOp>()), 2u);
}

TEST_F(EndsTest, OnlyStoresThatFitAreTaken) {
  RecordInfo info{"some", "0123456789abcdef", 1, 1e-6, 2e-6};
  std::string good = printRecord(*makeStored(16, 16), {1}, info, RecordKind::Ends);
  auto change = [&](llvm::StringRef from, llvm::StringRef to) {
    std::string text = good;
    size_t position = text.find(from.str());
    EXPECT_NE(position, std::string::npos) << from.str();
    text.replace(position, from.size(), to.str());
    EXPECT_FALSE(writeRecord(folder, text, RecordKind::Ends));
    std::string warnings = apply("some", "0123456789abcdef");
    EXPECT_TRUE(getKernel().getSchedule().empty());
    return warnings;
  };
  llvm::StringRef store = "layout.store 0 as map<reorder(0, 2, 3, 1)>";
  EXPECT_NE(change(store, "layout.store 7 as map<reorder(0, 2, 3, 1)>").find("1 that do not fit"),
            std::string::npos);
  EXPECT_NE(change(store, "layout.store 0 as map<reorder(1, 0)>").find("1 that do not fit"),
            std::string::npos);
  EXPECT_NE(change(store, "%l = layout.loops @y : !layout.loop").find("1 with other ops"),
            std::string::npos);
  EXPECT_NE(change(store, "layout.store 0").find("1 damaged"), std::string::npos);
  EXPECT_NE(change("arith.mulf", "arith.addf").find("1 of another kernel"), std::string::npos);
}
