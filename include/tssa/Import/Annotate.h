//===- Annotate.h - an ONNX model with notes --------------------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_IMPORT_ANNOTATE_H
#define TSSA_IMPORT_ANNOTATE_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <map>
#include <string>

namespace tssa {

/// The notes for a node, by their keys.
using Notes = std::map<std::string, std::string>;

/// An ONNX model with notes.
struct AnnotatedModel {
  std::string bytes;
  bool hasFiles = false; ///< whether weights are in files beside the model
};

/// Returns the ONNX model at `path` with notes as the metadata of its nodes
/// (NodeProto.metadata_props, of ONNX 1.16), which viewers show. `getNotes` gets the name of each
/// node of the main graph, as importONNX calls it in locations. Fails with a sentence.
llvm::Expected<AnnotatedModel> annotateONNX(llvm::StringRef path,
                                            llvm::function_ref<Notes(llvm::StringRef)> getNotes);

} // namespace tssa

#endif // TSSA_IMPORT_ANNOTATE_H
