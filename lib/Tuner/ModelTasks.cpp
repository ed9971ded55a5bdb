//===- ModelTasks.cpp - the tasks of a program ----------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tssa/Tuner/ModelTasks.h"
#include "Capture.h"
#include "LaunchSizes.h"
#include "dialects/layout/Transforms/Passes.h"
#include "dialects/te/Analysis/BodyFacts.h"
#include "dialects/te/Analysis/ValueNames.h"
#include "dialects/te/IR/ElementBytes.h"
#include "dialects/te/Transforms/FixSizes.h"
#include "mlir/Pass/PassManager.h"
#include "tssa/Pipeline/Records.h"
#include "tssa/Pipeline/SizeVersions.h"

using namespace mlir;
using namespace ::tssa;
using namespace ::tssa::tuner;
namespace te = mlir::tssa::te;
namespace layout = mlir::tssa::layout;
using llvm::Error;
using llvm::Expected;

namespace {
class TaskCollector {
public:
  TaskCollector(llvm::ArrayRef<TunedPoint> points) : points(points) {}

  /// Adds the kernels of known sizes of `module`, or the conversions.
  void addFixed(ModuleOp module, bool conversions) {
    for (const KernelTask &task : findTasks(module)) {
      te::KernelOp kernel = task.kernel;
      if (isConversion(kernel) == conversions && te::getSizeParameters(kernel).empty() &&
          countObstacle(kernel))
        add(task, kernel.getSymName().str(), countCalls(task.launches));
    }
  }

  /// Adds the versions of the kernels of open sizes.
  void addVersions(ModuleOp module) {
    auto main = module.lookupSymbol<func::FuncOp>("main");
    std::vector<SizesOfPoint> sizes;
    for (const TunedPoint &point : points)
      sizes.push_back({{main, point.sizes}, {main, point.least}, {main, point.greatest}});
    for (const KernelTask &task : findTasks(module))
      if (!te::getSizeParameters(task.kernel).empty())
        addVersions(task, sizes);
  }

  ModelTasks take() { return std::move(result); }

private:
  using Sizes = llvm::SmallVector<int64_t>;
  /// The sizes of launches at a point, and at the points up to which its loops may serve.
  struct SizesOfPoint {
    LaunchSizes sizes, least, greatest;
  };

  /// Returns whether the kernel can be tuned, or counts why not.
  bool countObstacle(te::KernelOp kernel) {
    std::string obstacle = findObstacle(kernel);
    if (!obstacle.empty())
      ++result.obstacles[obstacle];
    return obstacle.empty();
  }

  static double countCalls(llvm::ArrayRef<te::LaunchOp> launches) {
    double calls = 0;
    for (te::LaunchOp launch : launches)
      calls += te::countTrips(launch);
    return calls;
  }

  static std::string describeNodes(const KernelTask &task) {
    constexpr size_t most = 400;
    llvm::SetVector<llvm::StringRef> nodes;
    if (!task.launches.empty()) {
      te::LaunchOp launch = task.launches.front();
      te::collectNodes(launch.getLoc(), nodes);
    }
    std::string text = llvm::join(nodes, ", ");
    return text.size() <= most ? text : text.substr(0, most) + "...";
  }

  static std::string describeTypes(te::KernelOp kernel) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    FunctionType type = kernel.getFunctionType();
    auto print = [&](Type each) {
      auto tensor = dyn_cast<RankedTensorType>(each);
      stream << (tensor ? tensor.getElementType() : each);
      if (!tensor)
        return;
      stream << '[';
      llvm::interleave(
          tensor.getShape(), stream,
          [&](int64_t size) {
            if (ShapedType::isDynamic(size))
              stream << '?';
            else
              stream << size;
          },
          ",");
      stream << ']';
    };
    llvm::interleave(type.getInputs(), stream, print, ", ");
    stream << " -> ";
    llvm::interleave(type.getResults(), stream, print, ", ");
    return text;
  }

  void add(const KernelTask &task, const std::string &name, double calls) {
    std::string text = getTaskText(task.kernel, task.constants), key = getTaskKey(text);
    auto [found, isNew] = known.try_emplace(key, result.tasks.size());
    if (isNew)
      result.tasks.push_back(
          {{key, text}, name, 0, 0, describeNodes(task), describeTypes(task.kernel)});
    result.tasks[found->second].calls += calls;
  }

  void addVersions(const KernelTask &task, std::vector<SizesOfPoint> &points) {
    te::KernelOp kernel = task.kernel;
    OpenKernel open{kernel.clone(), task.constants, {}};
    bool isTuned = false;
    for (SizesOfPoint &point : points) {
      std::vector<VersionSizes> &versions = open.versions.emplace_back();
      for (te::LaunchOp launch : findVersionedLaunches(task)) {
        std::optional<Sizes> sizes = getSizes(launch, kernel, point.sizes);
        if (!sizes || !addVersion(task, *sizes, te::countTrips(launch)) ||
            llvm::is_contained(llvm::map_range(versions, std::mem_fn(&VersionSizes::sizes)),
                               *sizes))
          continue;
        versions.push_back({*sizes, getRanges(launch, kernel, *sizes, point)});
      }
      isTuned |= !versions.empty();
    }
    if (isTuned)
      result.openKernels.push_back(std::move(open));
    else
      countObstacle(kernel);
  }

  /// Returns the bounds between which the loops for `sizes` may serve, or none.
  static llvm::SmallVector<std::pair<int64_t, int64_t>> getRanges(te::LaunchOp launch,
                                                                  te::KernelOp kernel,
                                                                  llvm::ArrayRef<int64_t> sizes,
                                                                  SizesOfPoint &point) {
    std::optional<Sizes> least = getSizes(launch, kernel, point.least),
                         greatest = getSizes(launch, kernel, point.greatest);
    if (!least || !greatest || *least == *greatest)
      return {};
    llvm::SmallVector<std::pair<int64_t, int64_t>> ranges;
    for (auto [size, low, high] : llvm::zip_equal(sizes, *least, *greatest)) {
      if (low > size || high < size)
        return {};
      ranges.push_back({low, high});
    }
    return ranges;
  }

  static std::optional<Sizes> getSizes(te::LaunchOp launch, te::KernelOp kernel,
                                       LaunchSizes &ofPoint) {
    Sizes sizes;
    for (unsigned parameter : te::getSizeParameters(kernel)) {
      std::optional<int64_t> size = ofPoint.get(launch.getInputs()[parameter]);
      if (!size || *size < 0 || *size > maxSize)
        return std::nullopt;
      sizes.push_back(*size);
    }
    return sizes;
  }

  /// Adds the task of a version. Returns whether there is one.
  bool addVersion(const KernelTask &task, llvm::ArrayRef<int64_t> sizes, double calls) {
    OwningOpRef<te::KernelOp> kernel;
    auto version = makeVersion(task, sizes, kernel);
    if (!version) {
      llvm::consumeError(version.takeError());
      return false;
    }
    te::KernelOp open = task.kernel;
    add(*version, getVersionName(open, sizes), calls);
    return true;
  }

  llvm::ArrayRef<TunedPoint> points;
  llvm::StringMap<size_t> known; ///< tasks by key
  ModelTasks result;
};
} // namespace

Expected<ModelTasks> tuner::collectTasks(ModuleOp module, const layout::MachineModel &machine,
                                         llvm::ArrayRef<TunedPoint> points) {
  TaskCollector collector(points);
  OwningOpRef<ModuleOp> copy = module.clone();
  PassManager choice(module.getContext()), application(module.getContext());
  layout::buildChooseStores(choice, machine);
  layout::buildApplyStores(application);
  if (Error error = capture(*module.getContext(), [&] { return choice.run(*copy); }))
    return std::move(error);
  collector.addFixed(*copy, /*conversions=*/false);
  if (Error error = capture(*module.getContext(), [&] { return application.run(*copy); }))
    return std::move(error);
  collector.addFixed(*copy, /*conversions=*/true);
  collector.addVersions(*copy);
  return collector.take();
}

uint64_t tuner::countWeightBytes(ModuleOp module) {
  uint64_t bytes = 0;
  module.walk([&](te::ConstantOp constant) {
    RankedTensorType type = constant.getType();
    bytes += uint64_t(type.getNumElements()) * te::getElementBytes(type.getElementType());
  });
  return bytes;
}
