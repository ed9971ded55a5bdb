//===- DeviceKernel.h - how kernels run on a GPU -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LIB_TARGET_CUDA_DEVICEKERNEL_H
#define LIB_TARGET_CUDA_DEVICEKERNEL_H

#include "dialects/layout/Analysis/CodeRules.h"
#include "tssa/Conversion/KernelTarget.h"

namespace tssa::cuda {

/// A target on which a block of threads runs one iteration. Buffers that the threads share are
/// parts of the dynamic shared memory. A vector is read or written by accesses of up to 16 bytes if
/// it has no mask and its address is known to be a multiple of the vector's size. Any other vector
/// is read or written by one access per lane.
class DeviceKernel : public conversion::KernelTarget, public conversion::BlockThreads {
public:
  using LaneAccess = conversion::LaneAccess;
  using IndexBuilder = conversion::IndexBuilder;

  explicit DeviceKernel(mlir::tssa::te::KernelOp kernel);

  llvm::ArrayRef<mlir::tssa::layout::Level> getLevels() const override;
  conversion::BlockThreads *getThreads() override { return this; }
  bool masksVectors() const override { return false; }
  bool branchesAroundReads() const override { return true; }
  llvm::SmallVector<mlir::Type> getFurtherParameters(mlir::MLIRContext *context) const override {
    return {};
  }
  void buildIterations(IndexBuilder &index, mlir::func::FuncOp func,
                       llvm::function_ref<void(mlir::Value)> body) override;
  mlir::Value buildGrain(IndexBuilder &index, mlir::Value count, mlir::AffineExpr work) override;
  mlir::Value makeScratch(mlir::OpBuilder &builder, mlir::Location loc, mlir::func::FuncOp func,
                          mlir::MemRefType type, mlir::Value size) override;
  int64_t getScratchLimit() const override { return mlir::tssa::layout::deviceScratchBytes; }
  void buildFailure(IndexBuilder &index, mlir::Value errors) override;
  mlir::Value buildLoad(IndexBuilder &index, const LaneAccess &access, mlir::Value mask,
                        mlir::Value pad) override;
  void buildStore(IndexBuilder &index, const LaneAccess &access, mlir::Value mask,
                  mlir::Value value) override;
  mlir::LogicalResult finish(mlir::func::FuncOp func) override;

  mlir::Value buildNumber(IndexBuilder &index) override;
  void buildBarrier(IndexBuilder &index) override;
  mlir::Value buildExchange(IndexBuilder &index, mlir::Value value, int64_t distance) override;
  void buildCopy(IndexBuilder &index, const AsyncCopy &copy) override;
  void buildCommit(IndexBuilder &index) override;
  void buildAwait(IndexBuilder &index, int64_t groups) override;
  mlir::Value buildMatrices(IndexBuilder &index, mlir::Value shared, mlir::Value address,
                            int64_t count, bool transposes) override;
  mlir::Value buildProduct(IndexBuilder &index, mlir::Value lhs, mlir::Value rhs,
                           mlir::Value sums) override;
  mlir::Value makeShared(mlir::OpBuilder &builder, mlir::Location loc, mlir::func::FuncOp func,
                         mlir::MemRefType type) override;
  void reuseShared(llvm::function_ref<void()> body) override;

private:
  unsigned numRead;        ///< of how many parameters, the first ones, no thread writes the memory
  int64_t sharedBytes = 0; ///< that are in use
  int64_t mostSharedBytes = 0; ///< that were in use at a time
  mlir::Value sharedMemory;    ///< all dynamic shared memory; made at the first use
};

} // namespace tssa::cuda

#endif // LIB_TARGET_CUDA_DEVICEKERNEL_H
