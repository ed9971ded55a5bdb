//===- Program.h - machine code of a program in parts -----------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A program for a CPU is compiled in parts: the host program, and each kernel by itself. The parts
/// are compiled in parallel on the threads of the MLIR context. Which parts there are, and the code
/// of each, depends on the program only.
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_TARGET_CPU_PROGRAM_H
#define TSSA_TARGET_CPU_PROGRAM_H

#include "tssa/Target/CPU.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

#include <functional>

namespace tssa::cpu {

struct ProgramOptions {
  Machine machine;
  OptimizeOptions optimize;
  /// The keys of functions whose address the program takes. The key decides the machine code: if
  /// functions have the same key, one is compiled.
  llvm::StringMap<std::string> keys;
  /// The objects of keys whose code is known already.
  llvm::StringMap<std::string> objects;
  /// Whether the LLVM IR of all parts is kept for `print` and `emit`, instead of objects.
  bool keepsModules = false;
  /// Is told how many kernels are compiled and how many there are to compile, by any thread; may be
  /// empty.
  std::function<void(size_t done, size_t kernels)> progress;
  /// Whether the program defines the functions that all programs of an artifact share.
  bool definesMemory = true;
};

/// The machine code of a part.
struct Object {
  std::string bytes;
  /// Empty for the host program and for a kernel without a key.
  std::string key;
  /// Whether the code was made now.
  bool isNew = true;
};

class Program {
public:
  /// `context` must outlive this object.
  Program(mlir::MLIRContext &context, ProgramOptions options);
  ~Program();

  /// Makes code of `module`, which must be in the LLVM dialect: objects, or optimised LLVM IR.
  llvm::Error translate(mlir::ModuleOp module);

  /// Prints the LLVM IR of all parts as one module. Only with `keepsModules`.
  llvm::Error print(llvm::raw_ostream &stream) const;
  /// Writes all parts as one module of assembly text, or as one object. Only with `keepsModules`.
  llvm::Error emit(bool assembly, llvm::raw_pwrite_stream &stream) const;
  /// Returns an object for each part, the host program first. Only without `keepsModules`.
  std::vector<Object> takeObjects();

private:
  struct Code;
  mlir::MLIRContext &context;
  ProgramOptions options;
  std::vector<std::unique_ptr<Code>> codes;
  /// What parts use that neither the program nor code generation defines.
  llvm::StringSet<> routines;

  llvm::Error plan(mlir::ModuleOp module);
  llvm::Error forEach(llvm::function_ref<llvm::Error(size_t)> work) const;
  llvm::Error translate(Code &code) const;
  llvm::Error emitObject(Code &code, llvm::TargetMachine &machine) const;
  llvm::Error linkRoutines(llvm::Module &host) const;
  llvm::Expected<std::unique_ptr<llvm::Module>> join(llvm::LLVMContext &context) const;
};

} // namespace tssa::cpu

#endif // TSSA_TARGET_CPU_PROGRAM_H
