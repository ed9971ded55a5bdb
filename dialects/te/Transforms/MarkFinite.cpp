//===- MarkFinite.cpp - marks parameters that are always finite -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/te/IR/TEOps.h"
#include "dialects/te/Transforms/Passes.h"
#include "dialects/te/Transforms/WeightCollector.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Remarks.h"
#include <cstring>

namespace mlir::tssa::te {
#define GEN_PASS_DEF_TEMARKFINITE
#include "dialects/te/Transforms/Passes.h.inc"
} // namespace mlir::tssa::te

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::te;

/// Returns whether no element has all bits of `exponent` set, as infinities and NaNs have.
template <typename Bits> static bool allFinite(ArrayRef<char> bytes, Bits exponent) {
  bool finite = true;
  for (size_t at = 0; at < bytes.size(); at += sizeof(Bits)) {
    Bits element;
    std::memcpy(&element, bytes.data() + at, sizeof(Bits));
    finite &= (element & exponent) != exponent;
  }
  return finite;
}

static bool isFinite(ElementsAttr value) {
  Type type = value.getShapedType().getElementType();
  if (!isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(type))
    return false;
  FailureOr<ConstantBytes> constant = ConstantBytes::get(value);
  if (failed(constant))
    return false;
  uint64_t infinity =
      APFloat::getInf(cast<FloatType>(type).getFloatSemantics()).bitcastToAPInt().getZExtValue();
  ArrayRef<char> bytes = constant->getBytes();
  switch (type.getIntOrFloatBitWidth()) {
  case 16:
    return allFinite<uint16_t>(bytes, infinity);
  case 32:
    return allFinite<uint32_t>(bytes, infinity);
  default:
    return allFinite<uint64_t>(bytes, infinity);
  }
}

/// Returns whether `read` is multiplied by a read with a guard.
static bool isMultipliedByGuarded(ReadOp read) {
  return llvm::any_of(read->getUsers(), [&](Operation *user) {
    auto product = dyn_cast<arith::MulFOp>(user);
    return product && llvm::any_of(product->getOperands(), [&](Value factor) {
             auto other = factor.getDefiningOp<ReadOp>();
             return other && other != read && other.getGuard();
           });
  });
}

namespace {
struct MarkFinite : te::impl::TEMarkFiniteBase<MarkFinite> {
  void runOnOperation() override {
    llvm::DenseMap<StringAttr, SmallVector<LaunchOp>> launches;
    getOperation().walk(
        [&](LaunchOp launch) { launches[launch.getKernelAttr().getAttr()].push_back(launch); });
    for (auto kernel : getOperation().getOps<KernelOp>())
      for (BlockArgument parameter : kernel.getBody().getArguments())
        if (isUseful(parameter) &&
            isFiniteIn(launches.lookup(kernel.getSymNameAttr()), parameter.getArgNumber())) {
          kernel.setFinite(parameter.getArgNumber());
          ++numMarked;
          remark::passed(kernel.getLoc(),
                         remark::RemarkOpts::name("finite").category(getArgument()))
              << remark::metric("Kernel", kernel.getSymName())
              << remark::metric("Parameter", parameter.getArgNumber());
        }
  }

private:
  static bool isUseful(BlockArgument parameter) {
    return llvm::any_of(parameter.getUsers(), [](Operation *user) {
      auto read = dyn_cast<ReadOp>(user);
      return read && isMultipliedByGuarded(read);
    });
  }

  bool isFiniteIn(ArrayRef<LaunchOp> launches, unsigned arg) {
    return !launches.empty() && llvm::all_of(launches, [&](LaunchOp launch) {
      auto constant = launch.getInputs()[arg].getDefiningOp<ConstantOp>();
      return constant && isFinite(constant);
    });
  }

  bool isFinite(ConstantOp constant) {
    auto [known, isNew] = finite.insert({constant, false});
    if (isNew)
      known->second = ::isFinite(constant.getValue());
    return known->second;
  }

  llvm::DenseMap<Operation *, bool> finite;
};
} // namespace
