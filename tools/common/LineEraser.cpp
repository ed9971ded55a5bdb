//===- LineEraser.cpp - text and a line of progress -----------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LineEraser.h"

using namespace llvm;

namespace tssa::tools {

LineEraser::LineEraser(ProgressLine &line) : line(line) {
  isTied = line.isShown();
  if (!isTied)
    return;
  SetBuffer(buffer, sizeof(buffer));
  *this << ' '; // a flush of an empty stream would not come to write_impl
  outs().tie(this);
  errs().tie(this);
}

LineEraser::~LineEraser() {
  outs().tie(nullptr);
  errs().tie(&outs()); // as it is at the start
  line.end();
  isTied = false;
  flush();
}

void LineEraser::write_impl(const char *, size_t) {
  line.erase();
  if (isTied)
    *this << ' ';
}

} // namespace tssa::tools
