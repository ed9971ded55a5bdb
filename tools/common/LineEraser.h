//===- LineEraser.h - text and a line of progress --------------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TOOLS_COMMON_LINEERASER_H
#define TOOLS_COMMON_LINEERASER_H

#include "tools/common/ProgressLine.h"
#include "llvm/Support/raw_ostream.h"

namespace tssa::tools {

/// Erases a line of progress whenever text is written to llvm::outs() or llvm::errs(), for as long
/// as this object lives: both streams are tied to it.
class LineEraser : public llvm::raw_ostream {
public:
  explicit LineEraser(ProgressLine &line);
  ~LineEraser() override;

private:
  void write_impl(const char *, size_t) override;
  uint64_t current_pos() const override { return 0; }

  ProgressLine &line;
  bool isTied;
  char buffer[8];
};

} // namespace tssa::tools

#endif // TOOLS_COMMON_LINEERASER_H
