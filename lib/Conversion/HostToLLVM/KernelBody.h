//===- KernelBody.h - a kernel as a thread pool calls it -------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LIB_CONVERSION_HOSTTOLLVM_KERNELBODY_H
#define LIB_CONVERSION_HOSTTOLLVM_KERNELBODY_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace tssa {

/// Defines `@<kernel>.body(context, begin, end)`, a `tssa_body`. The context holds the kernel's
/// parameters: for a memref its pointer and its number of elements, for a scalar 8 bytes. If the
/// kernel needs memory of its thread, the address of the tssa_host follows, from which the function
/// gets it. At last, it holds an i32 that the kernel sets if an index is out of bounds.
class KernelBody {
public:
  KernelBody(mlir::ModuleOp module, mlir::func::FuncOp kernel);

  int64_t getOffset(unsigned parameter) const { return offsets[parameter]; }
  unsigned getNumFields() const { return offsets.size(); }
  /// Returns the offset of the address of the tssa_host, if the kernel needs memory of its thread.
  /// The number of bytes, an i64, lies behind it.
  std::optional<int64_t> getHostOffset() const { return host; }
  int64_t getErrorsOffset() const { return errors; }
  int64_t getContextBytes() const { return errors + 8; }
  mlir::func::FuncOp getFunction() const { return function; }

private:
  mlir::func::FuncOp function;
  mlir::SmallVector<int64_t> offsets;
  std::optional<int64_t> host;
  int64_t errors = 0;
  void create(mlir::ModuleOp module, mlir::func::FuncOp kernel, mlir::StringRef name);
};

} // namespace tssa

#endif // LIB_CONVERSION_HOSTTOLLVM_KERNELBODY_H
