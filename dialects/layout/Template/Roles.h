//===- Roles.h - what the dims of an expression are for -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The roles of the dims of an expression, read off the index maps of its reads. A template (ALT,
/// section 5.1: one per operator) is here one for all expressions: it asks for roles and not for
/// operators.
///
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_LAYOUT_TEMPLATE_ROLES_H
#define DIALECTS_LAYOUT_TEMPLATE_ROLES_H

#include "dialects/te/IR/TEOps.h"

namespace mlir::tssa::layout {

/// What a dim is for. In a sum of products, `data` is the factor that windows move over, or else
/// the first factor, and `weights` is the other one.
enum class Role {
  Batch,  ///< parallel; only in the data, and the first of at least three parallel dims
  Image,  ///< parallel; only in the data: a position of an image, or a row of a matrix
  Out,    ///< parallel; only in the weights: an output channel, or a column of a matrix
  Group,  ///< parallel; in both factors: a group of channels, or a matrix of several
  In,     ///< reduction: an input channel, or the inner dim of a matrix product
  Window, ///< reduction; an index of the data is a sum of it and a parallel dim
};

inline constexpr Role allRoles[] = {Role::Batch, Role::Image, Role::Out,
                                    Role::Group, Role::In,    Role::Window};

/// Names of roles, as they are printed.
StringRef getName(Role role);

struct DimRole {
  Role role = Role::Batch;
  /// For a group: the number of adjacent iterations that belong to the same group.
  int64_t run = 1;
};

/// What an expression computes, as far as its loops are concerned.
enum class Kind {
  Elements,  ///< no reduction
  Reduction, ///< a reduction that is not a sum of products
  Pool,      ///< the same, of windows
  Product,   ///< a sum of products without windows and groups
  BatchedProduct,
  Convolution,
  GroupedConvolution,  ///< several input and output channels in a group
  DepthwiseConvolution ///< one input channel in a group
};

/// Names of kinds, as they are printed.
StringRef getName(Kind kind);

/// The roles of all dims of an expression.
struct Roles {
  Kind kind = Kind::Elements;
  SmallVector<DimRole> dims;
  /// The reads of a sum of products, by factor. A factor of several reads is computed from them.
  SmallVector<te::ReadOp> data, weights;

  Role operator[](unsigned dim) const { return dims[dim].role; }
  /// Returns the dims of `role`, outermost first.
  SmallVector<unsigned> getDims(Role role) const;
};

/// Returns the number of sums of products that `op` computes at each point of its parallel dims; 1
/// for an expression of another kind.
int64_t countSums(te::ComputeOp op, const Roles &roles);

/// Returns the roles of the dims of `op`. A dim of extent 1 has a role too, but does not decide the
/// kind. In an expression that is no sum of products, all reads are data.
Roles getRoles(te::ComputeOp op);

/// The most iterations, and the longest stride in elements, that predictions count with: products
/// of two of them do not overflow.
inline constexpr int64_t mostExtent = int64_t(1) << 31;

/// Returns the number of iterations of `dim`, but at least 1 and at most `mostExtent`, or the
/// number that is assumed for a dynamic size.
int64_t getExtent(te::ComputeOp op, const Roles &roles, unsigned dim);

/// Prints `roles` in one line, such as `convolution: d0 batch, d1 out, d2 image, d3 in, d4 window`.
/// A group of several iterations has their number, as in `group/8`.
raw_ostream &operator<<(raw_ostream &stream, const Roles &roles);

} // namespace mlir::tssa::layout

#endif // DIALECTS_LAYOUT_TEMPLATE_ROLES_H
