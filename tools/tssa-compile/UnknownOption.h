//===- UnknownOption.h - options that the tool does not have ----*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TOOLS_TSSA_COMPILE_UNKNOWNOPTION_H
#define TOOLS_TSSA_COMPILE_UNKNOWNOPTION_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/CommandLine.h"
#include <optional>
#include <string>

namespace tssa::compile {

/// Returns the error for the first of `arguments` that is an option with a name of none of
/// `category`: what to use instead, if another compiler has an option of this name, or the most
/// similar name. LLVM's parser would take it for a group of options of one letter.
std::optional<std::string> findUnknownOption(llvm::ArrayRef<char *> arguments,
                                             llvm::cl::OptionCategory &category);

} // namespace tssa::compile

#endif // TOOLS_TSSA_COMPILE_UNKNOWNOPTION_H
