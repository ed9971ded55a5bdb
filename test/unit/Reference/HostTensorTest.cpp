//===- HostTensorTest.cpp - elements, rounding, comparison ----------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tssa/Reference/HostTensor.h"
#include "tssa/Reference/Compare.h"
#include "llvm/ADT/APFloat.h"
#include "gtest/gtest.h"

#include <cmath>
#include <cstring>

using namespace tssa::reference;

static HostTensor make(ElementKind kind, std::initializer_list<double> values) {
  HostTensor tensor = cantFail(HostTensor::create(kind, static_cast<int64_t>(values.size())));
  int64_t i = 0;
  for (double value : values)
    tensor.set(i++, isFloat(kind) ? makeFloat(value) : makeInt(static_cast<int64_t>(value)));
  return tensor;
}

/// Law: loading and storing keeps the bits of every f16 and bf16.
TEST(HostTensor, HalvesRoundTrip) {
  for (ElementKind kind : {ElementKind::F16, ElementKind::BF16})
    for (unsigned bits = 0; bits < 65536; ++bits) {
      auto in = static_cast<uint16_t>(bits);
      uint16_t out;
      Scalar value = loadElement(kind, reinterpret_cast<uint8_t *>(&in), 0);
      storeElement(kind, reinterpret_cast<uint8_t *>(&out), 0, value);
      if (std::isnan(value.f))
        EXPECT_TRUE(std::isnan(loadElement(kind, reinterpret_cast<uint8_t *>(&out), 0).f));
      else
        EXPECT_EQ(in, out);
    }
}

/// Law: rounding agrees with APFloat, also for ties and on overflow.
TEST(HostTensor, RoundingIsToNearestEven) {
  struct Format {
    ElementKind kind;
    const llvm::fltSemantics &semantics;
  };
  for (const Format &format : {Format{ElementKind::F16, llvm::APFloat::IEEEhalf()},
                               Format{ElementKind::BF16, llvm::APFloat::BFloat()},
                               Format{ElementKind::F32, llvm::APFloat::IEEEsingle()}})
    for (int exponent = -160; exponent < 140; ++exponent)
      for (double mantissa : {1.0, 1.0 + 0x1p-8, 1.0 + 0x3p-9, 1.0 + 0x1p-11, 1.0 + 0x3p-12,
                              1.5 + 0x1p-24, 1.0 + 0x1p-24 + 0x1p-50, 2.0 - 0x1p-52}) {
        double value = std::ldexp(mantissa, exponent);
        llvm::APFloat expected(value);
        bool lossy;
        expected.convert(format.semantics, llvm::APFloat::rmNearestTiesToEven, &lossy);
        expected.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &lossy);
        EXPECT_EQ(expected.convertToDouble(), roundTo(format.kind, value));
        EXPECT_EQ(-expected.convertToDouble(), roundTo(format.kind, -value));
      }
}

TEST(HostTensor, IntegersAreCutAndExtended) {
  HostTensor bytes = make(ElementKind::I8, {127, 128, 255, -1});
  EXPECT_EQ(bytes.get(0).i, 127);
  EXPECT_EQ(bytes.get(1).i, -128);
  EXPECT_EQ(bytes.get(2).i, -1);
  HostTensor flags = make(ElementKind::I1, {0, 1, -1});
  EXPECT_EQ(flags.getData()[1], 1);
  EXPECT_EQ(flags.getData()[2], 1);
  EXPECT_EQ(flags.get(2).i, -1);
  EXPECT_EQ(zeroExtend(-1, 8), 255u);
  EXPECT_EQ(signExtend(0x180, 8), -128);
}

TEST(HostTensor, CopiesAreIndependent) {
  HostTensor first = make(ElementKind::F32, {1, 2});
  HostTensor second = first;
  second.set(0, makeFloat(5));
  EXPECT_EQ(first.get(0).f, 1);
  EXPECT_EQ(second.get(0).f, 5);
}

TEST(HostTensor, SizesAreChecked) {
  int64_t large = int64_t(1) << 40;
  EXPECT_FALSE(countElements({large, large}).has_value());
  EXPECT_FALSE(countElements({-1}).has_value());
  EXPECT_EQ(countElements({large, large, 0}), 0);
  EXPECT_EQ(countElements({}), 1);
  auto tensor = HostTensor::create(ElementKind::F64, {large, large});
  ASSERT_FALSE(static_cast<bool>(tensor));
  EXPECT_EQ(toString(tensor.takeError()), "a tensor of 1099511627776x1099511627776xf64 has more "
                                          "bytes than there are addresses");
}

TEST(Compare, NamesTheWorstElement) {
  HostTensor expected = make(ElementKind::F32, {1, 2, 4});
  HostTensor got = make(ElementKind::F32, {1, 2.5, 4.25});
  Comparison comparison = compare(expected, got, {1e-3, 0});
  EXPECT_FALSE(comparison.agrees);
  EXPECT_EQ(comparison.numMismatches, 2);
  EXPECT_EQ(comparison.describe(), "2 of 3 elements differ, most at [1]: expected 2, got 2.5 "
                                   "(error 5.00e-01, largest magnitude 4.00e+00)");
  EXPECT_TRUE(compare(expected, got, {0.2, 0}).agrees);
  EXPECT_TRUE(compare(expected, got, {0, 0.5}).agrees);
}

TEST(Compare, ClassesMustAgree) {
  double infinity = std::numeric_limits<double>::infinity(), nan = std::nan("");
  HostTensor expected = make(ElementKind::F32, {nan, infinity, 1});
  EXPECT_TRUE(compare(expected, expected, ComparePolicy::exact()).agrees);
  EXPECT_FALSE(compare(expected, make(ElementKind::F32, {1, infinity, 1}), {1, 1}).agrees);
  EXPECT_FALSE(compare(expected, make(ElementKind::F32, {nan, -infinity, 1}), {1, 1}).agrees);
  EXPECT_FALSE(compare(expected, make(ElementKind::F32, {nan, infinity, nan}), {1, 1}).agrees);
}

TEST(Compare, IntegersAreExact) {
  HostTensor expected = make(ElementKind::I64, {1, 1000000});
  EXPECT_FALSE(compare(expected, make(ElementKind::I64, {1, 1000001}), {1, 1}).agrees);
  EXPECT_EQ(compare(expected, make(ElementKind::I32, {1, 1}), {}).describe(),
            "expected 2xi64, got 2xi32");
}

TEST(Compare, RoundingMayBeAllowed) {
  HostTensor exact = make(ElementKind::F32, {1, 100}), narrow = make(ElementKind::F32, {1.5, 100});
  ComparePolicy policy = allowRounding({1e-6, 0}, exact, narrow);
  EXPECT_TRUE(compare(exact, make(ElementKind::F32, {2.5, 100}), policy).agrees);
  EXPECT_FALSE(compare(exact, make(ElementKind::F32, {3.5, 100}), policy).agrees);
}
