//===- KernelLaunch.cpp - the launch that is measured ---------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelLaunch.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "tssa/Reference/Evaluator.h"
#include "tssa/Reference/RandomInputs.h"
#include "tssa/Support/CheckedSize.h"

using namespace tssa;
using namespace tssa::tuner;
using namespace tssa::reference;
namespace te = mlir::tssa::te;
using llvm::Error;
using llvm::Expected;

Expected<KernelLaunch> KernelLaunch::find(mlir::ModuleOp module, llvm::StringRef name) {
  KernelLaunch found;
  found.kernel = module.lookupSymbol<te::KernelOp>(name);
  if (!found.kernel)
    return llvm::createStringError("the module has no kernel '" + name + "'");
  found.main = module.lookupSymbol<mlir::func::FuncOp>("main");
  if (!found.main || !found.main.getBody().hasOneBlock())
    return llvm::createStringError("the module has no function 'main' of one block");
  unsigned count = 0;
  module.walk([&](te::LaunchOp launch) {
    if (launch.getKernel() != name)
      return;
    found.launch = launch;
    ++count;
  });
  if (count != 1)
    return llvm::createStringError("expected one launch of kernel '" + name + "', got " +
                                   llvm::Twine(count));
  if (found.launch->getBlock() != &found.main.getBody().front())
    return llvm::createStringError("cannot be measured alone: kernel '" + name +
                                   "' is launched inside of control flow");
  if (!found.launch.getOuts().empty())
    return llvm::createStringError("expected a module after stage layout, got launch of '" + name +
                                   "' on planned buffers");
  return found;
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

/// Returns a tensor of `type` without bytes. `what` names the value in errors.
static Expected<HostTensor> makeType(te::KernelOp kernel, mlir::Type type,
                                     const llvm::Twine &what) {
  auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
  std::string text;
  llvm::raw_string_ostream(text) << type;
  if (!tensor || !tensor.hasStaticShape())
    return llvm::createStringError("cannot be measured alone: " + what + " of kernel '" +
                                   kernel.getSymName() + "' has the type " + text +
                                   ", expected a tensor of known size or an index");
  Expected<ElementKind> kind = getElementKind(tensor.getElementType());
  if (!kind)
    return kind.takeError();
  return HostTensor::borrow(*kind, tensor.getShape(), nullptr);
}

static Expected<LaunchOperand> readOperand(const KernelLaunch &launch, unsigned index) {
  mlir::Value value = launch.launch->getOperand(index);
  te::KernelOp kernel = launch.kernel;
  LaunchOperand operand;
  if (auto constant = value.getDefiningOp<te::ConstantOp>()) {
    Expected<HostTensor> tensor = getConstantTensor(constant.getValue());
    if (!tensor)
      return tensor.takeError();
    operand.isConstant = true;
    operand.value = HostValue(std::move(*tensor));
    return operand;
  }
  if (!value.getType().isIndex()) {
    Expected<HostTensor> tensor =
        makeType(kernel, value.getType(), "operand " + llvm::Twine(index));
    if (!tensor)
      return tensor.takeError();
    operand.value = HostValue(std::move(*tensor));
    return operand;
  }
  std::optional<int64_t> number = mlir::getConstantIntValue(value);
  if (!number)
    return llvm::createStringError("cannot be measured alone: operand " + llvm::Twine(index) +
                                   " of kernel '" + kernel.getSymName() +
                                   "' is a number that is not constant");
  operand.value = HostValue(makeInt(*number));
  return operand;
}

/// Fails if the tensors of `main` have more than `limit` bytes.
static Error checkMemory(mlir::func::FuncOp main, uint64_t limit) {
  CheckedSize total = 0;
  auto add = [&](mlir::Type type) {
    auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
    if (tensor && tensor.hasStaticShape())
      total += CheckedSize::product(tensor.getShape(), 8);
  };
  llvm::for_each(main.getArgumentTypes(), add);
  main.walk([&](mlir::Operation *op) { llvm::for_each(op->getResultTypes(), add); });
  if (total.fits(limit))
    return Error::success();
  std::string bytes = total.isValid() ? std::to_string(*total.get()) : "more than 2^63";
  return llvm::createStringError(std::make_error_code(std::errc::not_enough_memory),
                                 "the tensors of 'main' have " + bytes + " bytes, the limit is " +
                                     llvm::Twine(limit));
}

Expected<Candidate> Candidate::read(mlir::ModuleOp module, llvm::StringRef kernel,
                                    uint64_t memoryLimit) {
  Expected<KernelLaunch> launch = KernelLaunch::find(module, kernel);
  if (!launch)
    return launch.takeError();
  Candidate candidate{*launch, {}, {}};
  for (unsigned i = 0; i < launch->launch.getInputs().size(); ++i) {
    Expected<LaunchOperand> operand = readOperand(*launch, i);
    if (!operand)
      return operand.takeError();
    candidate.operands.push_back(std::move(*operand));
  }
  for (auto [index, type] : llvm::enumerate(launch->launch.getResultTypes())) {
    Expected<HostTensor> result = makeType(launch->kernel, type, "result " + llvm::Twine(index));
    if (!result)
      return result.takeError();
    candidate.results.push_back(std::move(*result));
  }
  if (Error error = checkMemory(launch->main, memoryLimit))
    return error;
  return candidate;
}

/// Whether @main computes the value of `operand`.
static bool isComputed(const LaunchOperand &operand) {
  return !operand.isConstant && operand.value.tensor;
}

Error Candidate::evaluateOperands(uint64_t seed) {
  mlir::OwningOpRef<mlir::ModuleOp> copy =
      launch.kernel->getParentOfType<mlir::ModuleOp>().clone();
  KernelLaunch copied =
      llvm::cantFail(KernelLaunch::find(*copy, launch.kernel.getSymName()));
  llvm::SmallVector<mlir::Value> values;
  for (auto [operand, value] : llvm::zip_equal(operands, copied.launch.getInputs()))
    if (isComputed(operand))
      values.push_back(value);
  // @main now ends before the launch and returns its operands.
  mlir::OpBuilder builder(copied.launch);
  auto end = mlir::func::ReturnOp::create(builder, copied.launch.getLoc(), values);
  mlir::Block &block = copied.main.getBody().front();
  while (&block.back() != end)
    block.back().erase();
  copied.main.setFunctionType(builder.getFunctionType(
      copied.main.getArgumentTypes(), llvm::to_vector(mlir::ValueRange(values).getTypes())));
  copied.main.removeResAttrsAttr();
  Expected<std::vector<HostTensor>> inputs = makeRandomInputs(copied.main, seed, {});
  if (!inputs)
    return inputs.takeError();
  Expected<std::vector<HostTensor>> results = evaluate(*copy, "main", *inputs);
  if (!results)
    return results.takeError();
  auto next = results->begin();
  for (LaunchOperand &operand : operands)
    if (isComputed(operand)) {
      next->getMutableData(); // the bytes may be those of a constant of `copy`
      operand.value = HostValue(std::move(*next++));
    }
  return Error::success();
}

static std::string describe(const LaunchOperand &operand) {
  if (operand.isConstant)
    return "a constant";
  return operand.value.tensor ? operand.value.tensor->describeType()
                              : "the number " + std::to_string(operand.value.scalar.i);
}

Error Candidate::takeOperands(const Candidate &other) {
  if (operands.size() != other.operands.size() || results.size() != other.results.size())
    return llvm::createStringError(
        "expected a launch with " + llvm::Twine(other.operands.size()) + " operands and " +
        llvm::Twine(other.results.size()) + " results, got " + llvm::Twine(operands.size()) +
        " and " + llvm::Twine(results.size()));
  for (auto [index, operand, expected] : llvm::enumerate(operands, other.operands)) {
    if (describe(operand) != describe(expected))
      return llvm::createStringError("expected " + describe(expected) + " as operand " +
                                     llvm::Twine(index) + ", got " + describe(operand));
    if (isComputed(operand))
      operand.value = expected.value;
  }
  for (auto [index, result, expected] : llvm::enumerate(results, other.results))
    if (result.describeType() != expected.describeType())
      return llvm::createStringError("expected " + expected.describeType() + " as result " +
                                     llvm::Twine(index) + ", got " + result.describeType());
  return Error::success();
}
