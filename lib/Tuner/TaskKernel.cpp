//===- TaskKernel.cpp - a task as its loops see it ------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tssa/Tuner/TaskKernel.h"
#include "Capture.h"
#include "dialects/layout/Template/DotProduct.h"
#include "dialects/layout/Transforms/DefaultPoints.h"
#include "dialects/layout/Transforms/Passes.h"
#include "dialects/te/Analysis/FlopCount.h"
#include "dialects/te/Analysis/GuardedPoints.h"
#include "dialects/te/IR/ElementBytes.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/BuiltinDialect.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "tssa/Pipeline/CheckText.h"
#include "tssa/Pipeline/Tasks.h"
#include "tssa/Reference/RandomInputs.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace ::tssa;
using namespace ::tssa::tuner;
namespace te = mlir::tssa::te;
namespace layout = mlir::tssa::layout;
using llvm::Error;
using llvm::Expected;

//===----------------------------------------------------------------------===//
// Points
//===----------------------------------------------------------------------===//

static constexpr StringLiteral separator = "; ";

std::string tuner::print(const KernelPoint &point) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::interleave(point, stream, separator);
  return text;
}

Expected<KernelPoint> tuner::parseKernelPoint(StringRef text) {
  KernelPoint points;
  SmallVector<StringRef> parts;
  text.split(parts, separator);
  std::string reason;
  for (StringRef part : parts) {
    FailureOr<layout::Point> point =
        layout::parsePoint(part, [&](const Twine &why) { reason = why.str(); });
    if (failed(point))
      return llvm::createStringError("'" + part + "' is no point: " + reason);
    points.push_back(*point);
  }
  return points;
}

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

static Error run(PassManager &manager, ModuleOp module) {
  return capture(*module.getContext(), [&] { return manager.run(module); });
}

static Expected<OwningOpRef<ModuleOp>> parse(StringRef text, MLIRContext &context) {
  if (Error error = checkText(text))
    return std::move(error);
  OwningOpRef<ModuleOp> module;
  Error error = capture(context, [&] {
    module = parseSourceString<ModuleOp>(text, ParserConfig(&context));
    return success(static_cast<bool>(module));
  });
  if (error)
    return std::move(error);
  return module;
}

Expected<std::unique_ptr<TaskKernel>> TaskKernel::create(StringRef text, MLIRContext &context,
                                                         const layout::MachineModel &machine) {
  Expected<SmallVector<unsigned>> constants = parseTaskConstants(text);
  if (!constants)
    return constants.takeError();
  Expected<OwningOpRef<ModuleOp>> source = parse(text, context);
  if (!source)
    return source.takeError();
  std::unique_ptr<TaskKernel> task(new TaskKernel);
  task->source = std::move(*source);
  task->machine = machine;
  task->constants = std::move(*constants);
  auto kernels = llvm::to_vector(task->source->getOps<te::KernelOp>());
  if (kernels.size() != 1 || llvm::range_size(task->source->getOps()) != 1)
    return llvm::createStringError("a task has one kernel and nothing else");
  task->logical = kernels.front();
  if (std::string obstacle = ::tssa::findObstacle(task->logical); !obstacle.empty())
    return llvm::createStringError("the kernel cannot be tuned: " + obstacle);
  for (unsigned number : task->constants)
    if (number >= task->logical.getNumArguments())
      return llvm::createStringError("the kernel has no parameter " + std::to_string(number));
  task->module = buildTaskModule(task->logical, task->constants, machine);
  PassManager manager(&context);
  layout::buildApplyStores(manager);
  if (Error error = run(manager, *task->module))
    return std::move(error);
  task->kernel = task->module->lookupSymbol<te::KernelOp>(name);
  if (!task->kernel)
    return llvm::createStringError("nothing is left of the kernel once its stores are applied");
  layout::ConstantOperands operands(*task->module);
  task->rows = layout::getKernelExpressions(task->kernel);
  ArrayRef<layout::KernelExpression> expressions = task->rows;
  for (auto [number, expression] : llvm::enumerate(expressions))
    task->expressions.push_back({expression.op, layout::getRowLoops(expressions, number),
                                 layout::getRoles(expression.op),
                                 operands.getAccesses(expression.op)});
  if (!expressions.empty())
    task->defaultPoint =
        layout::chooseDefaultPoints(expressions, operands, machine, /*rank=*/0,
                                    [](te::ComputeOp, const layout::RankedPoint &, size_t) {});
  return task;
}

Expected<OwningOpRef<ModuleOp>> TaskKernel::build(const KernelPoint &point) const {
  OwningOpRef<ModuleOp> candidate = ModuleOp(*module).clone();
  auto copy = candidate->lookupSymbol<te::KernelOp>(name);
  layout::writeSchedule(copy, layout::getKernelExpressions(copy), point);
  PassManager manager(copy.getContext());
  layout::buildPacking(manager);
  if (Error error = run(manager, *candidate))
    return std::move(error);
  return candidate;
}

std::string TaskKernel::findObstacle(const KernelPoint &point) const {
  if (point.size() != expressions.size())
    return "expected a point for each of " + std::to_string(expressions.size()) + " expressions";
  for (auto [expression, own] : llvm::zip_equal(expressions, point))
    if (std::string why = layout::findObstacle(expression.op, expression.roles, own, machine);
        !why.empty())
      return why;
  return findObstacleToBoxes(point.back());
}

std::string TaskKernel::findObstacleToBoxes(const layout::Point &root) const {
  return rows.back().isInBoxes ? layout::findObstacleToBoxes(rows, root) : std::string();
}

OwningOpRef<te::KernelOp> TaskKernel::getScheduled(const KernelPoint &point) const {
  OwningOpRef<te::KernelOp> physical = te::KernelOp(kernel).clone();
  layout::writeSchedule(*physical, layout::getKernelExpressions(*physical), point);
  OwningOpRef<te::KernelOp> result = te::KernelOp(logical).clone();
  if (result->getSchedule().empty())
    result->getSchedule().emplaceBlock();
  OpBuilder builder = OpBuilder::atBlockEnd(&result->getSchedule().front());
  IRMapping mapping;
  for (Operation &op : physical->getSchedule().front())
    builder.clone(op, mapping);
  return result;
}

void TaskKernel::fillConstants(uint64_t seed) { fillConstants(*module, seed); }

void TaskKernel::fillConstants(ModuleOp module, uint64_t seed) {
  // A prime number of random elements is repeated, so that no row equals the next one.
  constexpr int64_t period = 65521;
  reference::Random random(seed);
  module.walk([&](te::ConstantOp constant) {
    auto resource = dyn_cast<DenseResourceElementsAttr>(constant.getValue());
    if (!resource)
      return;
    auto kind = llvm::cantFail(reference::getElementKind(resource.getElementType()));
    MutableArrayRef<char> bytes = resource.getRawHandle().getBlob()->getMutableData();
    int64_t size = reference::getByteSize(kind), count = bytes.size() / size;
    auto *data = reinterpret_cast<uint8_t *>(bytes.data());
    for (int64_t i = 0; i < std::min(count, period); ++i)
      reference::storeElement(kind, data, i,
                              isFloat(kind) ? reference::makeFloat(random.normal())
                                            : reference::makeInt(random.below(2)));
    for (int64_t i = period; i < count; ++i)
      std::copy_n(data + (i - period) * size, size, data + i * size);
  });
}

void TaskKernel::freeConstants(ModuleOp candidate) const {
  llvm::StringSet<> own;
  auto visit = [](ModuleOp of, llvm::function_ref<void(DenseResourceElementsHandle)> work) {
    of.walk([&](te::ConstantOp constant) {
      if (auto resource = dyn_cast<DenseResourceElementsAttr>(constant.getValue()))
        work(resource.getRawHandle());
    });
  };
  visit(*module, [&](DenseResourceElementsHandle handle) { own.insert(handle.getKey()); });
  auto &manager = DenseResourceElementsHandle::getManagerInterface(candidate.getContext());
  visit(candidate, [&](DenseResourceElementsHandle handle) {
    if (!own.contains(handle.getKey()))
      manager.update(handle.getKey(), AsmResourceBlob());
  });
}

double
TaskKernel::sumOperations(llvm::function_ref<double(te::ExpressionOpInterface)> getRate) const {
  double count = 0;
  te::KernelOp op = logical;
  for (auto expression : op.getBodyBlock().getOps<te::ExpressionOpInterface>()) {
    double own = 0;
    for (const te::FlopTerm &term : te::countFlops(expression)) {
      double product = static_cast<double>(term.each);
      for (OpFoldResult size : term.sizes)
        product *= static_cast<double>(getConstantIntValue(size).value_or(1));
      own += product;
    }
    count += own * te::getGuardedShare(expression) / getRate(expression);
  }
  return count;
}

double TaskKernel::countOperations() const {
  return sumOperations([](te::ExpressionOpInterface) { return 1; });
}

double TaskKernel::countOperationsOfF32() const {
  return sumOperations([&](te::ExpressionOpInterface expression) {
    auto compute = dyn_cast<te::ComputeOp>(*expression);
    double best = 1, ofF32 = static_cast<double>(machine.getF32Products());
    for (layout::AtomUnit unit : {layout::AtomUnit::Vector, layout::AtomUnit::Matrix})
      if (const layout::Atom *atom =
              compute ? layout::findDotInstruction(compute, machine.lanes, unit) : nullptr)
        best = std::max(best, static_cast<double>(layout::getDotRate(*atom, machine)) / ofF32);
    return best;
  });
}

double TaskKernel::countBytes() const {
  double bytes = 0;
  te::KernelOp op = kernel;
  for (TypeRange types : {TypeRange(op.getArgumentTypes()), TypeRange(op.getResultTypes())})
    for (Type type : types) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      if (tensor) // and no index
        bytes += static_cast<double>(tensor.getNumElements()) *
                 te::getElementBytes(tensor.getElementType());
    }
  return bytes;
}
