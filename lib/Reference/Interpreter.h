//===- Interpreter.h - the host program, op by op --------------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LIB_REFERENCE_INTERPRETER_H
#define LIB_REFERENCE_INTERPRETER_H

#include "TensorOps.h"
#include "dialects/tssa/IR/TSSAOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "tssa/Reference/Evaluator.h"
#include "tssa/Support/RandomKeys.h"

namespace tssa::reference {

class Interpreter {
public:
  explicit Interpreter(const EvaluatorOptions &options) : options(options) {}

  llvm::Expected<llvm::SmallVector<HostValue>> runFunction(mlir::func::FuncOp function,
                                                           llvm::ArrayRef<HostValue> inputs);
  llvm::Expected<llvm::SmallVector<HostTensor>> runKernel(mlir::tssa::te::KernelOp kernel,
                                                          llvm::ArrayRef<HostValue> inputs);
  /// Evaluates elements of the results of a kernel; see `evaluateKernelAt`.
  llvm::Expected<KernelPoints> runKernelAt(mlir::tssa::te::KernelOp kernel,
                                           llvm::ArrayRef<HostValue> inputs,
                                           llvm::ArrayRef<std::vector<int64_t>> elements);
  /// Runs a function of a module after the buffers stage, with its values in planned memory.
  llvm::Expected<std::vector<HostTensor>> runOnMemory(mlir::ModuleOp module,
                                                      mlir::func::FuncOp function,
                                                      llvm::ArrayRef<HostTensor> inputs);

private:
  using Error = llvm::Error;
  /// The values of one function or kernel.
  using Frame = llvm::DenseMap<mlir::Value, HostValue>;

  const HostValue *lookup(mlir::Value value) const;
  HostValue &get(mlir::Value value);
  void set(mlir::Value value, HostValue result);
  void set(mlir::ResultRange values, llvm::ArrayRef<HostTensor> results);
  llvm::SmallVector<HostValue> getAll(mlir::ValueRange values);

  /// Runs all ops of `block` but the terminator.
  Error runBlock(mlir::Block &block);
  Error evaluate(mlir::Operation &op);
  void reportTensors(mlir::Operation &op);
  /// Drops the tensors of `block` whose last user is `op`.
  void releaseAfter(mlir::Operation &op);

  Error evaluate(mlir::tssa::te::ExpressionOpInterface op);
  Error evaluate(mlir::tssa::te::ConstantOp op);
  Error evaluate(mlir::tssa::te::ExternOp op);
  Error evaluate(mlir::tssa::te::CheckOp op);
  Error evaluate(mlir::tssa::te::RandomKeyOp op);
  Error evaluate(mlir::tssa::te::ResultOp op);
  Error evaluate(mlir::tssa::te::LaunchOp op);
  Error evaluate(mlir::tssa::te::JoinOp op);
  Error evaluate(mlir::func::CallOp op);
  Error evaluate(mlir::scf::IfOp op);
  Error evaluate(mlir::scf::ForOp op);
  Error evaluate(mlir::scf::WhileOp op);
  Error evaluate(mlir::arith::ConstantOp op);
  Error evaluate(mlir::arith::SelectOp op);
  Error evaluate(mlir::tensor::DimOp op);
  Error evaluate(mlir::tensor::ExtractOp op);
  Error evaluate(mlir::tensor::FromElementsOp op);
  Error evaluate(mlir::tensor::CastOp op);
  Error evaluate(mlir::tensor::EmptyOp op);
  Error evaluateScalar(mlir::Operation &op);

  /// Defines the results of `op`, whose elements are computed when they are read. At most `budget`
  /// points of iteration domains are evaluated.
  Error defineLazily(mlir::tssa::te::ComputeOp op, const std::shared_ptr<int64_t> &budget);
  Error defineLazily(mlir::Block &block);

  // Refs.
  Error evaluate(mlir::tssa::refs::AllocOp op);
  Error evaluate(mlir::tssa::refs::ViewOp op);
  Error evaluate(mlir::tssa::refs::DimOp op);
  Error evaluate(mlir::tssa::refs::ReadOp op);
  Error evaluate(mlir::tssa::refs::WriteOp op);
  Error evaluate(mlir::tssa::refs::AccessOp op);
  Error evaluate(mlir::tssa::refs::AssignOp op);

  // Memory.
  llvm::Error makeBuffer(mlir::TypedValue<mlir::MemRefType> buffer, mlir::ValueRange dynamicSizes);
  Error evaluate(mlir::memref::AllocOp op);
  Error evaluate(mlir::memref::DeallocOp op);
  Error evaluate(mlir::memref::ViewOp op);
  Error evaluate(mlir::memref::CastOp op);
  Error evaluate(mlir::memref::DimOp op);
  Error evaluate(mlir::memref::LoadOp op);
  Error evaluate(mlir::memref::StoreOp op);
  Error evaluate(mlir::memref::CopyOp op);
  Error evaluateOnMemory(mlir::tssa::te::LaunchOp op, mlir::tssa::te::KernelOp kernel);
  Error evaluateOnMemory(mlir::tssa::te::ExternOp op);
  /// Checks that a launch writes no memory that its kernel still reads.
  Error checkOverwrites(mlir::tssa::te::LaunchOp op, mlir::tssa::te::KernelOp kernel);
  llvm::Expected<llvm::SmallVector<int64_t>> getShape(mlir::MemRefType type,
                                                      mlir::ValueRange dynamicSizes);
  llvm::Expected<int64_t> locate(mlir::Operation *op, const HostMemory &memory,
                                 mlir::ValueRange indices);
  llvm::Expected<llvm::SmallVector<HostValue>> loadAll(mlir::Operation *op,
                                                       mlir::ValueRange values);
  llvm::Expected<HostMemory> makeArena(mlir::ModuleOp module, mlir::func::FuncOp function,
                                       llvm::ArrayRef<HostTensor> inputs);

  const EvaluatorOptions &options;
  llvm::SmallVector<Frame> frames;
  RandomKeys randomKeys{0, 0}; ///< of the first run of a session with seed 0
  /// The largest sum of magnitudes in a reduction since the last launch began.
  double sumMagnitude = 0;
  llvm::DenseMap<mlir::Attribute, HostTensor> constants;
  /// For each op of a block, the values that no later op uses.
  using LastUses = llvm::DenseMap<mlir::Operation *, llvm::SmallVector<mlir::Value, 2>>;
  llvm::DenseMap<mlir::Block *, LastUses> lastUses;
};

/// Checks the tensor arguments of a kernel against its sizes and attributes.
llvm::Error checkKernelArguments(mlir::tssa::te::KernelOp kernel, llvm::ArrayRef<HostValue> inputs);

} // namespace tssa::reference

#endif // LIB_REFERENCE_INTERPRETER_H
