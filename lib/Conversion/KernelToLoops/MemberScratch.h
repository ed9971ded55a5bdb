//===- MemberScratch.h - memory for what an iteration computes -----------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LIB_CONVERSION_KERNELTOLOOPS_MEMBERSCRATCH_H
#define LIB_CONVERSION_KERNELTOLOOPS_MEMBERSCRATCH_H

#include "KernelFunction.h"
#include "MemberBox.h"

namespace tssa::conversion {

/// A member that is computed at a loop.
struct PlacedMember {
  const MemberReads &reads;
  mlir::tssa::te::ComputeOp op;
  const ComputedAt &at;
};

/// The number of elements of a box: the product of a constant and of sizes that only a run knows.
struct BoxCount {
  int64_t constant = 1;
  llvm::SmallVector<mlir::Value> open; ///< parameters of the kernel's function, or computed of them
  bool operator==(const BoxCount &other) const {
    return constant == other.constant && open == other.open;
  }
};

/// The memory for the boxes of a kernel's members, on the stack of a thread or shared by a block.
class MemberScratch {
public:
  MemberScratch(KernelTarget &target) : target(target) {}

  /// Allocates memory for the box of each result of `member`, from `offsets` on, and makes it the
  /// buffer of the result. A result that the kernel returns has its memory already. Code that
  /// computes the same box again, as the versions of a loop do, gets the same memory.
  mlir::FailureOr<llvm::SmallVector<TensorBuffer>>
  allocate(mlir::OpBuilder &builder, KernelFunction &function, const PlacedMember &member,
           llvm::ArrayRef<MemberDim> box, llvm::ArrayRef<mlir::Value> offsets);

private:
  /// Returns the most elements of a box, or an error if only a run knows them and the target must.
  mlir::FailureOr<BoxCount> countElements(const PlacedMember &member, llvm::ArrayRef<MemberDim> box,
                                          const mlir::IRMapping &values);
  mlir::FailureOr<mlir::Value> getMemory(mlir::OpBuilder &builder, mlir::func::FuncOp func,
                                         const PlacedMember &member, mlir::Value result,
                                         const BoxCount &count);

  KernelTarget &target;
  /// By result: where boxes of some size lie.
  llvm::DenseMap<mlir::Value, llvm::SmallVector<std::pair<BoxCount, mlir::Value>, 1>> memories;
  int64_t total = 0; ///< bytes that are constant
};

} // namespace tssa::conversion

#endif // LIB_CONVERSION_KERNELTOLOOPS_MEMBERSCRATCH_H
