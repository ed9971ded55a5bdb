//===- ModelEdits.h - smaller models from a model ---------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Each edit gives a new model, or none where it does not apply. Names stay; what no
/// output needs any more goes.
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
/// Whether onnx's checker and its shape inference accept the model.
bool isValid(const ModelProto &model);

/// Without nodes [begin, end): those of their values that others need become inputs,
/// with the types that shape inference finds. None if a type is not known, or if no
/// output is left.
Edited withoutNodes(const ModelProto &model, size_t begin, size_t end);
/// Without outputs [begin, end).
Edited withoutOutputs(const ModelProto &model, size_t begin, size_t end);
/// Output `index` gives way to what its node reads from other nodes.
Edited withEarlierOutput(const ModelProto &model, size_t index);
/// Initializers [begin, end) become inputs.
Edited withoutInitializers(const ModelProto &model, size_t begin, size_t end);
/// Without attribute `attribute` of node `node`.
Edited withoutAttribute(const ModelProto &model, size_t node, size_t attribute);
/// Without texts, types of inner values and other metadata.
Edited withoutMetadata(const ModelProto &model);

/// All sizes above 1 of inputs and initializers.
std::set<int64_t> getSizes(const ModelProto &model);
/// Every dim of size `from` has size `to`, which is less: initializers lose elements,
/// and, with `inShapes`, lists of sizes change too.
Edited withSize(const ModelProto &model, int64_t from, int64_t to, bool inShapes);

} // namespace tssa::reduce

#endif // TSSA_TOOLS_TSSA_REDUCE_MODELEDITS_H
