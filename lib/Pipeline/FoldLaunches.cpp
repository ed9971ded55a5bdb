//===- FoldLaunches.cpp - kernels of constants run at compile time -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/te/IR/ElementBytes.h"
#include "dialects/te/IR/Rounding.h"
#include "dialects/te/IR/Sizes.h"
#include "dialects/te/IR/TEOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Remarks.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tssa/Pipeline/Passes.h"
#include "tssa/Reference/Evaluator.h"
#include "tssa/Support/CheckedSize.h"
#include "llvm/ADT/SetVector.h"

namespace tssa {
#define GEN_PASS_DEF_FOLDLAUNCHES
#include "tssa/Pipeline/Passes.h.inc"
} // namespace tssa

using namespace mlir;
using namespace mlir::tssa;
using namespace ::tssa::reference;
using ::tssa::CheckedSize;

/// Limit on the bytes of the results of one launch: `growth` times the bytes of its operands, plus
/// `fewBytes`.
static constexpr int64_t fewBytes = 4096;
static constexpr int64_t growth = 4;
/// Limits on the bytes of the constants that replace one launch, and all launches of a program.
static constexpr int64_t mostBytes = 16 << 20;
static constexpr int64_t mostBytesInAll = 64 << 20;
/// Limit on the number of points that one launch may compute.
static constexpr int64_t mostPoints = 16 << 20;

/// Returns the size of a tensor in bytes, or nothing if it is dynamic or above `mostBytes`.
static std::optional<int64_t> countBytes(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape())
    return std::nullopt;
  CheckedSize bytes =
      CheckedSize::product(tensor.getShape(), te::getElementBytes(tensor.getElementType()));
  return bytes.fits(mostBytes) ? bytes.get() : std::nullopt;
}

namespace {
struct FoldLaunches : ::tssa::impl::FoldLaunchesBase<FoldLaunches> {
  void runOnOperation() final {
    SymbolTable symbols(getOperation());
    SmallVector<te::LaunchOp> launches;
    getOperation().walk([&](te::LaunchOp launch) { launches.push_back(launch); });
    SmallPtrSet<Operation *, 8> kernels;
    for (te::LaunchOp launch : launches) {
      auto kernel = symbols.lookup<te::KernelOp>(launch.getKernel());
      if (!hasConstantOperands(launch))
        continue;
      StringRef obstacle = findObstacle(launch, kernel);
      Location loc = launch.getLoc();
      if (obstacle.empty() && !fold(launch, kernel))
        obstacle = "its evaluation fails: the run reports the error";
      explain(loc, kernel, obstacle);
      if (obstacle.empty())
        kernels.insert(kernel);
    }
    for (Operation *constant : constants)
      if (isOpTriviallyDead(constant))
        constant->erase();
    for (Operation *kernel : kernels)
      if (SymbolTable::symbolKnownUseEmpty(kernel, getOperation()))
        symbols.erase(kernel);
  }

private:
  static bool hasConstantOperands(te::LaunchOp launch) {
    return llvm::all_of(launch.getInputs(), [](Value input) {
      return input.getDefiningOp<te::ConstantOp>() || matchPattern(input, m_Constant());
    });
  }

  /// Returns why a launch of constants cannot be folded; empty if it can.
  StringRef findObstacle(te::LaunchOp launch, te::KernelOp kernel) const {
    int64_t given = 0, made = 0;
    for (Value input : launch.getInputs())
      if (auto constant = input.getDefiningOp<te::ConstantOp>())
        given += countBytes(constant.getType()).value_or(mostBytes);
    for (Type type : launch.getResultTypes()) {
      std::optional<int64_t> bytes = countBytes(type);
      if (!bytes)
        return "the size of a result is dynamic or beyond the limit";
      made += *bytes;
    }
    if (made > mostBytes || made > given * growth + fewBytes)
      return "its results are too large for its operands";
    if (total + made > mostBytesInAll)
      return "the program has too many bytes of folded constants";
    if (made > fewBytes && onlyWidens(kernel))
      return "it only widens a constant, which takes less memory as it is";
    return isQuick(kernel) ? "" : "it computes too many points, or has a te.update";
  }

  void explain(Location loc, te::KernelOp kernel, StringRef obstacle) {
    auto options = remark::RemarkOpts::name("folded").category(getArgument());
    if (obstacle.empty())
      remark::passed(loc, options)
          << remark::metric("Kernel", kernel.getSymName()) << remark::metric("BytesInAll", total);
    else
      remark::missed(loc, options)
          << remark::metric("Kernel", kernel.getSymName()) << remark::reason("{0}", obstacle);
  }

  static bool onlyWidens(te::KernelOp kernel) {
    return llvm::all_of(kernel.getBodyBlock().getOps<te::ComputeOp>(), te::isWidening);
  }

  static bool isQuick(te::KernelOp kernel) {
    int64_t points = 0;
    for (auto expression : kernel.getBodyBlock().getOps<te::ExpressionOpInterface>()) {
      SmallVector<int64_t> sizes;
      for (OpFoldResult size : expression.getIterationDomain())
        sizes.push_back(te::getConstantSize(size).value_or(ShapedType::kDynamic));
      CheckedSize own = CheckedSize::product(sizes);
      if (!own.fits(mostPoints)) // a dynamic size is negative
        return false;
      points += *own.get();
    }
    return points <= mostPoints && kernel.getBodyBlock().getOps<te::UpdateOp>().empty();
  }

  /// Replaces the launch by constants. If its evaluation fails, returns false and leaves the launch
  /// to the run.
  bool fold(te::LaunchOp launch, te::KernelOp kernel) {
    SmallVector<HostValue> inputs;
    for (Value input : launch.getInputs()) {
      if (auto constant = input.getDefiningOp<te::ConstantOp>()) {
        llvm::Expected<HostTensor> tensor = getConstantTensor(constant.getValue());
        if (!tensor) {
          llvm::consumeError(tensor.takeError());
          return false;
        }
        inputs.push_back(std::move(*tensor));
        continue;
      }
      Attribute value;
      matchPattern(input, m_Constant(&value));
      if (auto integer = dyn_cast<IntegerAttr>(value))
        inputs.push_back(makeInt(integer.getValue().getSExtValue()));
      else if (auto real = dyn_cast<FloatAttr>(value))
        inputs.push_back(makeFloat(real.getValueAsDouble()));
      else
        return false;
    }
    llvm::Expected<std::vector<HostTensor>> results = evaluateKernel(kernel, inputs);
    if (!results) {
      // The run reports the error (such as an index out of bounds) where it happens.
      llvm::consumeError(results.takeError());
      return false;
    }
    for (Value input : launch.getInputs())
      constants.insert(input.getDefiningOp());
    OpBuilder builder(launch);
    for (auto [result, tensor] : llvm::zip_equal(launch.getResults(), *results))
      result.replaceAllUsesWith(makeConstant(builder, launch.getLoc(), result.getType(), tensor));
    launch.erase();
    ++numFolded;
    return true;
  }

  Value makeConstant(OpBuilder &builder, Location loc, Type type, const HostTensor &tensor) {
    auto tensorType = cast<RankedTensorType>(type);
    size_t size = *countBytes(type);
    total += size;
    ArrayRef<char> bytes(reinterpret_cast<const char *>(tensor.getData()), size);
    auto elements = DenseResourceElementsAttr::get(
        tensorType, "folded", HeapAsmResourceBlob::allocateAndCopyWithAlign(bytes, 64));
    return te::ConstantOp::create(builder, loc, tensorType, elements);
  }

  int64_t total = 0;
  SetVector<Operation *> constants; ///< the operands of what was folded
};
} // namespace
