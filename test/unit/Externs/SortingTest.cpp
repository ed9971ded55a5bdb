//===- SortingTest.cpp - routines that sort, compared with std::sort ----------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Externs/Routine.h"
#include "gtest/gtest.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <limits>
#include <numeric>
#include <random>
#include <type_traits>
#include <vector>

using namespace tssa;

extern "C" int32_t tssa_extern_topk(const tssa_host *, int32_t, tssa_tensor *, const Attributes *);
extern "C" int32_t tssa_extern_nonzero(const tssa_host *, int32_t, tssa_tensor *,
                                       const Attributes *);
extern "C" int32_t tssa_extern_unique(const tssa_host *, int32_t, tssa_tensor *,
                                      const Attributes *);

namespace {

/// A host whose memory is limited by `allocations`.
struct Host : tssa_host {
  mutable int allocations = 1000;
  mutable int live = 0;

  Host() : tssa_host() {
    grow = [](const tssa_host *host, uint64_t bytes) -> void * {
      auto *self = static_cast<const Host *>(host);
      if (self->allocations-- <= 0)
        return nullptr;
      ++self->live;
      return malloc(bytes);
    };
    release = [](const tssa_host *host, void *memory) {
      --static_cast<const Host *>(host)->live;
      free(memory);
    };
    fail = [](const tssa_host *, int32_t code, int32_t, const char *) { return code; };
  }
};

using Shape = std::vector<int64_t>;

template <typename T> tssa_dtype getType() {
  uint8_t code = T(0.5) != T(0) ? 2 : T(-1) < T(0) ? 0 : 1;
  return {code, 8 * sizeof(T), 1};
}

template <typename T> tssa_tensor makeTensor(std::vector<T> &data, Shape &shape) {
  return {data.data(), {1, 0}, static_cast<int32_t>(shape.size()), getType<T>(), shape.data(),
          nullptr,     0};
}

/// Whether `a` comes before `b`: NaN is larger than all numbers.
template <typename T> bool isLess(T a, T b) { return a < b || (b != b && a == a); }

template <typename T> bool isSame(T a, T b) { return memcmp(&a, &b, sizeof(T)) == 0; }

/// Compares topk along the middle dim of [outer, size, inner] with std::sort.
template <typename T>
void checkTopK(std::vector<T> data, int64_t outer, int64_t inner, int64_t k, bool largest) {
  int64_t size = data.size() / (outer * inner);
  Shape shape = {outer, size, inner}, small = {outer, k, inner}, one = {1};
  std::vector<int64_t> count = {k}, indices(outer * k * inner, -1);
  std::vector<T> values(outer * k * inner);
  tssa_tensor tensors[] = {makeTensor(data, shape), makeTensor(count, one),
                           makeTensor(values, small), makeTensor(indices, small)};
  Attributes attributes = {1, 0, std::is_unsigned_v<T>, largest, 1};
  Host host;
  ASSERT_EQ(tssa_extern_topk(&host, 0, tensors, &attributes), TSSA_OK);
  EXPECT_EQ(host.live, 0);
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t n = 0; n < inner; ++n) {
      auto get = [&](int64_t i) { return data[(o * size + i) * inner + n]; };
      std::vector<int64_t> order(size);
      std::iota(order.begin(), order.end(), 0);
      std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
        T first = largest ? get(b) : get(a), second = largest ? get(a) : get(b);
        return isLess(first, second) || (!isLess(second, first) && a < b);
      });
      for (int64_t i = 0; i < k; ++i) {
        int64_t at = (o * k + i) * inner + n;
        ASSERT_EQ(indices[at], order[i]) << "element " << i << " of " << size << ", k " << k;
        ASSERT_TRUE(isSame(values[at], get(order[i])));
      }
    }
}

/// Compares nonzero with divisions by all sizes. One element in `every` is not 0.
void checkNonZero(Shape shape, unsigned every) {
  int64_t total = std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>());
  std::mt19937_64 random(total + every);
  std::vector<float> data(total);
  std::vector<Shape> expected(shape.size());
  for (int64_t i = 0; i < total; ++i) {
    data[i] = random() % every == 0 ? -0.5f : (i % 2 ? 0.0f : -0.0f);
    int64_t rest = data[i] != 0 ? i : -1;
    for (int64_t dim = shape.size(); rest >= 0 && dim-- > 0; rest /= shape[dim])
      expected[dim].push_back(rest % shape[dim]);
  }
  Shape found = {0, 0};
  tssa_tensor tensors[] = {makeTensor(data, shape),
                           {nullptr, {1, 0}, 2, getType<int64_t>(), found.data(), nullptr, 0}};
  Attributes attributes = {};
  Host host;
  ASSERT_EQ(tssa_extern_nonzero(&host, 0, tensors, &attributes), TSSA_OK);
  ASSERT_EQ(found, (Shape{static_cast<int64_t>(shape.size()),
                          static_cast<int64_t>(expected.back().size())}));
  auto *positions = static_cast<int64_t *>(tensors[1].data);
  for (const Shape &row : expected)
    for (int64_t position : row)
      ASSERT_EQ(*positions++, position);
  free(tensors[1].data);
}

/// The orders in which `size` elements are tested, made from a generator of element i.
template <typename T> std::vector<std::vector<T>> makeOrders(int64_t size) {
  std::mt19937_64 random(size);
  std::vector<std::vector<T>> orders;
  auto add = [&](const std::function<T(int64_t)> &get) {
    orders.emplace_back();
    for (int64_t i = 0; i < size; ++i)
      orders.back().push_back(get(i));
  };
  auto anyBits = [&](int64_t) {
    uint64_t bits = random();
    T value;
    memcpy(&value, &bits, sizeof(T));
    return value;
  };
  using Limits = std::numeric_limits<T>;
  const T special[] = {T(0), T(-T(0)), Limits::max(), Limits::lowest(), T(1),
                       Limits::has_infinity ? Limits::infinity() : T(2),
                       Limits::has_infinity ? T(-Limits::infinity()) : T(3),
                       Limits::has_quiet_NaN ? Limits::quiet_NaN() : T(4)};
  add(anyBits);
  add([](int64_t) { return T(7); });
  add([](int64_t i) { return T(i); });
  add([&](int64_t i) { return T(size - i); });
  add([&](int64_t i) { return T(std::min(i, size - i)); });
  add([&](int64_t) { return T(random() % 3); });
  add([&](int64_t) { return special[random() % 8]; });
  add([&](int64_t) { return Limits::max(); });
  add([&](int64_t) { return Limits::lowest(); });
  return orders;
}

template <typename T> class TopKTest : public testing::Test {};
using Types = testing::Types<float, double, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t,
                             uint32_t, uint64_t>;
TYPED_TEST_SUITE(TopKTest, Types);

/// Sizes around the bounds of the algorithms: 64 items are inserted, 512 have longer digits, and
/// 1024 are collected.
TYPED_TEST(TopKTest, EqualsAStableSort) {
  for (int64_t size : {0, 1, 2, 63, 64, 65, 300, 511, 512, 1023, 1024, 1025, 5000})
    for (const std::vector<TypeParam> &data : makeOrders<TypeParam>(size))
      for (int64_t k : Shape{0, 1, 15, size / 8, size / 8 + 1, size - 1, size})
        for (bool largest : {false, true})
          if (k >= 0 && k <= size)
            checkTopK(data, 1, 1, k, largest);
}

TYPED_TEST(TopKTest, KeepsARoomThatGrowsWithK) {
  for (int64_t k : {255, 256, 257, 1000})
    for (const std::vector<TypeParam> &data : makeOrders<TypeParam>(9000))
      checkTopK(data, 1, 1, k, /*largest=*/true);
}

TYPED_TEST(TopKTest, WorksAlongAnInnerAxis) {
  for (const std::vector<TypeParam> &data : makeOrders<TypeParam>(2 * 1500 * 3))
    for (int64_t k : {1, 20, 1500})
      checkTopK(data, 2, 3, k, /*largest=*/true);
}

/// 1, NaN, -0, -inf, 0, inf in a type of 16 bits.
void checkHalves(uint8_t code, std::vector<uint16_t> data) {
  Shape shape = {6}, one = {1};
  std::vector<int64_t> count = {6}, indices(6);
  std::vector<uint16_t> values(6);
  tssa_tensor tensors[] = {makeTensor(data, shape), makeTensor(count, one),
                           makeTensor(values, shape), makeTensor(indices, shape)};
  tensors[0].dtype.code = tensors[2].dtype.code = code;
  Attributes attributes = {0, 0, 0, /*largest=*/0, 1};
  Host host;
  ASSERT_EQ(tssa_extern_topk(&host, 0, tensors, &attributes), TSSA_OK);
  EXPECT_EQ(indices, (std::vector<int64_t>{3, 2, 4, 0, 5, 1}));
}

TEST(TopK, OrdersHalves) {
  checkHalves(/*code=*/4, {0x3f80, 0x7fc0, 0x8000, 0xff80, 0x0000, 0x7f80});
  checkHalves(/*code=*/2, {0x3c00, 0x7e00, 0x8000, 0xfc00, 0x0000, 0x7c00});
}

TEST(TopK, ReportsErrors) {
  std::vector<float> data(5), values(6);
  std::vector<int64_t> count = {6}, indices(6);
  Shape shape = {5}, more = {6}, one = {1};
  tssa_tensor tensors[] = {makeTensor(data, shape), makeTensor(count, one),
                           makeTensor(values, more), makeTensor(indices, more)};
  Attributes attributes = {0, 0, 0, 1, 1};
  Host host;
  EXPECT_EQ(tssa_extern_topk(&host, 0, tensors, &attributes), TSSA_OUT_OF_RANGE);
  tensors[2].shape = tensors[3].shape = shape.data();
  for (host.allocations = 0; host.allocations < 2;) {
    int before = host.allocations;
    EXPECT_EQ(tssa_extern_topk(&host, 0, tensors, &attributes), TSSA_OUT_OF_MEMORY);
    EXPECT_EQ(host.live, 0);
    host.allocations = before + 1;
  }
}

/// Compares unique of the rows of a matrix with a search for each row.
void checkUnique(std::vector<int32_t> data, int64_t rows, int64_t columns, bool sorted) {
  Shape shape = {rows, columns}, size = {rows}, counted[3] = {{0, columns}, {0}, {0}};
  std::vector<int64_t> inverse(rows), none;
  tssa_tensor tensors[] = {makeTensor(data, shape), makeTensor(inverse, size),
                           makeTensor(data, counted[0]), makeTensor(none, counted[1]),
                           makeTensor(none, counted[2])};
  Attributes attributes = {0, 0, 0, 1, sorted};
  Host host;
  ASSERT_EQ(tssa_extern_unique(&host, 0, tensors, &attributes), TSSA_OK);
  auto getRow = [&](int64_t i) {
    return std::vector<int32_t>(data.begin() + i * columns, data.begin() + (i + 1) * columns);
  };
  std::vector<int64_t> firsts, counts;
  std::vector<int64_t> firstOf(rows);
  for (int64_t i = 0; i < rows; ++i) {
    for (firstOf[i] = 0; getRow(firstOf[i]) != getRow(i);)
      ++firstOf[i];
    if (firstOf[i] == i)
      firsts.push_back(i);
  }
  if (sorted)
    std::sort(firsts.begin(), firsts.end(),
              [&](int64_t a, int64_t b) { return getRow(a) < getRow(b); });
  ASSERT_EQ(counted[1][0], static_cast<int64_t>(firsts.size()));
  for (size_t g = 0; g < firsts.size(); ++g) {
    EXPECT_EQ(getData<int64_t>(tensors[3])[g], firsts[g]);
    EXPECT_EQ(getData<int64_t>(tensors[4])[g],
              std::count(firstOf.begin(), firstOf.end(), firsts[g]));
    const int32_t *row = getData<int32_t>(tensors[2]) + g * columns;
    EXPECT_EQ(std::vector<int32_t>(row, row + columns), getRow(firsts[g]));
  }
  for (int64_t i = 0; i < rows; ++i)
    EXPECT_EQ(firsts[inverse[i]], firstOf[i]);
  for (int t = 2; t < 5; ++t)
    host.release(&host, tensors[t].data);
  EXPECT_EQ(host.live, 0);
}

TEST(UniqueTest, EqualsASearch) {
  std::mt19937 random(0);
  for (int64_t rows : {0, 1, 2, 70, 200})
    for (int64_t columns : {0, 1, 3, 6})
      for (int values : {1, 2, 100}) {
        std::vector<int32_t> data(rows * columns);
        for (int32_t &element : data)
          element = static_cast<int32_t>(random() % values) - 1;
        checkUnique(data, rows, columns, /*sorted=*/true);
        checkUnique(data, rows, columns, /*sorted=*/false);
      }
}

TEST(NonZero, AnyRank) {
  for (unsigned every : {1u, 2u, 7u, 1000000u})
    for (const Shape &shape : {Shape{1}, Shape{130}, Shape{3, 50}, Shape{50, 3}, Shape{7, 1, 5},
                               Shape{2, 3, 4, 9}, Shape{0, 4}, Shape{4, 0}})
      checkNonZero(shape, every);
}

} // namespace
