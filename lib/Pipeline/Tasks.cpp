//===- Tasks.cpp - kernels as they are tuned ------------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tssa/Pipeline/Tasks.h"
#include "dialects/layout/Transforms/Conversions.h"
#include "dialects/layout/Transforms/KernelStores.h"
#include "dialects/layout/Transforms/StoredConstant.h"
#include "dialects/te/IR/ElementBytes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "tssa/Pipeline/Schedules.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SHA256.h"

using namespace mlir;
using namespace mlir::tssa;

namespace tssa {

static constexpr StringLiteral constantsLine = "// constants:";

std::vector<KernelTask> findTasks(ModuleOp module) {
  llvm::StringMap<KernelTask> byName;
  for (auto kernel : module.getOps<te::KernelOp>())
    byName[kernel.getSymName()].kernel = kernel;
  module.walk([&](te::LaunchOp launch) {
    if (auto found = byName.find(launch.getKernel()); found != byName.end())
      found->second.launches.push_back(launch);
  });
  std::vector<KernelTask> tasks;
  for (auto kernel : module.getOps<te::KernelOp>()) {
    KernelTask task = byName[kernel.getSymName()];
    if (task.launches.empty())
      continue;
    for (unsigned number = 0; number < kernel.getNumArguments(); ++number)
      if (llvm::all_of(task.launches, [&](te::LaunchOp launch) {
            auto constant = launch.getInputs()[number].getDefiningOp<te::ConstantOp>();
            return constant && layout::hasBytesOfElements(constant.getValue());
          }))
        task.constants.push_back(number);
    tasks.push_back(std::move(task));
  }
  return tasks;
}

bool isConversion(te::KernelOp kernel) {
  return kernel.getSymName().starts_with(layout::Conversions::kernelName);
}

/// Returns whether a size of a tensor or of a domain is known only when the program runs.
static bool hasOpenSizes(te::KernelOp kernel) {
  auto isOpen = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && !tensor.hasStaticShape();
  };
  auto isOpenDomain = [](te::ComputeOp op) {
    return llvm::any_of(op.getStaticSizes(), ShapedType::isDynamic);
  };
  return llvm::any_of(kernel.getArgumentTypes(), isOpen) ||
         llvm::any_of(kernel.getResultTypes(), isOpen) ||
         llvm::any_of(kernel.getBodyBlock().getOps<te::ComputeOp>(), isOpenDomain);
}

std::string findObstacle(te::KernelOp kernel) {
  if (hasOpenSizes(kernel))
    return "its sizes are open";
  if (!llvm::all_of(kernel.getArgumentTypes(), llvm::IsaPred<RankedTensorType, IndexType>))
    return "it takes numbers that are known when the program runs";
  if (layout::hasLoops(kernel))
    return "it has a schedule";
  for (Operation &op : kernel.getBodyBlock())
    if (isa<te::ExpressionOpInterface>(op) && !isa<te::ComputeOp>(op))
      return "it updates or scans";
  if (kernel.getBodyBlock().getOps<te::ComputeOp>().empty())
    return "it computes nothing";
  return {};
}

std::string getTaskText(te::KernelOp kernel, ArrayRef<unsigned> constants) {
  OwningOpRef<te::KernelOp> copy = kernel.clone();
  if (!copy->getSchedule().empty()) {
    Block &schedule = copy->getSchedule().front();
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(schedule)))
      if (auto store = dyn_cast<layout::StoreOp>(op); !store || store.getMap().getMap().isEmpty())
        op.erase();
    if (schedule.empty())
      schedule.erase();
  }
  std::string text = constantsLine.str();
  for (unsigned number : constants)
    text += " " + std::to_string(number);
  return text + "\n" + getKernelText(*copy);
}

std::string getTaskKey(StringRef text) {
  return llvm::toHex(llvm::SHA256::hash(llvm::arrayRefFromStringRef(text)), /*LowerCase=*/true);
}

llvm::Expected<SmallVector<unsigned>> parseTaskConstants(StringRef text) {
  auto fail = [] {
    return llvm::createStringError("a task begins with '" + constantsLine +
                                   "' and ascending numbers of parameters");
  };
  StringRef line = text.take_until([](char c) { return c == '\n'; });
  if (!line.consume_front(constantsLine))
    return fail();
  SmallVector<unsigned> numbers;
  SmallVector<StringRef> words;
  line.split(words, ' ', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (StringRef word : words) {
    unsigned number = 0;
    if (word.getAsInteger(10, number) || (!numbers.empty() && number <= numbers.back()))
      return fail();
    numbers.push_back(number);
  }
  return numbers;
}

/// Returns a constant of zeros whose elements can be rearranged. No memory is touched before it is
/// read: large blocks of zeros come from the operating system.
static ElementsAttr makeZeros(RankedTensorType type, unsigned number) {
  // in range: the program has a constant of this type
  size_t size = type.getNumElements() * te::getElementBytes(type.getElementType());
  void *bytes = std::calloc(std::max<size_t>(size, 1), 1);
  if (!bytes)
    llvm::report_bad_alloc_error("a constant of a task does not fit into memory");
  AsmResourceBlob blob(
      ArrayRef(static_cast<const char *>(bytes), size), alignof(std::max_align_t),
      [](void *data, size_t, size_t) { std::free(data); }, /*dataIsMutable=*/true);
  return DenseResourceElementsAttr::get(type, "constant" + std::to_string(number), std::move(blob));
}

OwningOpRef<ModuleOp> buildTaskModule(te::KernelOp kernel, ArrayRef<unsigned> constants,
                                      const layout::MachineModel &machine) {
  MLIRContext *context = kernel.getContext();
  Location location = kernel.getLoc();
  OwningOpRef<ModuleOp> module = ModuleOp::create(location);
  layout::setMachineModel(*module, machine);
  OpBuilder builder = OpBuilder::atBlockEnd(module->getBody());
  auto copy = cast<te::KernelOp>(builder.clone(*kernel));
  copy.setSymName("kernel");
  SmallVector<Type> types;
  for (auto [number, type] : llvm::enumerate(kernel.getArgumentTypes()))
    if (!type.isIndex() && !llvm::is_contained(constants, number))
      types.push_back(type);
  auto main = func::FuncOp::create(builder, location, "main",
                                   FunctionType::get(context, types, kernel.getResultTypes()));
  Block *body = main.addEntryBlock();
  builder.setInsertionPointToEnd(body);
  SmallVector<Value> operands;
  unsigned next = 0;
  for (auto [number, type] : llvm::enumerate(kernel.getArgumentTypes())) {
    if (type.isIndex())
      operands.push_back(arith::ConstantIndexOp::create(builder, location, 0));
    else if (llvm::is_contained(constants, number))
      operands.push_back(te::ConstantOp::create(builder, location,
                                                makeZeros(cast<RankedTensorType>(type), number)));
    else
      operands.push_back(body->getArgument(next++));
  }
  SmallVector<Value> sizes;
  for (Type type : kernel.getResultTypes())
    for (int64_t dim = cast<RankedTensorType>(type).getNumDynamicDims(); dim > 0; --dim)
      sizes.push_back(arith::ConstantIndexOp::create(builder, location, 0));
  auto launch = te::LaunchOp::create(builder, location, kernel.getResultTypes(), "kernel", operands,
                                     sizes, ValueRange());
  func::ReturnOp::create(builder, location, launch.getResults());
  return module;
}

} // namespace tssa
