//===- Pages.h - pages and completions from options ------------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TOOLS_COMMON_PAGES_H
#define TOOLS_COMMON_PAGES_H

#include "CommandLine.h"

namespace tssa::tools {

/// What can be made from the options of a tool; --print-options prints it.
std::string writeManPage(const CommandLine &line);
std::string writeBashCompletion(const CommandLine &line);
std::string writeZshCompletion(const CommandLine &line);
/// A section of a page of documentation.
std::string writeMarkdown(const CommandLine &line);

} // namespace tssa::tools

#endif // TOOLS_COMMON_PAGES_H
