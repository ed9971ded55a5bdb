//===- MachineModel.cpp - the machine for which schedules are chosen -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/layout/IR/MachineModel.h"

using namespace mlir;
using namespace mlir::tssa::layout;

static constexpr int64_t mostBytes = int64_t(1) << 40;
static constexpr int64_t mostProducts = 1 << 20;

/// The limits keep every product of two numbers of the model far below 2^63.
static constexpr MachineField fields[] = {
    {"lanes", &MachineModel::lanes, 64, true},
    {"registers", &MachineModel::registers, 1024, false},
    {"fmaPorts", &MachineModel::fmaPorts, 16, false},
    {"loadPorts", &MachineModel::loadPorts, 16, false},
    {"lineBytes", &MachineModel::lineBytes, 4096, true},
    {"l1Bytes", &MachineModel::l1Bytes, mostBytes, false},
    {"l1Ways", &MachineModel::l1Ways, 1024, false},
    {"l2Bytes", &MachineModel::l2Bytes, mostBytes, false},
    {"l3Bytes", &MachineModel::l3Bytes, mostBytes, false},
    {"bf16Products", &MachineModel::bf16Products, mostProducts, false, /*isOptional=*/true},
    {"byteProducts", &MachineModel::byteProducts, mostProducts, false, /*isOptional=*/true},
    {"bf16MatrixProducts", &MachineModel::bf16MatrixProducts, mostProducts, false,
     /*isOptional=*/true},
    {"byteMatrixProducts", &MachineModel::byteMatrixProducts, mostProducts, false,
     /*isOptional=*/true},
};

ArrayRef<MachineField> tssa::layout::getMachineFields() { return fields; }

bool MachineModel::operator==(const MachineModel &other) const {
  return areEqual(getMachineFields(), *this, other);
}

llvm::hash_code tssa::layout::hash_value(const MachineModel &model) {
  return hashNumbers(getMachineFields(), model);
}

LogicalResult tssa::layout::checkMachineModel(const MachineModel &model,
                                              function_ref<void(const Twine &)> fail) {
  if (failed(checkNumbers(getMachineFields(), model, fail))) // C1
    return failure();
  int64_t setBytes = model.l1Ways * model.lineBytes;
  if (model.l1Bytes % setBytes == 0) // C2
    return success();
  fail("expects 'l1Bytes' to be a multiple of l1Ways * lineBytes = " + Twine(setBytes) + ", got " +
       Twine(model.l1Bytes));
  return failure();
}

void tssa::layout::printNumbers(raw_ostream &stream, const MachineModel &model) {
  printNumbers(stream, getMachineFields(), model);
}
