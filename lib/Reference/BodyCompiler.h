//===- BodyCompiler.h - from a body to instructions ------------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LIB_REFERENCE_BODYCOMPILER_H
#define LIB_REFERENCE_BODYCOMPILER_H

#include "BodyProgram.h"
#include "dialects/te/IR/TEOps.h"
#include "tssa/Reference/HostValue.h"
#include "llvm/ADT/DenseMap.h"

namespace tssa::reference {

/// Looks up a value that is defined outside of a body. Returns null if it is not known.
using Environment = llvm::function_ref<const HostValue *(mlir::Value)>;

/// Compiles bodies, combiners and epilogues of one te op for one execution, in which all sizes are
/// known. All of these programs use the registers of `machine`. The first registers hold the dims
/// of the point.
class BodyCompiler {
public:
  BodyCompiler(RegisterFile &machine, Environment environment, llvm::ArrayRef<int64_t> sizes);

  /// Appends the ops of `block` to `program` and returns the registers of the yielded values.
  /// `arguments` are the registers of the arguments of `block`. With `wide`, results of float ops
  /// are not rounded.
  llvm::Expected<llvm::SmallVector<Register>> compile(mlir::Block &block, BodyProgram &program,
                                                      llvm::ArrayRef<Register> arguments = {},
                                                      bool wide = false);

  /// Appends an op outside of any body and returns the register of its result.
  llvm::Expected<Register> compileScalarOp(mlir::Operation &op, BodyProgram &program);

  /// Compiles `expr`, an index expression over the dims and `symbols`.
  LinearSum compile(mlir::AffineExpr expr, llvm::ArrayRef<LinearSum> symbols, BodyProgram &program,
                    mlir::Location location);
  Condition compile(mlir::IntegerSet set, llvm::ArrayRef<LinearSum> symbols, BodyProgram &program,
                    mlir::Location location);

  /// Returns `value` as an index. It is a constant if `value` is defined outside of the body.
  llvm::Expected<LinearSum> getIndex(mlir::Value value, mlir::Location location);
  llvm::Expected<llvm::SmallVector<LinearSum>> getIndices(mlir::ValueRange values,
                                                          mlir::Location location);

private:
  llvm::Expected<Register> getRegister(mlir::Value value, mlir::Location location);
  Register define(mlir::Value value);
  Register emit(BodyProgram &program, Instruction instruction, mlir::Location location);
  Register materialize(const LinearSum &linear, BodyProgram &program, mlir::Location location);
  LinearSum compileBinary(mlir::AffineBinaryOpExpr expr, llvm::ArrayRef<LinearSum> symbols,
                          BodyProgram &program, mlir::Location location);
  bool staysBelow(const LinearSum &linear, int64_t size) const;

  llvm::Error compileOp(mlir::Operation &op, BodyProgram &program, bool wide);
  llvm::Error compileIndex(mlir::Value result, mlir::AffineExpr expr, mlir::ValueRange symbolValues,
                           BodyProgram &program);
  llvm::Error compileInside(mlir::tssa::te::InsideOp inside, BodyProgram &program);
  llvm::Error compileRead(mlir::tssa::te::ReadOp read, BodyProgram &program);
  llvm::Error compileScalar(mlir::Operation &op, BodyProgram &program, bool wide);

  RegisterFile &machine;
  Environment environment;
  llvm::SmallVector<int64_t> sizes;
  /// Registers of the values of the body, and of the outer values that the body has used so far.
  llvm::DenseMap<mlir::Value, Register> registers;
};

} // namespace tssa::reference

#endif // LIB_REFERENCE_BODYCOMPILER_H
