//===- SizeVersions.cpp - kernels for given sizes -------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tssa/Pipeline/SizeVersions.h"
#include "dialects/te/Transforms/FixSizes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Verifier.h"
#include "llvm/Support/InterleavedRange.h"

using namespace mlir;
using namespace mlir::tssa;

namespace tssa {

SmallVector<te::LaunchOp> findVersionedLaunches(const KernelTask &task) {
  return llvm::to_vector(llvm::make_filter_range(task.launches, [](te::LaunchOp launch) {
    return llvm::none_of(launch->getUsers(), llvm::IsaPred<te::JoinOp>);
  }));
}

/// Returns why a kernel with fixed sizes is wrong, such as a tensor that is too large, or an empty
/// string.
static std::string findFault(te::KernelOp kernel) {
  std::string fault;
  ScopedDiagnosticHandler handler(kernel.getContext(), [&](Diagnostic &diagnostic) {
    if (fault.empty())
      fault = diagnostic.str();
    return success();
  });
  return succeeded(verify(kernel)) ? std::string() : fault;
}

llvm::Expected<KernelTask> makeVersion(const KernelTask &task, ArrayRef<int64_t> sizes,
                                       OwningOpRef<te::KernelOp> &kernel) {
  te::KernelOp open = task.kernel;
  SmallVector<unsigned> parameters = te::getSizeParameters(open);
  if (parameters.empty() || parameters.size() != sizes.size())
    return llvm::createStringError("expected " + Twine(parameters.size()) + " sizes, got " +
                                   Twine(sizes.size()));
  kernel = te::fixSizes(open, sizes);
  if (!kernel)
    return llvm::createStringError("the kernel has open sizes that are computed in it");
  if (std::string fault = findFault(*kernel); !fault.empty())
    return llvm::createStringError(fault);
  if (std::string obstacle = findObstacle(*kernel); !obstacle.empty())
    return llvm::createStringError(obstacle);
  KernelTask version{*kernel, {}, {}};
  for (unsigned constant : task.constants)
    version.constants.push_back(
        constant - llvm::count_if(parameters, [&](unsigned size) { return size < constant; }));
  return version;
}

std::string getVersionName(te::KernelOp kernel, ArrayRef<int64_t> sizes) {
  std::string name = kernel.getSymName().str();
  llvm::raw_string_ostream(name) << '_' << llvm::interleaved(sizes, "x");
  return name;
}

std::string getRangeName(StringRef name) { return (name + "_range").str(); }

/// Builds whether the operands of `launch` for the parameters `sizes` lie in the ranges of
/// `version`.
static Value compareSizes(OpBuilder &builder, te::LaunchOp launch, ArrayRef<unsigned> sizes,
                          const SizeVersion &version) {
  Value all;
  auto require = [&](arith::CmpIPredicate predicate, unsigned parameter, int64_t bound) {
    Value constant = arith::ConstantIndexOp::create(builder, launch.getLoc(), bound);
    Value holds = arith::CmpIOp::create(builder, launch.getLoc(), predicate,
                                        launch.getInputs()[parameter], constant);
    all = all ? arith::AndIOp::create(builder, launch.getLoc(), all, holds).getResult() : holds;
  };
  for (auto [parameter, range] : llvm::zip_equal(sizes, version.ranges)) {
    if (range.first == range.second) {
      require(arith::CmpIPredicate::eq, parameter, range.first);
      continue;
    }
    require(arith::CmpIPredicate::sge, parameter, range.first);
    require(arith::CmpIPredicate::sle, parameter, range.second);
  }
  return all;
}

void launchVersions(te::LaunchOp launch, ArrayRef<SizeVersion> versions) {
  auto kernel = SymbolTable::lookupNearestSymbolFrom<te::KernelOp>(launch, launch.getKernelAttr());
  SmallVector<unsigned> sizes = te::getSizeParameters(kernel);
  SmallVector<Value> fixed;
  for (auto [number, input] : llvm::enumerate(launch.getInputs()))
    if (!llvm::is_contained(sizes, number))
      fixed.push_back(input);
  Location location = launch.getLoc();
  for (const SizeVersion &version : versions) {
    OpBuilder builder(launch);
    Value fits = compareSizes(builder, launch, sizes, version);
    auto choice = scf::IfOp::create(builder, location, launch.getResultTypes(), fits,
                                    /*addThenBlock=*/true, /*addElseBlock=*/true);
    launch.replaceAllUsesWith(choice.getResults());
    builder.setInsertionPointToEnd(choice.thenBlock());
    te::KernelOp chosen = version.kernel;
    auto launched =
        te::LaunchOp::create(builder, location, launch.getResultTypes(), chosen.getSymName(),
                             version.isOpen ? ValueRange(launch.getInputs()) : ValueRange(fixed),
                             launch.getResultSizes(), ValueRange());
    scf::YieldOp::create(builder, location, launched.getResults());
    launch->moveBefore(choice.elseBlock(), choice.elseBlock()->end());
    builder.setInsertionPointToEnd(choice.elseBlock());
    scf::YieldOp::create(builder, location, launch.getResults());
  }
}

} // namespace tssa
