//===- AMX.h - registers of matrices of x86 ---------------------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LIB_TARGET_CPU_AMX_H
#define LIB_TARGET_CPU_AMX_H

#include "tssa/Conversion/KernelTarget.h"

namespace tssa::cpu {

/// The tile registers of Intel AMX (Intel SDM, volume 1, chapter 18), by the instructions that name
/// them: LLVM could not copy or spill values of them.
class AMXRegisters : public conversion::MatrixRegisters {
public:
  mlir::MemRefType getConfigurationType(mlir::OpBuilder &builder) override;
  void buildConfiguration(conversion::IndexBuilder &index, mlir::Value memory,
                          llvm::ArrayRef<mlir::OpFoldResult> rows) override;
  void buildConfigure(conversion::IndexBuilder &index, mlir::Value memory) override;
  void buildZero(conversion::IndexBuilder &index, unsigned number) override;
  void buildLoad(conversion::IndexBuilder &index, unsigned number,
                 const conversion::MatrixAccess &access) override;
  void buildStore(conversion::IndexBuilder &index, unsigned number,
                  const conversion::MatrixAccess &access) override;
  void buildProduct(conversion::IndexBuilder &index, const mlir::tssa::layout::Atom &atom,
                    unsigned sums, Factor lhs, Factor rhs) override;
};

} // namespace tssa::cpu

#endif // LIB_TARGET_CPU_AMX_H
