//===- ReferenceResults.cpp - what candidates must compute ----------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReferenceResults.h"
#include "SampleElements.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "tssa/Pipeline/VerifyKernel.h"
#include "tssa/Support/CheckedSize.h"

using namespace tssa;
using namespace tssa::tuner;
using namespace tssa::reference;
namespace te = mlir::tssa::te;
using llvm::Error;
using llvm::Expected;

/// About the number of points of a reduction that are evaluated for one result: two seconds.
static constexpr int64_t maxSteps = 1 << 27;
static constexpr int64_t leastElements = 64;

/// Returns how many elements of `result` to evaluate, at most `most`: fewer if each is a long sum.
static unsigned countElements(mlir::Value result, unsigned most) {
  CheckedSize steps = 1;
  if (auto op = result.getDefiningOp<te::ComputeOp>()) {
    llvm::SmallVector<mlir::OpFoldResult> sizes = op.getIterationDomain();
    for (mlir::OpFoldResult size : llvm::ArrayRef(sizes).drop_front(op.getNumParallel()))
      steps *= mlir::getConstantIntValue(size).value_or(1);
  }
  int64_t fitting = maxSteps / std::max<int64_t>(steps.get().value_or(maxSteps), 1);
  return std::min<int64_t>(most, std::max(fitting, leastElements));
}

/// Returns these elements of `tensor` as a tensor of rank 1.
static Expected<HostTensor> gather(const HostTensor &tensor, llvm::ArrayRef<int64_t> elements) {
  Expected<HostTensor> gathered =
      HostTensor::create(tensor.getKind(), {static_cast<int64_t>(elements.size())});
  if (!gathered)
    return gathered;
  uint8_t *data = gathered->getMutableData();
  for (auto [index, element] : llvm::enumerate(elements))
    storeElement(tensor.getKind(), data, index, tensor.get(element));
  return gathered;
}

Expected<ReferenceResults> ReferenceResults::create(const KernelLaunch &launch,
                                                    llvm::ArrayRef<HostValue> inputs,
                                                    llvm::ArrayRef<HostTensor> defaults,
                                                    unsigned maxElements, uint64_t seed) {
  ReferenceResults reference;
  te::KernelOp kernel = launch.kernel;
  auto values = kernel.getBodyBlock().getTerminator()->getOperands();
  for (auto [value, result] : llvm::zip_equal(values, defaults)) {
    reference.defaults.push_back(result);
    reference.defaults.back().getMutableData(); // a copy, because the default's memory is reused
    reference.elements.push_back(
        sampleElements(result.getShape(), countElements(value, maxElements), seed));
  }
  Expected<KernelPoints> points = evaluateKernelAt(kernel, inputs, reference.elements);
  if (!points)
    return llvm::createStringError("cannot be checked: " + toString(points.takeError()));
  LaunchRecord record{launch.launch, kernel, inputs, reference.defaults, points->sumMagnitude};
  for (const HostTensor &result : reference.defaults)
    reference.policies.push_back(getPolicy(record, result));
  reference.exact = std::move(points->results);
  if (Error error = reference.compareWithEvaluator(reference.defaults))
    return llvm::createStringError("the default of kernel '" + kernel.getSymName() +
                                   "' is wrong: " + toString(std::move(error)));
  return reference;
}

Error ReferenceResults::compareWithEvaluator(llvm::ArrayRef<HostTensor> results) const {
  for (auto [index, result] : llvm::enumerate(results)) {
    Expected<HostTensor> got = gather(result, elements[index]);
    if (!got)
      return got.takeError();
    Comparison comparison = reference::compare(exact[index], *got, policies[index]);
    if (!comparison.agrees)
      return llvm::createStringError("elements of result " + llvm::Twine(index) +
                                     " differ from the evaluator's: " + comparison.describe());
  }
  return Error::success();
}

Error ReferenceResults::compare(llvm::ArrayRef<HostTensor> results) const {
  for (auto [index, expected, got] : llvm::enumerate(defaults, results)) {
    // Both may be off by the bound, in opposite directions.
    ComparePolicy policy = policies[index];
    policy.relative *= 2;
    policy.absolute *= 2;
    Comparison comparison = reference::compare(expected, got, policy);
    if (!comparison.agrees)
      return llvm::createStringError("result " + llvm::Twine(index) +
                                     " differs from the default's: " + comparison.describe());
  }
  return compareWithEvaluator(results);
}
