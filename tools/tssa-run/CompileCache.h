//===- CompileCache.h - compiled models, kept ----------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A model given as source is compiled by the tssa-compile beside this program
/// and kept under the SHA-256 of everything that matters: the model's bytes, the
/// files it names for its weights, the options, the compiler, and this CPU. A file
/// that does not load is compiled again. What nobody has used for the longest time is
/// removed when there is too much.
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_TOOLS_TSSA_RUN_COMPILECACHE_H
#define TSSA_TOOLS_TSSA_RUN_COMPILECACHE_H

#include "Options.h"

#include "tssa/Runtime/Status.h"

namespace tssa::run {

/// True when `path` is to be compiled: not an ELF file, and called .onnx, .mlir or
/// .json.
bool isSource(const std::string &path);

/// The tssa-compile that stands beside this program.
runtime::Status findCompiler(std::string &compiler);

/// Where the compiled form of a source is.
class CompiledModel {
public:
  CompiledModel() = default;
  CompiledModel(const CompiledModel &) = delete;
  CompiledModel &operator=(const CompiledModel &) = delete;
  ~CompiledModel();

  /// Finds the compiled form or makes it; with `again`, makes it in any case.
  /// `exitCode` is the compiler's own when it failed.
  runtime::Status prepare(const Options &options, bool again, int &exitCode);

  const std::string &getPath() const { return path; }
  bool wasCompiled() const { return compiled; }
  /// False when the file goes with this object.
  bool isKept() const { return temporaryFolder.empty(); }

private:
  std::string path;
  std::string temporaryFolder; ///< when there is no usable cache
  bool compiled = false;

  runtime::Status choosePath(const Options &options, const std::string &key);
};

} // namespace tssa::run

#endif // TSSA_TOOLS_TSSA_RUN_COMPILECACHE_H
