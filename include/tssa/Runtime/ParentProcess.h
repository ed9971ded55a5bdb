//===- ParentProcess.h - tools that end with who started them ---*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A program that starts a tool and waits for it may be killed before the tool is done: a notebook
/// that is interrupted, a server at its time limit. Nobody wants what the tool would still compile.
/// So who starts a tool gives it the environment variable TSSA_ENDS_WITH, its own process number.
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_RUNTIME_PARENTPROCESS_H
#define TSSA_RUNTIME_PARENTPROCESS_H

namespace tssa::runtime {

/// The environment variable with the number of the process that a tool ends with.
inline constexpr char endsWithVariable[] = "TSSA_ENDS_WITH";

/// If this process is asked to end with its parent, the kernel will send it SIGTERM when the
/// parent's thread that started it ends, or SIGKILL where SIGTERM is ignored. Sends it at once if
/// the parent has ended already. A variable that names another process that lives is not for this
/// one. The calling thread must be one that lives as long as the process.
void endWithParent();

} // namespace tssa::runtime

#endif // TSSA_RUNTIME_PARENTPROCESS_H
