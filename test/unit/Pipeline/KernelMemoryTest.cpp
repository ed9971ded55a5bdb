//===- KernelMemoryTest.cpp - the buffers of one launch -------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/MLIRContext.h"
#include "tssa/Pipeline/KernelMemory.h"
#include "gtest/gtest.h"

#include <cmath>

using namespace tssa;
using namespace tssa::reference;

namespace {
/// The memory of a launch with an input of 3 elements, a number, and a result of 5 elements.
class KernelMemoryTest : public testing::Test {
protected:
  KernelMemory make(const InputCopies &copies = {}) {
    mlir::Builder builder(&context);
    HostTensor input = llvm::cantFail(HostTensor::create(ElementKind::F32, {3}));
    input.set(2, makeFloat(1.5));
    inputs = {input, makeInt(7)};
    HostTensor result = llvm::cantFail(HostTensor::create(ElementKind::F32, {5}));
    mlir::Type types[] = {mlir::RankedTensorType::get({3}, builder.getF32Type()),
                          builder.getIndexType()};
    return llvm::cantFail(KernelMemory::create(types, inputs, result, copies));
  }
  static float *getInput(const KernelMemory &memory, unsigned copy = 0) {
    return reinterpret_cast<float *>(memory.getSlots(copy)[1]);
  }
  static float *getResult(const KernelMemory &memory) {
    return reinterpret_cast<float *>(memory.getSlots()[7]);
  }
  std::string check(const KernelMemory &memory) { return toString(memory.check(inputs)); }

  mlir::MLIRContext context;
  std::vector<HostValue> inputs;
};
} // namespace

TEST_F(KernelMemoryTest, SlotsAreTheArguments) {
  KernelMemory memory = make();
  llvm::ArrayRef<uint64_t> slots = memory.getSlots();
  // Two memrefs, the number, the memref of the error, and the range of iterations.
  ASSERT_EQ(slots.size(), 3u * 5 + 1 + 2);
  EXPECT_EQ(getInput(memory)[2], 1.5f);
  EXPECT_EQ(slots[3], 3u);
  EXPECT_EQ(slots[5], 7u);
  EXPECT_EQ(slots[9], 5u);
  EXPECT_EQ(memory.getScalars(), llvm::ArrayRef<uint64_t>({7}));
}

TEST_F(KernelMemoryTest, ResultsAreWritten) {
  KernelMemory memory = make();
  for (unsigned i = 0; i < 5; ++i)
    getResult(memory)[i] = i;
  EXPECT_EQ(check(memory), "");
  EXPECT_EQ((*memory.borrowResults())[0].get(4).f, 4);
  memory.clearResults();
  EXPECT_TRUE(std::isnan((*memory.borrowResults())[0].get(4).f));
  EXPECT_EQ(check(memory), "");
}

TEST_F(KernelMemoryTest, WritesOutsideAreFound) {
  for (int offset : {-64, -1, 5, 6, 68}) {
    KernelMemory memory = make();
    getResult(memory)[offset] = 0;
    EXPECT_EQ(check(memory), "the kernel writes outside of its buffers") << offset;
  }
  KernelMemory memory = make();
  getInput(memory)[3] = 0;
  EXPECT_EQ(check(memory), "the kernel writes outside of its buffers");
}

TEST_F(KernelMemoryTest, WritesToInputsAreFound) {
  KernelMemory memory = make({{0}, 3});
  ASSERT_EQ(memory.getNumCopies(), 3u);
  EXPECT_NE(getInput(memory, 0), getInput(memory, 2));
  EXPECT_EQ(getInput(memory, 2)[2], 1.5f);
  getInput(memory, 0)[1] = 9;
  EXPECT_EQ(check(memory), "the kernel writes to an input");
  memory = make({{0}, 3});
  getInput(memory, 2)[-1] = 9;
  EXPECT_EQ(check(memory), "the kernel writes outside of its buffers");
}

TEST_F(KernelMemoryTest, MemoryThatDoesNotExist) {
  llvm::Expected<GuardedBuffer> buffer = GuardedBuffer::create(size_t(1) << 62);
  ASSERT_FALSE(static_cast<bool>(buffer));
  EXPECT_EQ(errorToErrorCode(buffer.takeError()), std::errc::not_enough_memory);
}
