//===- MapAttributeTest.cpp - the attribute #layout.map -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/layout/IR/LayoutOps.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::tssa::layout;

namespace {

class MapAttributeTest : public ::testing::Test {
protected:
  MapAttributeTest()
      : handler(&context, [this](Diagnostic &diagnostic) { message = diagnostic.str(); }) {
    context.loadDialect<LayoutDialect>();
  }

  MLIRContext context;
  std::string message;
  ScopedDiagnosticHandler handler;
};

TEST_F(MapAttributeTest, RoundTrip) {
  auto refuse = [&](const Twine &text) { message = text.str(); };
  for (StringRef text : {
           "map<>",
           "map<split(1, [*, 16]), reorder(0, 1, 3, 4, 2)>",
           "map<fuse(0, 1, 2), pad(0, 1, 2), unpad(0, 1, 2), pad(0, to 16)>",
           "map<unfold(2, 18, 16), fold(2, 50, 16)>",
       }) {
    auto attr = dyn_cast_or_null<MapAttr>(parseAttribute(("#layout." + text).str(), &context));
    ASSERT_TRUE(attr) << message;
    std::string printed;
    llvm::raw_string_ostream(printed) << attr;
    EXPECT_EQ(printed, ("#layout." + text).str());
    EXPECT_EQ(attr.getMap(), *LayoutMap::parse(text, refuse));
    EXPECT_EQ(attr, MapAttr::get(&context, attr.getMap()));
  }
}

/// Bytecode and C++ make attributes from integers, which nobody has parsed.
TEST_F(MapAttributeTest, RefusedIntegers) {
  auto emitError = [&] { return mlir::emitError(UnknownLoc::get(&context)); };
  EXPECT_FALSE(MapAttr::getChecked(emitError, &context, ArrayRef<int64_t>({0, 0, 5, 1})));
  EXPECT_EQ(message,
            "expected for each primitive: its kind, its dim, the number of its values, its values");
  EXPECT_FALSE(MapAttr::getChecked(emitError, &context, ArrayRef<int64_t>({5, 0, 2, -1, 0})));
  EXPECT_EQ(message, "unpad(0, -1, 0): expected the counts of cells to be at least 0");
  EXPECT_TRUE(MapAttr::getChecked(emitError, &context, ArrayRef<int64_t>({5, 0, 2, 1, 0})));
}

} // namespace
