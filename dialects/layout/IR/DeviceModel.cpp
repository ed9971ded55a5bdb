//===- DeviceModel.cpp - the GPU for which schedules are chosen -----------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/layout/IR/DeviceModel.h"

using namespace mlir;
using namespace mlir::tssa::layout;

static constexpr int64_t mostBytes = int64_t(1) << 40;

/// The limits keep every product of two numbers of the model far below 2^63.
static constexpr DeviceField fields[] = {
    {"processors", &DeviceModel::processors, 1 << 16, false},
    {"megahertz", &DeviceModel::megahertz, 1 << 20, false},
    {"registers", &DeviceModel::registers, 1 << 24, false},
    {"threads", &DeviceModel::threads, 1 << 16, false},
    {"blocks", &DeviceModel::blocks, 1 << 16, false},
    {"sharedBytes", &DeviceModel::sharedBytes, 1 << 30, false},
    {"blockSharedBytes", &DeviceModel::blockSharedBytes, 1 << 30, false},
    {"multiplyAdds", &DeviceModel::multiplyAdds, 1 << 20, false},
    {"matrixMultiplyAdds", &DeviceModel::matrixMultiplyAdds, 1 << 20, false},
    {"l2CycleBytes", &DeviceModel::l2CycleBytes, 1 << 20, false},
    {"l2Bytes", &DeviceModel::l2Bytes, mostBytes, false},
    {"memoryMegabytes", &DeviceModel::memoryMegabytes, mostBytes, false},
    {"l2Latency", &DeviceModel::l2Latency, 1 << 20, false},
    {"memoryLatency", &DeviceModel::memoryLatency, 1 << 20, false},
    {"launchNanoseconds", &DeviceModel::launchNanoseconds, 1 << 30, false},
};

ArrayRef<DeviceField> tssa::layout::getDeviceFields() { return fields; }

bool DeviceModel::operator==(const DeviceModel &other) const {
  return areEqual(getDeviceFields(), *this, other);
}

llvm::hash_code tssa::layout::hash_value(const DeviceModel &model) {
  return hashNumbers(getDeviceFields(), model);
}

LogicalResult tssa::layout::checkDeviceModel(const DeviceModel &model,
                                             function_ref<void(const Twine &)> fail) {
  if (failed(checkNumbers(getDeviceFields(), model, fail))) // C1
    return failure();
  if (model.blockSharedBytes <= model.sharedBytes) // C2
    return success();
  fail("expects 'blockSharedBytes' to be at most 'sharedBytes', got " +
       Twine(model.blockSharedBytes) + " and " + Twine(model.sharedBytes));
  return failure();
}
