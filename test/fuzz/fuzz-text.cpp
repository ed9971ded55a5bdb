//===- fuzz-text.cpp - hostile text of our dialects -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Parses and verifies the input as a module of te, layout, tssa and the dialects that are used
/// with them. A module that is accepted is printed, and the printed text must be accepted again.
///
//===----------------------------------------------------------------------===//

#include "dialects/layout/IR/LayoutOps.h"
#include "dialects/te/IR/TEDialect.h"
#include "dialects/tssa/IR/TSSAOps.h"
#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Parser/Parser.h"
#include "test/fuzz/Context.h"
#include "test/fuzz/TextMutator.h"
#include "tssa/Pipeline/CheckText.h"
#include "llvm/Support/MemoryBufferRef.h"

using namespace mlir;

static OwningOpRef<ModuleOp> parse(MLIRContext &context, llvm::StringRef text) {
  return parseSourceString<ModuleOp>(text, ParserConfig(&context));
}

/// Returns the project's dialects and the MLIR dialects that are used with them.
static DialectRegistry getDialects() {
  DialectRegistry registry;
  registry.insert<affine::AffineDialect, arith::ArithDialect, func::FuncDialect, math::MathDialect,
                  memref::MemRefDialect, scf::SCFDialect, tensor::TensorDialect,
                  mlir::tssa::layout::LayoutDialect, mlir::tssa::refs::TSSADialect,
                  mlir::tssa::te::TEDialect>();
  return registry;
}

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maxSize);

/// Usually changes tokens, because most changes of bytes are already rejected by the lexer.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t maxSize,
                                          unsigned seed) {
  if (seed % 8 == 0)
    return LLVMFuzzerMutate(data, size, maxSize);
  std::string text =
      ::tssa::fuzz::TextMutator(seed).mutate({reinterpret_cast<const char *>(data), size});
  if (text.size() > maxSize)
    return size;
  std::copy(text.begin(), text.end(), data);
  return text.size();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  // A string, since the lexer needs a zero after the end.
  std::string text(reinterpret_cast<const char *>(data), size);
  if (isBytecode(llvm::MemoryBufferRef(text, "")))
    return 0;
  if (llvm::Error error = ::tssa::checkText(text)) {
    llvm::consumeError(std::move(error));
    return 0;
  }
  static ::tssa::fuzz::Context contexts(getDialects());
  MLIRContext &context = contexts.get();
  OwningOpRef<ModuleOp> module = parse(context, text);
  if (!module)
    return 0;
  std::string printed;
  llvm::raw_string_ostream(printed) << *module;
  if (!parse(context, printed))
    __builtin_trap();
  return 0;
}
