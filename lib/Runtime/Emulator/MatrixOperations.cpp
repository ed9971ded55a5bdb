//===- MatrixOperations.cpp - ldmatrix and mma.sync ------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Operations that all 32 lanes of a warp do together. Each lane has a fragment of each matrix, in
/// words. Of a matrix of eight rows of four words, lane l has word l % 4 of row l / 4. A matrix of
/// mma.sync consists of such matrices.
///
//===----------------------------------------------------------------------===//

#include "Grid.h"

#include <algorithm>
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

static FactorType getFactorType(int32_t operation) {
  switch (operation) {
  case TSSA_EMU_MULTIPLY_F16:
    return FactorType::F16;
  case TSSA_EMU_MULTIPLY_BF16:
    return FactorType::BF16;
  case TSSA_EMU_MULTIPLY_TF32:
    return FactorType::TF32;
  default:
    return FactorType::S8;
  }
}

/// Reads the factors of a lane: words of four matrices of A by column, then of two of B, which are
/// transposed. Such a matrix has eight rows of four words.
template <FactorType type>
static void readFactors(MatrixProduct &product, const uint32_t *fragments, int lane) {
  constexpr int perWord = getFactorsPerWord(type), bits = 32 / perWord;
  for (int i = 0; i < 4; ++i) {
    int row = i % 2 * 8 + lane / 4, k = (i / 2 * 4 + lane % 4) * perWord;
    for (int j = 0; j < perWord; ++j)
      product.a[row][k + j] = decodeFactor(type, fragments[i] >> j * bits);
  }
  for (int i = 0; i < 2; ++i) {
    int k = (i * 4 + lane % 4) * perWord;
    for (int j = 0; j < perWord; ++j)
      product.b[k + j][lane / 4] = decodeFactor(type, fragments[4 + i] >> j * bits);
  }
}

static void readFactors(MatrixProduct &product, const uint32_t *fragments, int lane) {
  switch (product.type) {
  case FactorType::F16:
    return readFactors<FactorType::F16>(product, fragments, lane);
  case FactorType::BF16:
    return readFactors<FactorType::BF16>(product, fragments, lane);
  case FactorType::TF32:
    return readFactors<FactorType::TF32>(product, fragments, lane);
  case FactorType::S8:
    return readFactors<FactorType::S8>(product, fragments, lane);
  }
}

/// Adds a sum of products to one in i32.
static int32_t addInteger(int32_t sum, float products, bool saturate) {
  int64_t exact = int64_t(sum) + static_cast<int64_t>(products);
  if (saturate)
    exact = std::clamp<int64_t>(exact, INT32_MIN, INT32_MAX);
  return static_cast<int32_t>(static_cast<uint32_t>(exact));
}

/// The last four words of a lane are sums, two each of rows l / 4 and l / 4 + 8.
void Grid::multiply(Thread *lanes, int32_t site) {
  int32_t operation = kernel.sites[site].operation;
  MatrixProduct product(getFactorType(operation));
  bool isFloat = product.type != FactorType::S8;
  for (int lane = 0; lane < 32; ++lane) {
    const uint32_t *fragments = lanes[lane].fragments;
    readFactors(product, fragments, lane);
    for (int i = 0; i < 4; ++i) {
      float &sum = product.c[i / 2 * 8 + lane / 4][lane % 4 * 2 + i % 2];
      sum = 0;
      if (isFloat)
        std::memcpy(&sum, fragments + 6 + i, sizeof(sum));
    }
  }
  product.run(options.matrixSums);
  for (int lane = 0; lane < 32; ++lane)
    for (int i = 0; i < 4; ++i) {
      uint32_t &word = lanes[lane].fragments[6 + i];
      float sum = product.c[i / 2 * 8 + lane / 4][lane % 4 * 2 + i % 2];
      if (isFloat)
        std::memcpy(&word, &sum, sizeof(sum));
      else
        word = static_cast<uint32_t>(addInteger(static_cast<int32_t>(word), sum,
                                                operation == TSSA_EMU_MULTIPLY_S8_SATURATED));
    }
}
