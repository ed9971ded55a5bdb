//===- RecordedLoops.cpp - loops that a record gives to a kernel ----------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tssa/Pipeline/RecordedLoops.h"
#include "dialects/layout/Analysis/Schedule.h"
#include "dialects/layout/IR/Atoms.h"
#include "dialects/layout/Template/DotProduct.h"
#include "dialects/layout/Template/Space.h"
#include "dialects/layout/Transforms/Passes.h"
#include "tssa/Pipeline/Records.h"
#include "tssa/Pipeline/Tasks.h"
#include "tssa/Target/CPU.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlir::tssa;

namespace tssa {

/// The most ops and loops of a schedule. The scheduler writes about ten ops for an expression.
static constexpr size_t maxOps = 1000, maxLoops = 2000;
/// The most iterations that one step of an expression unrolls, as vectors. The scheduler unrolls a
/// quarter of them; a tuner may find that more pays.
static constexpr int64_t maxUnrolled = 4 * layout::maxBody;
/// The most registers that a vector takes.
static constexpr int64_t maxRegisters = 4;
/// The most ops of a body into which others are inlined.
static constexpr uint64_t maxInlined = 4096;

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

static llvm::Error makeForeign(const Twine &text) {
  return llvm::make_error<RecordError>(RecordFault::Loops, text);
}

static bool isLoopOp(Operation &op) {
  return isa<layout::LoopsOp, layout::SplitOp, layout::FuseOp, layout::ReorderOp,
             layout::RegisterTileOp, layout::VectorizeOp, layout::BindOp, layout::ComputeAtOp,
             layout::InlineOp, layout::AtomOp>(op);
}

/// Checks what the readers of schedules take for granted of `op`.
static llvm::Error checkOp(Operation &op, llvm::StringSet<> &labels) {
  if (auto bind = dyn_cast<layout::BindOp>(op); bind && bind.getLevel() != layout::Level::Parallel)
    return makeForeign("expected loops to be bound to threads of a CPU");
  if (auto loops = dyn_cast<layout::LoopsOp>(op); loops && !labels.insert(loops.getLabel()).second)
    return makeForeign("expected the loops of '" + loops.getLabel() + "' once");
  if (auto atom = dyn_cast<layout::AtomOp>(op);
      atom && !layout::findAtom(atom.getInstruction())->hasOneLoop())
    return makeForeign("expected an instruction of a CPU, got '" + atom.getInstruction() + "'");
  if (auto fuse = dyn_cast<layout::FuseOp>(op); fuse && fuse.getOuter() == fuse.getInner())
    return makeForeign("expected two loops to fuse");
  return llvm::Error::success();
}

llvm::Error checkRecordedOps(te::KernelOp record) {
  if (record.getSchedule().empty())
    return makeForeign("expected a schedule");
  llvm::StringSet<> labels;
  llvm::SmallDenseSet<Value> known;
  size_t numOps = 0;
  for (Operation &op : record.getSchedule().front()) {
    if (!op.getDiscardableAttrDictionary().empty())
      return makeForeign("expected no attributes of others");
    if (isa<layout::StoreOp>(op))
      continue;
    if (!isLoopOp(op))
      return makeForeign("expected loops, got '" + op.getName().getStringRef() + "'");
    if (!llvm::all_of(op.getOperands(), [&](Value loop) { return known.contains(loop); }))
      return makeForeign("expected loops of the schedule before they are used");
    known.insert_range(op.getResults());
    if (++numOps > maxOps || known.size() > maxLoops)
      return makeForeign("expected at most " + Twine(maxOps) + " ops and " + Twine(maxLoops) +
                         " loops");
    if (llvm::Error error = checkOp(op, labels))
      return error;
  }
  return numOps ? llvm::Error::success() : makeForeign("expected loops");
}

llvm::Error checkRecordedStores(te::KernelOp record) {
  if (record.getSchedule().empty())
    return makeForeign("expected stores");
  size_t numOps = 0;
  for (Operation &op : record.getSchedule().front()) {
    if (!isa<layout::StoreOp>(op) || !op.getDiscardableAttrDictionary().empty())
      return makeForeign("expected stores, and no attributes of others");
    if (++numOps > maxOps)
      return makeForeign("expected at most " + Twine(maxOps) + " stores");
  }
  return llvm::Error::success();
}

void addRecordedStores(te::KernelOp kernel, te::KernelOp record) {
  kernel.getSchedule().getBlocks().clear();
  OpBuilder builder(kernel.getContext());
  builder.setInsertionPointToEnd(&kernel.getSchedule().emplaceBlock());
  for (Operation &op : record.getSchedule().front())
    builder.clone(op)->setLoc(kernel.getLoc()); // the text must not tell the file
}

void addRecordedLoops(te::KernelOp kernel, te::KernelOp record) {
  if (kernel.getSchedule().empty())
    kernel.getSchedule().emplaceBlock();
  OpBuilder builder = OpBuilder::atBlockEnd(&kernel.getSchedule().front());
  IRMapping mapping;
  for (Operation &op : record.getSchedule().front())
    if (!isa<layout::StoreOp>(op))
      builder.clone(op, mapping)->setLoc(kernel.getLoc()); // the text must not tell the file
}

//===----------------------------------------------------------------------===//
// Size
//===----------------------------------------------------------------------===//

static llvm::Error makeLarge(const Twine &text) {
  return llvm::make_error<RecordError>(RecordFault::Size, text);
}

/// The diagnostics of the passes say why.
static llvm::Error makeRefused() {
  return llvm::make_error<RecordError>(RecordFault::Refused, "the schedule does not fit");
}

/// Returns the iterations that a step of `schedule` unrolls, those of a vector counted once. Rows,
/// vectors and steps of matrices are those of a few registers, of which there are no more.
static uint64_t countUnrolled(const layout::Schedule &schedule, int64_t lanes) {
  uint64_t count = 1;
  for (const layout::TileGroup &group : schedule.tiles) {
    bool isOfMatrix = !group.reduction || &group == &schedule.tiles.back();
    if (schedule.usesMatrices() && isOfMatrix)
      continue;
    for (auto [number, factor] : llvm::enumerate(group.factors)) {
      bool isVector = group.vector && number + 1 == group.factors.size();
      count = llvm::SaturatingMultiply<uint64_t>(
          count, isVector ? llvm::divideCeil(uint64_t(factor), uint64_t(lanes)) : factor);
    }
  }
  return count;
}

/// Returns whether the loops of `schedule` run no more iterations than there are, except for the
/// last tile.
static bool areLoopsShort(const layout::Schedule &schedule, ArrayRef<int64_t> sizes) {
  uint64_t points = 1, iterations = 1;
  for (int64_t size : sizes)
    points = llvm::SaturatingMultiply<uint64_t>(points, std::max<int64_t>(size, 1));
  for (const layout::ScheduledLoop &loop : schedule.loops)
    if (auto extent = dyn_cast<AffineConstantExpr>(loop.extent); loop.live && extent)
      iterations =
          llvm::SaturatingMultiply<uint64_t>(iterations, std::max<int64_t>(extent.getValue(), 1));
  return iterations <= llvm::SaturatingMultiply<uint64_t>(points, maxUnrolled);
}

static llvm::Error checkExpression(te::ComputeOp compute, const layout::MachineModel &machine) {
  ArrayRef<int64_t> sizes = compute.getStaticSizes();
  if (llvm::any_of(sizes, ShapedType::isDynamic) || !compute.getLabel())
    return makeLarge("expected labelled expressions of known sizes");
  FailureOr<layout::Schedule> schedule = layout::readSchedule(compute);
  if (failed(schedule))
    return makeRefused();
  int64_t lanes = layout::getLanes(compute, machine);
  if (const layout::TileGroup *group = schedule->getVector();
      group && group->factors.back() > maxRegisters * lanes)
    return makeLarge("a vector of '" + *compute.getLabel() + "' takes more than " +
                     Twine(maxRegisters) + " registers");
  if (countUnrolled(*schedule, lanes) > maxUnrolled)
    return makeLarge("a step of '" + *compute.getLabel() + "' unrolls more than " +
                     Twine(maxUnrolled) + " iterations");
  if (!areLoopsShort(*schedule, sizes))
    return makeLarge("the loops of '" + *compute.getLabel() + "' are too long");
  return llvm::Error::success();
}

/// Checks the sizes of bodies once those that the schedule inlines stand in their readers.
static llvm::Error checkInlined(te::KernelOp kernel) {
  llvm::StringSet<> inlined;
  for (auto op : kernel.getSchedule().getOps<layout::InlineOp>())
    inlined.insert(op.getLabel());
  if (inlined.empty())
    return llvm::Error::success();
  llvm::DenseMap<Operation *, uint64_t> counts;
  for (Operation &op : kernel.getBodyBlock()) {
    uint64_t &count = counts[&op];
    op.walk([&](Operation *inner) {
      auto read = dyn_cast<te::ReadOp>(inner);
      auto source = read ? read.getSource().getDefiningOp<te::ComputeOp>() : te::ComputeOp();
      bool isInlined = source && source.getLabel() && inlined.contains(*source.getLabel());
      count = llvm::SaturatingAdd<uint64_t>(count, isInlined ? counts.lookup(source) : 1);
    });
    if (count > maxInlined)
      return makeLarge("a body has more than " + Twine(maxInlined) +
                       " ops once others are inlined");
  }
  return llvm::Error::success();
}

/// Checks that `machine` has the instructions that the schedule names.
static llvm::Error checkInstructions(te::KernelOp kernel, const layout::MachineModel &machine) {
  for (auto atom : kernel.getSchedule().getOps<layout::AtomOp>())
    if (layout::getDotRate(*layout::findAtom(atom.getInstruction()), machine) == 0)
      return llvm::make_error<RecordError>(
          RecordFault::Refused, "the machine has no instruction '" + atom.getInstruction() + "'");
  return llvm::Error::success();
}

static llvm::Error checkSize(te::KernelOp kernel, const layout::MachineModel &machine) {
  for (auto compute : kernel.getBodyBlock().getOps<te::ComputeOp>())
    if (llvm::Error error = checkExpression(compute, machine))
      return error;
  return checkInlined(kernel);
}

//===----------------------------------------------------------------------===//
// Proof
//===----------------------------------------------------------------------===//

void addProofDialects(DialectRegistry &registry) {
  OpPassManager manager(ModuleOp::getOperationName());
  layout::buildApplyStores(manager);
  layout::buildSchedules(manager, /*point=*/0);
  cpu::buildLoopsStage(manager);
  manager.getDependentDialects(registry);
}

/// Runs the passes, and takes the kernel out of the module for those of stage loops.
static llvm::Error runProof(ModuleOp module, const layout::MachineModel &machine, bool isOpen) {
  PassManager stores(module.getContext()), schedules(module.getContext()),
      loops(module.getContext());
  layout::buildApplyStores(stores);
  layout::buildSchedules(schedules, /*point=*/0);
  cpu::buildLoopsStage(loops);
  auto find = [&] { return module.lookupSymbol<te::KernelOp>("kernel"); };
  if (failed(stores.run(module)) || !find())
    return makeRefused();
  if (llvm::Error error = checkInstructions(find(), machine))
    return error;
  if (llvm::Error error = isOpen ? llvm::Error::success() : checkSize(find(), machine))
    return error;
  if (failed(schedules.run(module)) || !find())
    return makeRefused();
  OwningOpRef<ModuleOp> alone = ModuleOp::create(module.getLoc());
  alone->getBody()->push_back(find()->clone());
  return succeeded(loops.run(*alone)) ? llvm::Error::success() : makeRefused();
}

/// Runs `prove` on the kernel alone. An error gets the text of the first diagnostic.
static llvm::Error proveAlone(te::KernelOp kernel, ArrayRef<unsigned> constants,
                              const layout::MachineModel &machine,
                              llvm::function_ref<llvm::Error(ModuleOp)> prove) {
  std::string errors;
  ScopedDiagnosticHandler handler(kernel.getContext(), [&](Diagnostic &diagnostic) {
    if (errors.empty() && diagnostic.getSeverity() == DiagnosticSeverity::Error)
      errors = diagnostic.str();
    return success();
  });
  OwningOpRef<ModuleOp> module = buildTaskModule(kernel, constants, machine);
  llvm::Error error = prove(*module);
  if (!error || errors.empty())
    return error;
  RecordFault fault = RecordFault::Refused;
  llvm::handleAllErrors(std::move(error),
                        [&](const RecordError &info) { fault = info.getFault(); });
  return llvm::make_error<RecordError>(fault, errors);
}

llvm::Error proveLoops(te::KernelOp kernel, ArrayRef<unsigned> constants,
                       const layout::MachineModel &machine) {
  return proveAlone(kernel, constants, machine,
                    [&](ModuleOp module) { return runProof(module, machine, /*isOpen=*/false); });
}

llvm::Error proveOpenLoops(te::KernelOp kernel, ArrayRef<unsigned> constants,
                           const layout::MachineModel &machine) {
  return proveAlone(kernel, constants, machine,
                    [&](ModuleOp module) { return runProof(module, machine, /*isOpen=*/true); });
}

llvm::Error proveStores(te::KernelOp kernel, ArrayRef<unsigned> constants,
                        const layout::MachineModel &machine) {
  return proveAlone(kernel, constants, machine, [](ModuleOp module) {
    PassManager stores(module.getContext());
    layout::buildApplyStores(stores);
    return succeeded(stores.run(module)) ? llvm::Error::success() : makeRefused();
  });
}

} // namespace tssa
