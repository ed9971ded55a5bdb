//===- RandomKernels.h - sums of products made from a seed -----*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TEST_PROGRAMS_RANDOMKERNELS_H
#define TEST_PROGRAMS_RANDOMKERNELS_H

#include <cstdint>
#include <string>

namespace tssa::reference {

/// Returns the text of a program at the end of stage te, without schedules: `@main` launches
/// `@first`, a convolution or a product of matrices, and sometimes a second kernel that reads its
/// result. Equal seeds give equal programs. All sizes are known, and small.
std::string makeRandomKernels(uint64_t seed);

} // namespace tssa::reference

#endif // TEST_PROGRAMS_RANDOMKERNELS_H
