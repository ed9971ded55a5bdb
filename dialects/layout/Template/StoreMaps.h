//===- StoreMaps.h - the layouts of a point of the space of layouts -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The template for layouts (ALT, section 5.1), for all sums of products. Each dim of a tensor has
/// the role of the dim of the expression that indexes it. Dims are split into tiles and blocks, and
/// stand in this order, outermost first:
///
/// 1. batches and groups,
/// 2. numbers of tiles of the image,
/// 3. numbers of blocks of channels,
/// 4. positions in a tile or in an image without tiles, and the dims of a window,
/// 5. channels in a block: in, group, out.
///
/// Dims that are as they are keep their order. For a 2-D convolution with all knobs, this gives
/// ALT's template:
///
///     result   N, H/ht, W/wt, O/ot, ht, wt, ot
///     data     N, H/ht, W/wt, I/it, tiles of ht and wt windows, it
///     weights  O/ot', I/it', KH, KW, it', ot'
///
/// and for a matrix product M/mt, N/nt, mt, nt; M/mt, K/kt, mt, kt; K/kt, N/nt, kt, nt.
///
/// *Tiles of the data.* A tile of n positions of the result, read at V i + r in the padded data
/// with 0 <= r <= last, needs B = V (n - 1) + last + 1 indexes, and the next tile begins S = V n
/// indexes later. If B > S, tiles overlap: the dim is padded until it has tiles for all positions,
/// and unfolded. Otherwise it is padded and split. Either way a tile of the data has the number of
/// its tile of the result, and no division is left in the read. Guards of reads that pad stay.
///
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_LAYOUT_TEMPLATE_STOREMAPS_H
#define DIALECTS_LAYOUT_TEMPLATE_STOREMAPS_H

#include "dialects/layout/Template/StoreKnobs.h"

namespace mlir::tssa::layout {

/// The greatest number of cells per element of a tensor that is stored.
inline constexpr int64_t mostCellsPerElement = 64;

/// The layouts of the tensors of an expression. An empty map leaves a tensor as it is.
struct StoreMaps {
  LayoutMap result;
  std::vector<std::pair<Value, LayoutMap>> sources; ///< tensors that are read, each once
};

/// Returns the layouts of `op`, which has `roles`, under `knobs`. Refuses knobs that do not fit;
/// the reason begins with the name of the knob.
FailureOr<StoreMaps> getStoreMaps(te::ComputeOp op, const Roles &roles, const StoreKnobs &knobs,
                                  Refuse refuse);

/// Returns why `getStoreMaps` refuses `knobs`, or an empty string.
std::string findObstacle(te::ComputeOp op, const Roles &roles, const StoreKnobs &knobs);

} // namespace mlir::tssa::layout

#endif // DIALECTS_LAYOUT_TEMPLATE_STOREMAPS_H
