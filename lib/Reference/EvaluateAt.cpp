//===- EvaluateAt.cpp - evaluate kernels at single points -----------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ComputeEvaluator.h"
#include "Interpreter.h"
#include "tssa/Support/CheckedSize.h"

using namespace mlir;
namespace reference = ::tssa::reference;
using namespace ::tssa::reference;
using namespace mlir::tssa;
using llvm::Error;
using llvm::Expected;

/// The largest number of points of iteration domains that are evaluated.
static constexpr int64_t maxPoints = int64_t(1) << 30;

/// Returns `value` as it is after a store to a tensor of `kind`.
static Scalar roundTrip(ElementKind kind, Scalar value) {
  uint8_t bytes[8] = {};
  storeElement(kind, bytes, 0, value);
  return loadElement(kind, bytes, 0);
}

namespace {
/// A te.compute whose points are evaluated when one of their results is first read.
class LazyCompute {
public:
  LazyCompute(te::ComputeOp op, Environment environment, ArrayRef<int64_t> sizes, bool wideSums,
              double *sumMagnitude, std::shared_ptr<int64_t> budget)
      : location(op.getLoc()), evaluator(op, environment, sizes, wideSums, sumMagnitude),
        budget(std::move(budget)) {}

  /// Compiles the bodies and returns the results without bytes.
  Expected<SmallVector<HostTensor>> compile(te::ComputeOp op);
  Expected<Scalar> get(unsigned result, int64_t element);

private:
  Location location;
  ComputeEvaluator evaluator;
  SmallVector<ElementKind> kinds;
  /// The number of evaluations of the body for each element.
  ::tssa::CheckedSize steps;
  std::shared_ptr<int64_t> budget;
  DenseMap<int64_t, SmallVector<Scalar, 1>> known;
};

/// One result of a LazyCompute.
class LazyResult : public ElementSource {
public:
  LazyResult(std::shared_ptr<LazyCompute> compute, unsigned result)
      : compute(std::move(compute)), result(result) {}
  Expected<Scalar> get(int64_t element) override { return compute->get(result, element); }

private:
  std::shared_ptr<LazyCompute> compute;
  unsigned result;
};
} // namespace

Expected<SmallVector<HostTensor>> LazyCompute::compile(te::ComputeOp op) {
  SmallVector<HostTensor> results;
  for (Type type : op.getResultTypes()) {
    Expected<ElementKind> kind = getElementKind(cast<RankedTensorType>(type).getElementType());
    if (!kind)
      return makeError(location, toString(kind.takeError()));
    kinds.push_back(*kind);
    Expected<HostTensor> tensor = HostTensor::borrow(*kind, evaluator.getParallelSizes(), nullptr);
    if (!tensor)
      return makeError(location, toString(tensor.takeError()));
    results.push_back(std::move(*tensor));
  }
  steps = ::tssa::CheckedSize::product(evaluator.getReductionSizes());
  if (Error error = evaluator.compile())
    return error;
  return results;
}

Expected<Scalar> LazyCompute::get(unsigned result, int64_t element) {
  auto it = known.find(element);
  if (it != known.end())
    return it->second[result];
  if (!steps.fits(*budget))
    return makeError(location, "the elements depend on more than " + llvm::Twine(maxPoints) +
                                   " points of expressions");
  *budget -= std::max<int64_t>(*steps.get(), 1);
  Expected<SmallVector<Scalar>> values = evaluator.runAt(element);
  if (!values)
    return values.takeError();
  SmallVector<Scalar, 1> &kept = known[element];
  for (auto [kind, value] : llvm::zip_equal(kinds, *values))
    kept.push_back(roundTrip(kind, value));
  return kept[result];
}

Error Interpreter::defineLazily(te::ComputeOp op, const std::shared_ptr<int64_t> &budget) {
  auto environment = [&](Value value) { return lookup(value); };
  Expected<SmallVector<int64_t>> sizes = getSizes(op, op.getIterationDomain(), environment);
  if (!sizes)
    return sizes.takeError();
  auto compute = std::make_shared<LazyCompute>(op, environment, *sizes, options.wideSums,
                                               &sumMagnitude, budget);
  Expected<SmallVector<HostTensor>> results = compute->compile(op);
  if (!results)
    return results.takeError();
  for (auto [index, result] : llvm::enumerate(op->getResults())) {
    HostValue value((*results)[index]);
    value.elements = std::make_shared<LazyResult>(compute, index);
    set(result, std::move(value));
  }
  return Error::success();
}

Error Interpreter::defineLazily(Block &block) {
  auto budget = std::make_shared<int64_t>(maxPoints);
  for (Operation &op : block.without_terminator()) {
    auto compute = dyn_cast<te::ComputeOp>(op);
    auto isTensor = [](Type type) { return isa<RankedTensorType>(type); };
    if (!compute && !isa<te::ConstantOp>(op) &&
        (llvm::any_of(op.getOperandTypes(), isTensor) ||
         llvm::any_of(op.getResultTypes(), isTensor)))
      return makeError(op.getLoc(), "cannot evaluate '" + op.getName().getStringRef() +
                                        "' at single points");
    if (Error error = compute ? defineLazily(compute, budget) : evaluate(op))
      return error;
  }
  return Error::success();
}

/// Returns the `elements` of `value`, which is the tensor of a result.
static Expected<HostTensor> gather(const HostValue &value, ArrayRef<int64_t> elements) {
  Expected<HostTensor> gathered =
      HostTensor::create(value.tensor->getKind(), {static_cast<int64_t>(elements.size())});
  if (!gathered)
    return gathered.takeError();
  uint8_t *data = gathered->getMutableData();
  for (auto [index, element] : llvm::enumerate(elements)) {
    if (element < 0 || element >= value.tensor->getNumElements())
      return llvm::createStringError("element " + llvm::Twine(element) + " of a result that is " +
                                     value.tensor->describeType());
    Expected<Scalar> scalar = value.elements ? value.elements->get(element)
                                             : Expected<Scalar>(value.tensor->get(element));
    if (!scalar)
      return scalar.takeError();
    storeElement(gathered->getKind(), data, index, *scalar);
  }
  return gathered;
}

Expected<KernelPoints> Interpreter::runKernelAt(te::KernelOp kernel, ArrayRef<HostValue> inputs,
                                                ArrayRef<std::vector<int64_t>> elements) {
  if (Error error = checkKernelArguments(kernel, inputs))
    return error;
  auto results = kernel.getBodyBlock().getTerminator()->getOperands();
  if (elements.size() != results.size())
    return llvm::createStringError("expected elements of " + llvm::Twine(results.size()) +
                                   " results, got " + llvm::Twine(elements.size()));
  frames.emplace_back();
  for (auto [argument, input] : llvm::zip_equal(kernel.getBody().getArguments(), inputs))
    set(argument, input);
  sumMagnitude = 0;
  Error error = defineLazily(kernel.getBodyBlock());
  KernelPoints points;
  for (unsigned i = 0; !error && i < results.size(); ++i) {
    Expected<HostTensor> gathered = gather(get(results[i]), elements[i]);
    if (gathered)
      points.results.push_back(std::move(*gathered));
    else
      error = gathered.takeError();
  }
  points.sumMagnitude = sumMagnitude;
  frames.pop_back();
  if (error)
    return llvm::createStringError("kernel '" + kernel.getSymName() +
                                   "': " + toString(std::move(error)));
  return points;
}

Expected<KernelPoints> reference::evaluateKernelAt(te::KernelOp kernel, ArrayRef<HostValue> inputs,
                                                   ArrayRef<std::vector<int64_t>> elements,
                                                   const EvaluatorOptions &options) {
  Interpreter interpreter(options);
  return interpreter.runKernelAt(kernel, inputs, elements);
}
