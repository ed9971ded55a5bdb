//===- HostEmitter.h - one host program, operation by operation -*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LIB_CONVERSION_HOSTTOLLVM_HOSTEMITTER_H
#define LIB_CONVERSION_HOSTTOLLVM_HOSTEMITTER_H

#include "NodeTable.h"
#include "Routines.h"
#include "dialects/te/IR/TEOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"

namespace tssa {

/// Writes `@tssa_run` from a `@main` whose control flow consists of blocks and branches. A memref
/// becomes a pointer and its dynamic sizes; its elements are always contiguous. If the memory is
/// device memory, the host program never dereferences such a pointer: only the device and the
/// host's `copy` function do.
class HostEmitter {
public:
  HostEmitter(mlir::ModuleOp module, mlir::func::FuncOp main, NodeTable &nodes, bool device)
      : module(module), main(main), nodes(nodes), device(device), routines(module), builder(main) {}

  mlir::LogicalResult run();

private:
  /// A contiguous tensor in memory. Values for static sizes are created on demand.
  struct Buffer {
    mlir::Value pointer;
    mlir::SmallVector<mlir::Value> dynamicSizes;
  };

  mlir::ModuleOp module;
  mlir::func::FuncOp main;
  NodeTable &nodes;
  bool device;
  Routines routines;
  mlir::OpBuilder builder;
  mlir::func::FuncOp function;
  mlir::Block *entry = nullptr, *exit = nullptr;
  mlir::Value host, arguments, results;
  mlir::Value context, shapes, tensors; // scratch memory of launches and calls
  int64_t contextBytes = 0, shapeCount = 1, tensorCount = 0;
  mlir::IRMapping values;
  mlir::DenseMap<mlir::Value, Buffer> buffers;
  mlir::DenseMap<mlir::Block *, mlir::Block *> blocks;

  // HostEmitter.cpp
  void createFunction();
  mlir::LogicalResult createBlocks();
  void loadArguments();
  mlir::LogicalResult emit(mlir::Operation *op);
  mlir::LogicalResult emitBranch(mlir::Operation *op);
  mlir::LogicalResult expand(mlir::ValueRange operands,
                             mlir::SmallVectorImpl<mlir::Value> &expanded, mlir::Block *target);
  mlir::LogicalResult emitScalar(mlir::Operation *op);

  // HostMemory.cpp
  mlir::LogicalResult emitMemory(mlir::Operation *op);
  void emitView(mlir::memref::ViewOp op);
  void emitAlloc(mlir::memref::AllocOp op);
  void emitResult(mlir::tssa::te::ResultOp op);
  void prepareAllocation(mlir::Value memref, mlir::ValueRange dynamicSizes);
  void finishAllocation(mlir::Value memref, mlir::Value pointer);
  void emitCopy(mlir::memref::CopyOp op);
  void emitSelect(mlir::arith::SelectOp op);
  mlir::Value loadElement(mlir::Location loc, mlir::Type type, mlir::Value address);
  void storeElement(mlir::Location loc, mlir::Value value, mlir::Value address);
  mlir::LogicalResult emitDim(mlir::memref::DimOp op);
  mlir::Value emitAddress(mlir::Location loc, mlir::Value memref, mlir::ValueRange indices);
  mlir::SmallVector<mlir::Value> getSizes(mlir::Location loc, mlir::Value memref);
  mlir::Value getCount(mlir::Location loc, mlir::Value memref);
  mlir::Value getBytes(mlir::Location loc, mlir::Value memref);
  void storeShape(mlir::Location loc, mlir::ValueRange sizes, int64_t first);

  // HostCalls.cpp
  mlir::LogicalResult emitLaunch(mlir::tssa::te::LaunchOp op);
  /// Returns the bytes of the memory of a thread that `kernel` needs, and makes sure that the
  /// threads have it.
  mlir::Value emitScratch(mlir::func::FuncOp kernel, mlir::ValueRange scalars);
  mlir::LogicalResult emitExtern(mlir::tssa::te::ExternOp op);
  void emitTensor(mlir::Location loc, mlir::Value value, int64_t slot);
  mlir::Value callRoutine(mlir::tssa::te::ExternOp op, mlir::Value attributes);
  void emitCheck(mlir::tssa::te::CheckOp op);
  void emitPoll(mlir::tssa::te::PollOp op);
  void emitRandomKey(mlir::tssa::te::RandomKeyOp op);
  void emitDivisionCheck(mlir::Operation *op);

  // HostDevice.cpp
  mlir::LogicalResult emitDeviceLaunch(mlir::tssa::te::LaunchOp op);
  /// Copies `bytes` bytes from `from` to `to`, at least one of which is in device memory. `kind`
  /// gives the direction.
  void emitTransfer(mlir::Location loc, mlir::Value to, mlir::Value from, mlir::Value bytes,
                    int32_t kind);
  mlir::Value loadFromDevice(mlir::Location loc, mlir::Type type, mlir::Value address);
  void storeToDevice(mlir::Location loc, mlir::Value value, mlir::Value address);
  mlir::Value callWithCopies(mlir::tssa::te::ExternOp op, mlir::Value attributes);

  // Helpers that build small pieces of LLVM IR.
  mlir::Type pointerType();
  mlir::Value constant(mlir::Location loc, mlir::Type type, int64_t value);
  mlir::Value index(mlir::Location loc, int64_t value);
  mlir::Value toI64(mlir::Location loc, mlir::Value index);
  mlir::Value toIndex(mlir::Location loc, mlir::Value i64);
  mlir::Value offset(mlir::Location loc, mlir::Value pointer, int64_t bytes);
  mlir::Value load(mlir::Location loc, mlir::Type type, mlir::Value pointer, int64_t bytes);
  void store(mlir::Location loc, mlir::Value value, mlir::Value pointer, int64_t bytes);
  /// Converts a scalar to its form in memory: an index has 64 bits, a bool 8.
  mlir::Value toMemory(mlir::Location loc, mlir::Value scalar);
  mlir::Value allocateScratch(int64_t bytes);
  /// Leaves the function with error `code`, unless `code` is 0.
  void leaveUnlessZero(mlir::Location loc, mlir::Value code);
  /// Reports `text` and leaves the function with `code` if `failed` holds.
  void failWhen(mlir::Location loc, mlir::Value failed, int32_t code, mlir::StringRef text);
};

} // namespace tssa

#endif // LIB_CONVERSION_HOSTTOLLVM_HOSTEMITTER_H
