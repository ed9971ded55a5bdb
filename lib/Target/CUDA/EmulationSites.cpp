//===- EmulationSites.cpp - tables of emulated kernels --------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emulate.h"
#include "llvm/Support/Path.h"

using namespace mlir;

namespace tssa::cuda {

/// Returns "file:line" of a location that has one. Names of nodes are left out: a kernel is
/// launched for many nodes, and only a launch knows its nodes.
static std::string describeLocation(Location loc) {
  std::string text;
  loc->walk([&](Location inner) {
    auto file = dyn_cast<FileLineColLoc>(inner);
    if (!file || file.getLine() == 0)
      return WalkResult::advance();
    text = llvm::sys::path::filename(file.getFilename().getValue()).str() + ":" +
           std::to_string(file.getLine());
    return WalkResult::interrupt();
  });
  return text;
}

int32_t EmulationSites::add(Location loc, tssa_emulator_site site) {
  std::string text = describeLocation(loc);
  if (!text.empty()) {
    auto [offset, isNew] = offsets.try_emplace(text, static_cast<int32_t>(texts.size()));
    if (isNew)
      texts.append(text.c_str(), text.size() + 1);
    site.text = offset->second;
  }
  sites.push_back(site);
  return static_cast<int32_t>(sites.size() - 1);
}

static LLVM::GlobalOp defineConstant(OpBuilder &builder, Location loc, Type type, const Twine &name,
                                     Attribute value) {
  return LLVM::GlobalOp::create(builder, loc, type, /*isConstant=*/true, LLVM::Linkage::Internal,
                                name.str(), value);
}

void EmulationSites::define(OpBuilder &builder, LLVM::LLVMFuncOp run, StringRef kernel,
                            tssa_emulated_kernel fields) const {
  Location loc = run.getLoc();
  Type i32 = builder.getI32Type(), pointer = LLVM::LLVMPointerType::get(builder.getContext());
  constexpr int64_t numFields = sizeof(tssa_emulator_site) / sizeof(int32_t);
  SmallVector<int32_t> numbers;
  for (const tssa_emulator_site &site : sites)
    numbers.append({site.operation, site.space, site.parameter, site.bytes, site.alignment,
                    site.element, site.text});
  if (sites.empty()) // an LLVM array must not be empty
    numbers.resize(numFields);
  int64_t count = numbers.size() / numFields;
  auto row = LLVM::LLVMArrayType::get(i32, numFields);
  auto table = defineConstant(
      builder, loc, LLVM::LLVMArrayType::get(row, count), kernel + ".sites",
      DenseIntElementsAttr::get(RankedTensorType::get({count, numFields}, i32), numbers));
  auto text =
      defineConstant(builder, loc, LLVM::LLVMArrayType::get(builder.getI8Type(), texts.size()),
                     kernel + ".texts", builder.getStringAttr(texts));

  auto type = LLVM::LLVMStructType::getLiteral(
      builder.getContext(), {pointer, pointer, pointer, i32, i32, i32, i32, i32});
  auto global = defineConstant(builder, loc, type, kernel + ".emulated", {});
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(builder.createBlock(&global.getInitializer()));
  Value value = LLVM::PoisonOp::create(builder, loc, type);
  int64_t field = 0;
  for (StringRef name : {run.getSymName(), table.getSymName(), text.getSymName()})
    value = LLVM::InsertValueOp::create(
        builder, loc, value, LLVM::AddressOfOp::create(builder, loc, pointer, name), field++);
  for (int32_t number : {static_cast<int32_t>(sites.size()), fields.num_params,
                         fields.static_shared_bytes, fields.min_threads, fields.max_threads})
    value = LLVM::InsertValueOp::create(
        builder, loc, value,
        LLVM::ConstantOp::create(builder, loc, i32, builder.getI32IntegerAttr(number)), field++);
  LLVM::ReturnOp::create(builder, loc, value);
}

} // namespace tssa::cuda
