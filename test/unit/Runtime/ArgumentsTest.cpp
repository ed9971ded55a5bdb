//===- ArgumentsTest.cpp - wrong inputs and outputs ----------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "RuntimeTest.h"

using namespace tssa::runtime;
using namespace tssa::runtime::test;

namespace {
class Arguments : public ::testing::Test {
protected:
  TemporaryFolder folder;
  std::unique_ptr<Session> session;
  AddArguments arguments{4};
  std::vector<NamedTensor> inputs = arguments.get();
  std::vector<Tensor> results;

  void SetUp() override {
    writeAddArtifact(folder.file("add.so"));
    SessionOptions options;
    options.threads = 1;
    ASSERT_OK(Session::load(folder.file("add.so"), options, session));
  }
  Status run(const std::vector<OutputRequest> &requests = {}) {
    return session->run(inputs, requests, {}, results);
  }
  void expectRefused(const char *text,
                     const std::vector<OutputRequest> &requests = {}) {
    EXPECT_FAULT(TSSA_INVALID_ARGUMENT, text, run(requests));
  }
  float sum(size_t i) { return static_cast<float *>(results[0].data)[i]; }
};
} // namespace

TEST_F(Arguments, Names) {
  inputs[2].name = "mod";
  expectRefused("there is no input 'mod'; did you mean 'mode'? (inputs: 'a', "
                "'b', 'mode')");
  inputs[2].name = "something";
  expectRefused("there is no input 'something' (inputs");
  inputs[2].name = "a";
  expectRefused("input 'a': given twice");
  inputs.pop_back();
  expectRefused("input 'mode': missing, expected i32[]");
  inputs.clear();
  expectRefused("input 'a': missing, expected f32[N,3]");
}

TEST_F(Arguments, Types) {
  inputs[0].tensor.dtype = toABI(DType::F64);
  expectRefused(
      "input 'a': wrong dtype: expected f32[N,3], got f64[4,3]");
  inputs[0].tensor.dtype = {2, 32, 4};
  expectRefused("got dtype(code 2, bits 32, lanes 4)[4,3]");
  inputs = arguments.get();
  inputs[0].tensor.ndim = 1;
  expectRefused("input 'a': wrong rank: expected f32[N,3], got f32[4]");
  inputs[0].tensor.ndim = -1;
  expectRefused("rank -1, expected 0 to 64");
  inputs[0].tensor.ndim = 1000;
  expectRefused("rank 1000");
  inputs = arguments.get();
  inputs[0].tensor.shape = nullptr;
  expectRefused("its shape is null");
  inputs = arguments.get();
  inputs[1].tensor.data = nullptr;
  expectRefused("input 'b': its data is null");
  inputs = arguments.get();
  inputs[1].tensor.device.type = 2;
  expectRefused("device type 2, expected 1 (CPU)");
}

TEST_F(Arguments, Sizes) {
  std::vector<int64_t> shape = {4, 2};
  inputs[0].tensor.shape = shape.data();
  expectRefused("input 'a': wrong size: expected f32[N,3], got f32[4,2]");
  shape = {-1, 3};
  expectRefused("input 'a': wrong size: expected f32[N,3], got f32[-1,3]");
  shape = {INT64_MAX, 3};
  expectRefused("wrong size");
  shape = {int64_t(1) << 31, 3};
  expectRefused("input 'a': dimension 0 (N) is 2147483648, expected 0 to "
                "1048576");
  shape = {5, 3};
  expectRefused("input 'b': dimension 0 is 4, expected 5: it is N, the size of "
                "dimension 0 of input 'a'");
}

TEST_F(Arguments, Strides) {
  std::vector<float> wide(100);
  for (size_t i = 0; i < wide.size(); ++i)
    wide[i] = float(i);
  // Every other column of every third row.
  std::vector<int64_t> strides = {18, 2};
  inputs[0].tensor.data = wide.data();
  inputs[0].tensor.strides = strides.data();
  ASSERT_OK(run());
  EXPECT_EQ(sum(4), wide[20] + arguments.b[4] + 1);
  // Backwards.
  strides = {-3, -1};
  inputs[0].tensor.byte_offset = 50 * sizeof(float);
  ASSERT_OK(run());
  EXPECT_EQ(sum(4), wide[46] + arguments.b[4] + 1);
  // One row for all.
  strides = {0, 1};
  ASSERT_OK(run());
  EXPECT_EQ(sum(10), wide[51] + arguments.b[10] + 1);
}

TEST_F(Arguments, OffsetAndMisalignment) {
  std::vector<char> bytes(12 * sizeof(float) + 9);
  for (size_t offset : {4, 1, 3, 7}) {
    std::copy_n(reinterpret_cast<char *>(arguments.a.data()),
                12 * sizeof(float), bytes.data() + offset);
    inputs[0].tensor.data = bytes.data();
    inputs[0].tensor.byte_offset = offset;
    ASSERT_OK(run());
    EXPECT_EQ(sum(5), arguments.a[5] + arguments.b[5] + 2);
  }
}

TEST_F(Arguments, OutputRequests) {
  expectRefused("there is no output 'som'; did you mean 'sum'?", {{"som", {}}});
  expectRefused("output 'sum': requested twice", {{"sum", {}}, {"sum", {}}});
  std::vector<float> memory(100, -1);
  std::vector<int64_t> shape = {4, 3};
  tssa_tensor into = view(DType::F32, shape, memory.data());
  tssa_tensor wrong = into;
  wrong.dtype = toABI(DType::I32);
  expectRefused("output 'sum': wrong dtype", {{"sum", wrong}});
  std::vector<int64_t> small = {3, 3};
  expectRefused("output 'sum': dimension 0 is 3, expected 4",
                {{"sum", view(DType::F32, small, memory.data())}});
  wrong = into;
  wrong.data = nullptr;
  expectRefused("output 'sum': its data is null", {{"sum", wrong}});
  wrong = into;
  wrong.byte_offset = 1;
  expectRefused("must be contiguous and aligned", {{"sum", wrong}});
  std::vector<int64_t> strides = {4, 1};
  wrong = into;
  wrong.strides = strides.data();
  expectRefused("must be contiguous and aligned", {{"sum", wrong}});
  wrong = into;
  wrong.data = arguments.b.data();
  expectRefused("output 'sum': its buffer overlaps input 'b'",
                {{"sum", wrong}});
  std::vector<int64_t> ten = {10};
  expectRefused("output 'found': its buffer overlaps that of output 'sum'",
                {{"sum", into}, {"found", view(DType::I64, ten, &memory[0])}});
  for (float value : memory)
    ASSERT_EQ(value, -1); // nothing was written
}

TEST_F(Arguments, OutputTooSmallForWhatTheDataMakes) {
  std::vector<int64_t> memory(5), shape = {5};
  expectRefused("output 'found': dimension 0 is 11, the buffer given has 5",
                {{"found", view(DType::I64, shape, memory.data())}});
}

// In place and aliased arguments, on a program that ignores them.
TEST(ArgumentKinds, InOutAndAlias) {
  TemporaryFolder folder;
  Manifest manifest = makeAddManifest();
  manifest.inputs.push_back(
      {"state", DType::Bool, Port::InOut, {Dim::fixed(4)}, -1});
  manifest.outputs.push_back(
      {"same", DType::Bool, Port::Alias, {Dim::fixed(4)}, 3});
  static const float bias[3] = {};
  ASSERT_OK(writeArtifact(folder.file("x.so"), readModel("add_model"), manifest,
                          content({{0, sizeof(bias), bias}})));
  std::unique_ptr<Session> session;
  ASSERT_OK(Session::load(folder.file("x.so"), {}, session));
  AddArguments arguments(2);
  std::vector<NamedTensor> inputs = arguments.get();
  uint8_t state[8] = {0, 1, 0, 1};
  std::vector<int64_t> shape = {4}, strides = {2};
  inputs.push_back({"state", view(DType::Bool, shape, state)});
  std::vector<Tensor> results;
  ASSERT_OK(session->run(inputs, {{"same", {}}}, {}, results));
  EXPECT_EQ(results[0].data, state);
  EXPECT_EQ(results[0].shape, shape);
  uint8_t elsewhere[4];
  EXPECT_FAULT(TSSA_INVALID_ARGUMENT,
               "output 'same': it is the storage of input 'state'",
               session->run(inputs,
                            {{"same", view(DType::Bool, shape, elsewhere)}}, {},
                            results));
  state[2] = 7;
  EXPECT_FAULT(TSSA_INVALID_ARGUMENT, "input 'state': is overwritten",
               session->run(inputs, {}, {}, results));
  state[2] = 0;
  inputs[3].tensor.strides = strides.data();
  EXPECT_FAULT(TSSA_INVALID_ARGUMENT, "input 'state': is overwritten",
               session->run(inputs, {}, {}, results));
  inputs[3].tensor = view(DType::Bool, shape, arguments.a.data());
  EXPECT_FAULT(TSSA_INVALID_ARGUMENT, "overlaps input 'a'",
               session->run(inputs, {}, {}, results));
}
