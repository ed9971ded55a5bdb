//===- EmulatorMatrixTest.cpp - loads and products of matrices on the emulator -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EmulatorTest.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <random>
#include <sstream>

using namespace tssa::runtime;
using namespace tssa::runtime::emulator;

namespace {

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// Tensor 0 has the ten words of each lane.
void multiplyOnce(Emu emu, void *const *params) {
  emu->multiply_matrices(emu, reinterpret_cast<uint32_t *>(tensor(params, 0)) + 10 * emu->thread,
                         0);
}

/// A kind of product.
struct Kind {
  tssa_emulator_operation operation;
  int perWord; ///< factors in a word
};
constexpr Kind f16{TSSA_EMU_MULTIPLY_F16, 2}, bf16{TSSA_EMU_MULTIPLY_BF16, 2},
    tf32{TSSA_EMU_MULTIPLY_TF32, 1}, s8{TSSA_EMU_MULTIPLY_S8, 4},
    s8Saturated{TSSA_EMU_MULTIPLY_S8_SATURATED, 4};

class ProductTest : public EmulatorTest {
protected:
  /// The bits of numbers by row and column.
  using Bits = std::vector<std::vector<uint32_t>>;

  ProductTest() : words(32 * 10) {
    addTensor(words);
    threads = 32;
  }

  static Bits makeBits(int rows, int columns) { return Bits(rows, std::vector<uint32_t>(columns)); }

  /// Computes c += a * b, of 16 x k, k x 8 and 16 x 8 elements, by one operation of a warp.
  void multiply(Kind kind, const Bits &a, const Bits &b, Bits &c) {
    sites.clear();
    addSite(kind.operation);
    std::fill(words.begin(), words.end(), 0);
    int half = 4 * kind.perWord, bits = 32 / kind.perWord;
    for (int lane = 0; lane < 32; ++lane) {
      int row = lane / 4, first = lane % 4 * kind.perWord;
      int32_t *word = &words[10 * lane];
      for (int i = 0; i < kind.perWord; ++i) {
        int k = first + i, shift = i * bits;
        word[0] |= a[row][k] << shift;
        word[1] |= a[row + 8][k] << shift;
        word[2] |= a[row][k + half] << shift;
        word[3] |= a[row + 8][k + half] << shift;
        word[4] |= b[k][row] << shift;
        word[5] |= b[k + half][row] << shift;
      }
      for (int i = 0; i < 4; ++i)
        word[6 + i] = int32_t(c[row + i / 2 * 8][lane % 4 * 2 + i % 2]);
    }
    Status status = run(multiplyOnce);
    ASSERT_TRUE(status.ok()) << status.message;
    for (int lane = 0; lane < 32; ++lane)
      for (int i = 0; i < 4; ++i)
        c[lane / 4 + i / 2 * 8][lane % 4 * 2 + i % 2] = uint32_t(words[10 * lane + 6 + i]);
  }

  std::vector<int32_t> words;
};

uint32_t toBits(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, 4);
  return bits;
}
uint16_t toF16(float value) {
  auto number = static_cast<_Float16>(value);
  uint16_t bits;
  std::memcpy(&bits, &number, 2);
  return bits;
}
float fromF16(uint32_t word) {
  auto bits = uint16_t(word);
  _Float16 value;
  std::memcpy(&value, &bits, 2);
  return value;
}

TEST_F(ProductTest, EqualsAPlainLoop) {
  std::minstd_rand random(1);
  auto makeNumber = [&] { return float(int(random() % 4001) - 2000) / 1000; };
  for (Kind kind : {f16, bf16, tf32}) {
    auto write = [&](float value) -> uint32_t {
      return kind.operation == f16.operation    ? toF16(value)
             : kind.operation == bf16.operation ? toBits(value) >> 16
                                                : toBits(value);
    };
    auto read = [&](uint32_t bits) {
      return kind.operation == f16.operation    ? fromF16(bits)
             : kind.operation == bf16.operation ? toFloat(bits << 16)
                                                : toFloat(bits & ~0x1FFFu);
    };
    int steps = 8 * kind.perWord;
    Bits a = makeBits(16, steps), b = makeBits(steps, 8), c = makeBits(16, 8), expected = c;
    for (Bits *factors : {&a, &b})
      for (std::vector<uint32_t> &row : *factors)
        for (uint32_t &factor : row)
          factor = write(makeNumber());
    for (int i = 0; i < 16; ++i)
      for (int j = 0; j < 8; ++j) {
        float sum = makeNumber();
        c[i][j] = toBits(sum);
        for (int k = 0; k < steps; ++k)
          sum += read(a[i][k]) * read(b[k][j]);
        expected[i][j] = toBits(sum);
      }
    multiply(kind, a, b, c);
    EXPECT_EQ(c, expected);
  }
  EXPECT_EQ(counters.warpOperations, 3u);
}

TEST_F(ProductTest, SumsOfIntegers) {
  std::minstd_rand random(1);
  for (Kind kind : {s8, s8Saturated})
    for (MatrixSums sums : {MatrixSums::Fast, MatrixSums::SM80, MatrixSums::SM90}) {
      options.matrixSums = sums;
      Bits a = makeBits(16, 32), b = makeBits(32, 8), c = makeBits(16, 8), expected = c;
      for (Bits *factors : {&a, &b})
        for (std::vector<uint32_t> &row : *factors)
          for (uint32_t &factor : row)
            factor = random() % 256;
      for (int i = 0; i < 16; ++i)
        for (int j = 0; j < 8; ++j) {
          // Some sums begin with the greatest or the least integer.
          c[i][j] = j == 0 ? INT32_MAX : j == 1 ? uint32_t(INT32_MIN) : random();
          int64_t sum = int32_t(c[i][j]);
          for (int k = 0; k < 32; ++k)
            sum += int8_t(a[i][k]) * int8_t(b[k][j]);
          if (kind.operation == s8Saturated.operation)
            sum = std::clamp<int64_t>(sum, INT32_MIN, INT32_MAX);
          expected[i][j] = uint32_t(sum);
        }
      multiply(kind, a, b, c);
      EXPECT_EQ(c, expected);
    }
}

TEST_F(ProductTest, ReadsAllFactors) {
  for (uint32_t bits = 0; bits < 1 << 16; ++bits) {
    float f16 = fromF16(bits), decoded = decodeFactor(FactorType::F16, bits);
    ASSERT_TRUE(std::isnan(f16) ? std::isnan(decoded) : std::memcmp(&f16, &decoded, 4) == 0)
        << bits;
    ASSERT_EQ(toBits(decodeFactor(FactorType::BF16, bits)), bits << 16);
  }
}

/// A sum of products that an independent program has computed.
struct Vector {
  Kind kind;
  std::vector<uint32_t> a, b;
  uint32_t c, sm80, sm90;
};

std::vector<Vector> readVectors() {
  std::ifstream file(TSSA_TEST_INPUTS "/tensor_core_sums.txt");
  std::vector<Vector> vectors;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string type;
    words >> type >> std::hex;
    Vector vector{type == "f16" ? f16 : type == "bf16" ? bf16 : tf32, {}, {}, 0, 0, 0};
    for (std::vector<uint32_t> *factors : {&vector.a, &vector.b}) {
      factors->resize(8 * vector.kind.perWord);
      for (uint32_t &factor : *factors)
        words >> factor;
    }
    words >> vector.c >> vector.sm80 >> vector.sm90;
    EXPECT_TRUE(words) << line;
    vectors.push_back(vector);
  }
  return vectors;
}

class SumsTest : public ProductTest, public testing::WithParamInterface<MatrixSums> {};

/// Vector i is row i of A and column i of B.
TEST_P(SumsTest, HaveTheBitsOfTheRule) {
  std::vector<Vector> vectors = readVectors();
  ASSERT_EQ(vectors.size(), 384u);
  options.matrixSums = GetParam();
  for (size_t first = 0; first < vectors.size(); first += 8) {
    int steps = 8 * vectors[first].kind.perWord;
    Bits a = makeBits(16, steps), b = makeBits(steps, 8), c = makeBits(16, 8);
    for (int i = 0; i < 8; ++i) {
      const Vector &vector = vectors[first + i];
      a[i] = vector.a;
      for (int k = 0; k < steps; ++k)
        b[k][i] = vector.b[k];
      c[i][i] = vector.c;
    }
    multiply(vectors[first].kind, a, b, c);
    for (int i = 0; i < 8; ++i) {
      const Vector &vector = vectors[first + i];
      EXPECT_EQ(c[i][i], GetParam() == MatrixSums::SM80 ? vector.sm80 : vector.sm90)
          << "vector " << first + i;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Rules, SumsTest, testing::Values(MatrixSums::SM80, MatrixSums::SM90));

TEST_F(ProductTest, NeedsAWholeWarp) {
  addSite(TSSA_EMU_MULTIPLY_F16);
  threads = 16;
  std::string message = runToFault(multiplyOnce);
  EXPECT_NE(message.find("matrix product by thread"), std::string::npos) << message;
  EXPECT_NE(message.find("needs a warp of 32 lanes; the block has 16 threads"), std::string::npos)
      << message;
}

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

/// The matrices have 32 rows of 8 elements in all. Tensor 0 has the four words of each lane. The
/// lane's number plus the first scalar is the number of the row that it writes; rows are `pitch`
/// bytes apart.
template <uint32_t count, int pitch> void loadMatrices(Emu emu, void *const *params) {
  char *row = static_cast<char *>(emu->shared) + pitch * emu->thread;
  auto *halves = reinterpret_cast<uint16_t *>(row);
  emu->access(emu, row, 1);
  for (int i = 0; i < 8; ++i)
    halves[i] = uint16_t(emu->thread * 8 + i);
  emu->warp_barrier(emu, 0xFFFFFFFF, 2);
  // Lanes whose address is not used may have any.
  const void *address = emu->thread < 8 * count ? row : nullptr;
  uint32_t *parts = reinterpret_cast<uint32_t *>(tensor(params, 0)) + 4 * emu->thread;
  emu->load_matrices(emu, address, parts, count, 0);
}

class MatrixLoadTest : public EmulatorTest {
protected:
  MatrixLoadTest() : words(32 * 4) {
    addTensor(words);
    threads = 32;
    sharedBytes = 32 * 160;
  }
  void addSites(tssa_emulator_operation operation) {
    sites.clear();
    addSite(operation, TSSA_EMU_SHARED, -1, 16, 16);
    addSite(TSSA_EMU_STORE, TSSA_EMU_SHARED, -1, 16, 16);
    addSite(TSSA_EMU_WARP_BARRIER);
    addSite(TSSA_EMU_BARRIER);
  }
  void check(int count, bool transposed, void (*code)(Emu, void *const *)) {
    addSites(transposed ? TSSA_EMU_LOAD_TRANSPOSED : TSSA_EMU_LOAD_MATRICES);
    Status status = run(code);
    ASSERT_TRUE(status.ok()) << status.message;
    for (int lane = 0; lane < 32; ++lane)
      for (int matrix = 0; matrix < count; ++matrix) {
        int row = lane / 4, column = lane % 4 * 2;
        int low = transposed ? column * 8 + row : row * 8 + column;
        int high = transposed ? (column + 1) * 8 + row : row * 8 + column + 1;
        EXPECT_EQ(words[4 * lane + matrix], (64 * matrix + low) | (64 * matrix + high) << 16);
      }
  }
  std::vector<int32_t> words;
};

TEST_F(MatrixLoadTest, EqualsAPlainLoop) {
  for (bool transposed : {false, true}) {
    check(1, transposed, loadMatrices<1, 16>);
    check(2, transposed, loadMatrices<2, 16>);
    check(4, transposed, loadMatrices<4, 16>);
  }
}

TEST_F(MatrixLoadTest, CountsConflicts) {
  // The stores are an access without conflicts at a pitch of 16 or 144 bytes; at one of 128
  // bytes, the eight rows of a turn are in the same banks.
  options.count = true;
  check(4, false, loadMatrices<4, 144>);
  EXPECT_EQ(counters.sharedAccesses, 2u);
  EXPECT_EQ(counters.sharedConflicts, 0u);
  check(1, false, loadMatrices<1, 128>);
  EXPECT_EQ(counters.sharedConflicts, 4u * 7 + 7);
}

TEST_F(MatrixLoadTest, ChecksEachRow) {
  addSites(TSSA_EMU_LOAD_MATRICES);
  std::string message = runToFault([](Emu emu, void *const *) {
    uint32_t parts[4];
    emu->load_matrices(emu, static_cast<char *>(emu->shared) + 8, parts, 1, 0);
  });
  EXPECT_NE(message.find("matrix load of 16 bytes by thread"), std::string::npos) << message;
  EXPECT_NE(message.find("is misaligned: at shared memory + 8"), std::string::npos) << message;
  message = runToFault([](Emu emu, void *const *) {
    uint32_t parts[4];
    emu->load_matrices(emu, emu->shared, parts, 4, 0);
  });
  EXPECT_NE(message.find("reads what no thread of the block has written"), std::string::npos)
      << message;
}

TEST_F(MatrixLoadTest, RacesWithStoresOfOtherLanes) {
  addSites(TSSA_EMU_LOAD_MATRICES);
  std::string message = runToFault([](Emu emu, void *const *) {
    uint32_t parts[4];
    emu->access(emu, static_cast<char *>(emu->shared) + 16 * emu->thread, 1);
    // The rows of the warp's first lanes are written by its last.
    emu->load_matrices(emu, static_cast<char *>(emu->shared) + 16 * (31 - emu->thread), parts, 4,
                       0);
  });
  bool isRace = message.find("races with") != std::string::npos;
  EXPECT_TRUE(isRace || message.find("no thread of the block has written") != std::string::npos)
      << message;
}

TEST_F(MatrixLoadTest, NeedsAWholeWarp) {
  addSites(TSSA_EMU_LOAD_MATRICES);
  threads = 40;
  std::string message = runToFault([](Emu emu, void *const *) {
    uint32_t parts[4];
    if (emu->thread >= 32)
      emu->load_matrices(emu, emu->shared, parts, 1, 0);
  });
  EXPECT_NE(message.find("needs a warp of 32 lanes; the block has 40 threads"), std::string::npos)
      << message;
}

} // namespace
