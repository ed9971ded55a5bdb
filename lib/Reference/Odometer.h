//===- Odometer.h - the points of a box -------------------------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LIB_REFERENCE_ODOMETER_H
#define LIB_REFERENCE_ODOMETER_H

#include "BodyProgram.h"
#include "llvm/ADT/STLExtras.h"

namespace tssa::reference {

/// Enumerates the points of a box in row-major order. The registers from `first` on hold the
/// current point.
class Odometer {
public:
  Odometer(llvm::ArrayRef<int64_t> sizes, unsigned first) : sizes(sizes), first(first) {}

  /// Goes to the first point. Returns false if the box is empty.
  bool start(RegisterFile &machine) const {
    for (unsigned i = 0; i < sizes.size(); ++i)
      machine.registers[first + i].i = 0;
    return !llvm::is_contained(sizes, 0);
  }

  /// Goes to the next point. Returns false after the last one.
  bool next(RegisterFile &machine) const {
    for (unsigned i = sizes.size(); i-- > 0;) {
      int64_t &position = machine.registers[first + i].i;
      if (++position < sizes[i])
        return true;
      position = 0;
    }
    return false;
  }

private:
  llvm::ArrayRef<int64_t> sizes;
  unsigned first;
};

} // namespace tssa::reference

#endif // LIB_REFERENCE_ODOMETER_H
