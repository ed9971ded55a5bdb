//===- ModelEdits.h - smaller models from a model ---------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Each edit returns a new model, or nothing if it does not apply. Names do not change. An edit
/// also removes nodes and values that no output needs any more.
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_TOOLS_TSSA_REDUCE_MODELEDITS_H
#define TSSA_TOOLS_TSSA_REDUCE_MODELEDITS_H

#include "onnx/onnx_pb.h"

#include <optional>
#include <set>
#include <vector>

namespace tssa::reduce {

using tssa_onnx::ModelProto;
using Edited = std::optional<ModelProto>;

/// Removes nodes, initializers, inputs and functions that no output needs.
void dropUnused(ModelProto &model);
/// Returns whether onnx's checker and its shape inference accept the model.
bool isValid(const ModelProto &model);

/// Removes nodes [begin, end). Values that these nodes produce and other nodes need become inputs,
/// with the types that shape inference finds. Returns nothing if a type is not known or no output
/// is left.
Edited withoutNodes(const ModelProto &model, size_t begin, size_t end);
/// Removes outputs [begin, end).
Edited withoutOutputs(const ModelProto &model, size_t begin, size_t end);
/// Replaces output `index` by the values that its node reads from other nodes.
Edited withEarlierOutput(const ModelProto &model, size_t index);
/// Turns initializers [begin, end) into inputs.
Edited withoutInitializers(const ModelProto &model, size_t begin, size_t end);
/// Removes attribute `attribute` of node `node`.
Edited withoutAttribute(const ModelProto &model, size_t node, size_t attribute);
/// Removes doc strings, types of inner values and other metadata.
Edited withoutMetadata(const ModelProto &model);

/// Returns the dim sizes of inputs and initializers that are greater than 1.
std::set<int64_t> getSizes(const ModelProto &model);
/// Changes every dim of size `from` to the smaller size `to`. Initializers lose elements. With
/// `inShapes`, also replaces `from` by `to` in constants that may be lists of sizes.
Edited withSize(const ModelProto &model, int64_t from, int64_t to, bool inShapes);

} // namespace tssa::reduce

#endif // TSSA_TOOLS_TSSA_REDUCE_MODELEDITS_H
