//===- StoreSpace.h - the layouts of a kernel's ends as integers -*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_TUNER_STORESPACE_H
#define TSSA_TUNER_STORESPACE_H

#include "dialects/layout/Template/StoreKnobs.h"
#include "dialects/layout/Transforms/StoreTable.h"
#include "tssa/Search/Space.h"

namespace tssa::tuner {

/// The layouts of the tensors that a kernel reads and writes, as the template for layouts has them
/// (dialects/layout/Template/StoreMaps.h; ALT, section 5.1): tiles of the image and blocks of
/// groups, input and output channels of the kernel's sum of products. Parameters with the shape of
/// the result are stored like the result. Constants have no layout here: they follow the loops.
class StoreSpace {
public:
  /// Makes the space of `kernel`, which has no schedule and is referred to. `constants` are the
  /// parameters that get constants. Fails with a sentence if no result of the kernel is a sum of
  /// products, or if there is nothing to choose.
  static llvm::Expected<std::unique_ptr<StoreSpace>> create(mlir::tssa::te::KernelOp kernel,
                                                            llvm::ArrayRef<unsigned> constants);

  /// The knobs are named `store.image.d2`, `store.group`, `store.out`, `store.in`,
  /// `store.weights_in` and `store.weights_out`. 0 leaves a dim as it is, and its size puts it
  /// last.
  const search::Space &getSpace() const { return *space; }
  /// Returns the point with which all tensors are stored as they are.
  search::Point getPlain() const;

  /// Returns the legal ones of the points that are always worth a look: channels in blocks of
  /// `lanes`, channels last, and all as it is. Neighbours that do the same need no conversion.
  std::vector<search::Point> getUsualPoints(int64_t lanes) const;
  /// Returns whether a point has tiles of the image.
  bool hasTiles(llvm::ArrayRef<uint32_t> point) const {
    return llvm::any_of(point.take_front(image.size()), [](uint32_t knob) { return knob != 0; });
  }

  /// Returns the layouts of a legal point.
  mlir::tssa::layout::LaunchStores getStores(llvm::ArrayRef<uint32_t> point) const;
  /// Describes a point in a few words, such as `image d2 4 d3 4, out 16`, or `none`.
  std::string describe(llvm::ArrayRef<uint32_t> point) const;

private:
  StoreSpace(mlir::tssa::te::KernelOp kernel, mlir::tssa::te::ComputeOp root,
             llvm::ArrayRef<unsigned> constants);
  std::vector<search::Knob> makeKnobs();
  mlir::tssa::layout::StoreKnobs decode(llvm::ArrayRef<int64_t> values) const;
  /// Returns the layouts of values, or nothing if they do not fit.
  std::optional<mlir::tssa::layout::LaunchStores> makeStores(llvm::ArrayRef<int64_t> values) const;

  mutable mlir::tssa::te::KernelOp kernel; ///< handles, whose accessors are not const
  mutable mlir::tssa::te::ComputeOp root;
  llvm::SmallVector<unsigned> constants;
  mlir::tssa::layout::Roles roles;
  llvm::SmallVector<unsigned> image; ///< the dims that have a knob
  /// The block knobs that the space has, in order.
  llvm::SmallVector<int64_t mlir::tssa::layout::StoreKnobs::*> blocks;
  std::optional<search::Space> space;
};

} // namespace tssa::tuner

#endif // TSSA_TUNER_STORESPACE_H
