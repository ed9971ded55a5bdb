//===- DeviceDraft.h - the time of a product on a GPU -----------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_LAYOUT_TEMPLATE_DEVICEDRAFT_H
#define DIALECTS_LAYOUT_TEMPLATE_DEVICEDRAFT_H

#include "dialects/layout/Analysis/Access.h"
#include "dialects/layout/IR/DeviceModel.h"
#include "dialects/layout/Template/DeviceProduct.h"

namespace mlir::tssa::layout {

/// Bytes that the second-level cache and memory move at a time.
inline constexpr double sectorBytes = 32;

/// What a block of a point needs, and what its warps do in one iteration of the loop over steps.
struct DeviceResources {
  int64_t threads = 0;
  int64_t registers = 0;   ///< of a thread
  int64_t sharedBytes = 0; ///< of a block
  double instructions = 0; ///< of a warp
  double multiplyAdds = 0; ///< of a warp: by instructions on matrices, if the point has an atom
  double sharedCycles = 0; ///< of the block: that its accesses of shared memory take
  double filledBytes = 0;  ///< of the block: that come from memory
};

DeviceResources getResources(const DeviceProduct &product, const DevicePoint &point);

/// Returns why `point` cannot be taken on the GPU, or null if it can: it exceeds registers or
/// shared memory, or its threads cannot share its work.
const char *findObstacle(const DeviceProduct &product, const DevicePoint &point,
                         const DeviceModel &device);

/// Returns the blocks of `resources` that a multiprocessor holds at once: 0 if it cannot run one.
int64_t countResidentBlocks(const DeviceResources &resources, const DeviceModel &device);

/// Returns the predicted microseconds of a launch, or nothing if the GPU cannot run it. Blocks run
/// in waves; an iteration takes as long as the scarcest of matrix instructions, issue slots, shared
/// memory, second-level cache and the latency that the pipeline does not hide. Of each rate,
/// kernels get a share (in DeviceDraft.cpp).
std::optional<double> predictMicroseconds(const DeviceProduct &product, const DevicePoint &point,
                                          const DeviceModel &device);

/// Returns the predicted microseconds of a launch that computes `op`, whose reads and writes are
/// `accesses`. A product that is tiled takes the time of its fastest point. Anything else takes the
/// time of its accesses: a warp moves sectors of 32 bytes, of which it uses one element if its
/// lanes are not adjacent in memory. The schedule lets lanes run along the results or, in a
/// reduction, along the steps, whichever is faster.
double predictMicroseconds(te::ComputeOp op, ArrayRef<Access> accesses, const DeviceModel &device);

/// Returns the number of points of `sizes`, with what is assumed for open ones.
double countPoints(ArrayRef<int64_t> sizes);

/// Returns the predicted microseconds of a launch that moves `bytes` bytes.
double predictMoves(double bytes, const DeviceModel &device);

/// Returns the predicted microseconds of a lane that computes `steps` steps of a reduction one
/// after the other, each from values that come from memory.
double predictSteps(double steps, const DeviceModel &device);

/// Returns the predicted microseconds of a launch that reads and writes `bytes` bytes together, one
/// of both in another order.
double predictTransposition(double bytes, const DeviceModel &device);

/// A point with its predicted time.
struct DeviceChoice {
  DevicePoint point;
  double microseconds = 0;
};

/// Returns the point of `product` with the shortest time, or nothing if the GPU can run none.
std::optional<DeviceChoice> chooseDevicePoint(const DeviceProduct &product,
                                              const DeviceModel &device);

} // namespace mlir::tssa::layout

#endif // DIALECTS_LAYOUT_TEMPLATE_DEVICEDRAFT_H
