//===- Routines.cpp - library routines that host code calls --------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Routines.h"

using namespace mlir;

namespace tssa {

LLVM::LLVMFuncOp Routines::declare(StringRef name, LLVM::LLVMFunctionType type) {
  LLVM::LLVMFuncOp &function = functions[name];
  if (!function) {
    OpBuilder top = OpBuilder::atBlockEnd(module.getBody());
    function = LLVM::LLVMFuncOp::create(top, module.getLoc(), name, type);
  }
  return function;
}

Value Routines::call(OpBuilder &builder, Location loc, StringRef name, Type result,
                     ValueRange operands) {
  Type returned = result ? result : LLVM::LLVMVoidType::get(module.getContext());
  auto type = LLVM::LLVMFunctionType::get(returned, llvm::to_vector(operands.getTypes()));
  auto call = LLVM::CallOp::create(builder, loc, declare(name, type), operands);
  return result ? call.getResult() : Value();
}

Value Routines::getAddress(OpBuilder &builder, Location loc, StringRef name,
                           LLVM::LLVMFunctionType type) {
  return LLVM::AddressOfOp::create(builder, loc, declare(name, type));
}

Value Routines::getText(OpBuilder &builder, Location loc, StringRef text) {
  LLVM::GlobalOp &global = texts[text];
  if (!global) {
    OpBuilder top = OpBuilder::atBlockEnd(module.getBody());
    std::string bytes = text.str() + '\0';
    auto type = LLVM::LLVMArrayType::get(builder.getI8Type(), bytes.size());
    global = LLVM::GlobalOp::create(
        top, module.getLoc(), type, /*isConstant=*/true, LLVM::Linkage::Internal,
        "tssa.text." + std::to_string(texts.size()), builder.getStringAttr(bytes));
  }
  return LLVM::AddressOfOp::create(builder, loc, global);
}

} // namespace tssa
