//===- MachineModel.cpp - the machine for which schedules are chosen -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/layout/IR/MachineModel.h"
#include "dialects/layout/IR/LayoutOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tssa::layout;

static constexpr int64_t mostBytes = int64_t(1) << 40;

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
    {"blockThreads", &MachineModel::blockThreads, 1024, true},
    {"sharedBytes", &MachineModel::sharedBytes, mostBytes, false},
};

ArrayRef<MachineField> tssa::layout::getMachineFields() { return fields; }

bool MachineModel::operator==(const MachineModel &other) const {
  return llvm::all_of(
      fields, [&](const MachineField &field) { return this->*field.value == other.*field.value; });
}

llvm::hash_code tssa::layout::hash_value(const MachineModel &model) {
  llvm::hash_code hash(0);
  for (const MachineField &field : fields)
    hash = llvm::hash_combine(hash, model.*field.value);
  return hash;
}

LogicalResult tssa::layout::checkMachineModel(const MachineModel &model,
                                              function_ref<void(const Twine &)> fail) {
  for (const MachineField &field : fields) {
    int64_t value = model.*field.value;
    if (value < 1 || value > field.most ||
        (field.isPowerOf2 && !llvm::isPowerOf2_64(value))) { // C1
      fail("expects '" + field.name + "' to be " + (field.isPowerOf2 ? "a power of 2 " : "") +
           "from 1 to " + Twine(field.most) + ", got " + Twine(value));
      return failure();
    }
  }
  int64_t setBytes = model.l1Ways * model.lineBytes;
  if (model.l1Bytes % setBytes != 0) { // C2
    fail("expects 'l1Bytes' to be a multiple of l1Ways * lineBytes = " + Twine(setBytes) +
         ", got " + Twine(model.l1Bytes));
    return failure();
  }
  if (model.blockThreads % MachineModel::warp != 0) { // C3
    fail("expects 'blockThreads' to be a multiple of the " + Twine(MachineModel::warp) +
         " lanes of a warp, got " + Twine(model.blockThreads));
    return failure();
  }
  return success();
}

void tssa::layout::printNumbers(raw_ostream &stream, const MachineModel &model) {
  stream << '<';
  llvm::interleaveComma(fields, stream, [&](const MachineField &field) {
    stream << field.name << " = " << model.*field.value;
  });
  stream << '>';
}

raw_ostream &tssa::layout::operator<<(raw_ostream &stream, const MachineModel &model) {
  stream << '#' << LayoutDialect::getDialectNamespace() << '.' << MachineAttr::getMnemonic();
  printNumbers(stream, model);
  return stream;
}

MachineModel tssa::layout::getMachineModel(ModuleOp module) {
  auto machine = module->getAttrOfType<MachineAttr>(LayoutDialect::getMachineName());
  return machine ? machine.getModel() : MachineModel();
}

void tssa::layout::setMachineModel(ModuleOp module, const MachineModel &model) {
  module->setAttr(LayoutDialect::getMachineName(), MachineAttr::get(module.getContext(), model));
}
