//===- CompileCache.h - a cache of compiled models -----------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// If a model is given as source, the tssa-compile in the folder of this program compiles it. The
/// key of an entry is the SHA-256 of everything that affects the artifact: the bytes of the model
/// and of the files that it names for its weights, the options, the compiler, and this CPU. An
/// artifact that does not load is compiled again. The least recently used entries are removed when
/// the cache exceeds its limit.
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_TOOLS_TSSA_RUN_COMPILECACHE_H
#define TSSA_TOOLS_TSSA_RUN_COMPILECACHE_H

#include "Options.h"

#include "tssa/Runtime/Status.h"

namespace tssa::run {

/// Returns whether `path` is to be compiled: it is not an ELF file, and its extension is
/// .onnx, .mlir or .json.
bool isSource(const std::string &path);

/// Sets `compiler` to the path of the tssa-compile in the folder of this program.
runtime::Status findCompiler(std::string &compiler);

/// The compiled form of a source.
class CompiledModel {
public:
  CompiledModel() = default;
  CompiledModel(const CompiledModel &) = delete;
  CompiledModel &operator=(const CompiledModel &) = delete;
  ~CompiledModel();

  /// Finds the compiled form in the cache or compiles it; with `again`, always compiles it. If the
  /// compiler fails, sets `exitCode` to its exit code.
  runtime::Status prepare(const Options &options, bool again, int &exitCode);

  const std::string &getPath() const { return path; }
  bool wasCompiled() const { return compiled; }

private:
  std::string path;
  int memory = -1; ///< a file in memory, used if there is no usable cache
  bool compiled = false;

  runtime::Status choosePath(const Options &options, const std::string &key);
};

} // namespace tssa::run

#endif // TSSA_TOOLS_TSSA_RUN_COMPILECACHE_H
