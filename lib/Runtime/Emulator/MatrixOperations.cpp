//===- MatrixOperations.cpp - ldmatrix and mma.sync ------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Operations that all 32 lanes of a warp do together. Each lane has a fragment of each matrix, in
/// words of two elements. Lane l has elements (l / 4, 2 (l % 4)) and (l / 4, 2 (l % 4) + 1) of a
/// matrix of 8 by 8. A matrix of mma.sync consists of such matrices.
///
//===----------------------------------------------------------------------===//

#include "Grid.h"

#include <cstring>

using namespace tssa::runtime;
using namespace tssa::runtime::emulator;

static constexpr uint32_t allLanes = 0xFFFFFFFF;
static constexpr uint64_t rowBytes = 16;

bool Grid::checkWholeWarp(const Thread &thread, int32_t site) {
  if (warps[thread.thread / 32].lanes == allLanes)
    return true;
  fail(thread, site,
       "needs a warp of 32 lanes; the block has " + std::to_string(threads.size()) + " threads");
  return false;
}

void Grid::loadMatrices(Thread &thread, uint32_t count, int32_t site) {
  if (!checkWholeWarp(thread, site))
    return;
  if (thread.getLane() < 8 * count && countAccess())
    accessShared(thread, reinterpret_cast<uintptr_t>(thread.row), rowBytes, site);
  if (status.ok())
    synchronize(thread, allLanes, count, site);
}

/// Gives each lane its fragment of each matrix. Lane 8 i + r has the address of row r of matrix i.
void Grid::distributeMatrices(Thread *lanes, int32_t site) {
  bool transposed = kernel.sites[site].operation == TSSA_EMU_LOAD_TRANSPOSED;
  for (uint64_t i = 0; i < lanes[0].value; ++i) {
    uint16_t matrix[8][8];
    for (int row = 0; row < 8; ++row)
      std::memcpy(matrix[row], lanes[8 * i + row].row, rowBytes);
    for (uint32_t lane = 0; lane < 32; ++lane) {
      uint32_t row = lane / 4, column = lane % 4 * 2;
      uint32_t low = transposed ? matrix[column][row] : matrix[row][column];
      uint32_t high = transposed ? matrix[column + 1][row] : matrix[row][column + 1];
      lanes[lane].fragments[i] = low | high << 16;
    }
  }
}

void Grid::multiplyMatrices(Thread &thread, int32_t site) {
  if (checkWholeWarp(thread, site))
    synchronize(thread, allLanes, 0, site);
}

/// A lane's fragments are the words of A's four matrices by column, then those of B's two, which
/// are transposed, then the sums of C at rows l / 4 and l / 4 + 8.
void Grid::multiply(Thread *lanes, int32_t site) {
  FactorType type =
      kernel.sites[site].operation == TSSA_EMU_MULTIPLY_F16 ? FactorType::F16 : FactorType::BF16;
  MatrixProduct product;
  for (uint32_t lane = 0; lane < 32; ++lane) {
    const uint32_t *fragments = lanes[lane].fragments;
    uint32_t row = lane / 4, column = lane % 4 * 2;
    for (uint32_t i = 0; i < 8; ++i) {
      uint32_t k = i / 4 * 8 + column + i % 2;
      product.a[i / 2 % 2 * 8 + row][k] = decodeFactor(type, fragments[i / 2] >> i % 2 * 16);
      if (i < 4)
        product.b[i / 2 * 8 + column + i % 2][row] =
            decodeFactor(type, fragments[4 + i / 2] >> i % 2 * 16);
    }
    for (uint32_t i = 0; i < 2; ++i)
      std::memcpy(&product.c[i * 8 + row][column], fragments + 6 + 2 * i, 8);
  }
  product.run(type, options.matrixSums);
  for (uint32_t lane = 0; lane < 32; ++lane)
    for (uint32_t i = 0; i < 2; ++i)
      std::memcpy(lanes[lane].fragments + 6 + 2 * i, &product.c[i * 8 + lane / 4][lane % 4 * 2], 8);
}
