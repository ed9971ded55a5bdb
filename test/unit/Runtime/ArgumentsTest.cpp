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
  void expectRefused(const char *text, const std::vector<OutputRequest> &requests = {}) {
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
  expectRefused("input 'a': wrong dtype: expected f32[N,3], got f64[4,3]");
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
  // One row that all rows share.
  strides = {0, 1};
  ASSERT_OK(run());
  EXPECT_EQ(sum(10), wide[51] + arguments.b[10] + 1);
}

TEST_F(Arguments, StridesThatNoMachineHas) {
  std::vector<int64_t> strides;
  inputs[0].tensor.strides = nullptr;
  for (int64_t stride : {INT64_MAX, INT64_MIN, INT64_MAX / 8, INT64_MIN / 8}) {
    strides = {stride, 1};
    inputs[0].tensor.strides = strides.data();
    EXPECT_FAULT(TSSA_INVALID_ARGUMENT, "input 'a': its strides or its byte_offset exceed", run());
  }
  inputs[0].tensor.strides = nullptr;
  inputs[0].tensor.byte_offset = UINT64_MAX - 3;
  EXPECT_FAULT(TSSA_INVALID_ARGUMENT, "input 'a': its strides or its byte_offset exceed", run());
  // The stride of a dim of size one does not matter.
  AddArguments row(1);
  std::vector<float> wide = {1, 0, 2, 0, 3};
  std::vector<NamedTensor> given = row.get();
  for (int64_t stride : {INT64_MAX, INT64_MIN}) {
    strides = {stride, 2};
    given[0].tensor.data = wide.data();
    given[0].tensor.strides = strides.data();
    std::vector<Tensor> results;
    ASSERT_OK(session->run(given, {}, {}, results));
    EXPECT_EQ(static_cast<float *>(results[0].data)[1], 2 + row.b[1] + 1);
  }
}

TEST_F(Arguments, OffsetAndMisalignment) {
  std::vector<char> bytes(12 * sizeof(float) + 9);
  for (size_t offset : {4, 1, 3, 7}) {
    std::copy_n(reinterpret_cast<char *>(arguments.a.data()), 12 * sizeof(float),
                bytes.data() + offset);
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
  expectRefused("output 'sum': its buffer overlaps input 'b'", {{"sum", wrong}});
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

namespace {
/// A fixture for the program of Inputs/device_model.c, which overwrites x. It runs on the CPU and
/// on the emulator.
class Written : public ::testing::TestWithParam<std::tuple<const char *, How>> {
protected:
  TemporaryFolder folder;
  std::unique_ptr<Session> session;
  std::vector<float> x, y, xBefore;
  std::vector<int64_t> shape, scalar;
  int32_t how = std::get<1>(GetParam());
  std::vector<NamedTensor> inputs;
  std::vector<Tensor> results;

  void SetUp() override {
    writeDeviceArtifact(folder.file("x.so"), {"cpu", "cuda-emu"});
    SessionOptions options;
    options.device = std::get<0>(GetParam());
    ASSERT_OK(Session::load(folder.file("x.so"), options, session));
    use(70);
  }
  void use(size_t n) {
    x.resize(n);
    y.resize(n);
    for (size_t i = 0; i < n; ++i) {
      x[i] = float(i);
      y[i] = float(1000 * i);
    }
    xBefore = x;
    shape = {int64_t(n)};
    inputs = {{"x", view(DType::F32, shape, x.data())},
              {"y", view(DType::F32, shape, y.data())},
              {"how", view(DType::I32, scalar, &how)}};
  }
  Status run(const std::vector<OutputRequest> &requests = {}) {
    return session->run(inputs, requests, {}, results);
  }
  float mirrored(size_t i) const { return xBefore[xBefore.size() - 1 - i] + y[i]; }
  static const float *floats(const Tensor &tensor) {
    return static_cast<const float *>(tensor.data);
  }
};
} // namespace

TEST_P(Written, InTheCallersMemory) {
  for (size_t n : {70, 1, 0, 64, 33}) {
    use(n);
    ASSERT_OK(run());
    ASSERT_EQ(results.size(), 3u);
    for (size_t i = 0; i < n; ++i) {
      ASSERT_EQ(x[i], mirrored(i));
      ASSERT_EQ(floats(results[2])[i], xBefore[i] + y[i] + 0.5f);
    }
    if (n == 0)
      continue;
    EXPECT_EQ(results[0].data, x.data());
    EXPECT_EQ(results[1].data, y.data());
  }
}

TEST_P(Written, ThroughStrides) {
  std::vector<float> wide(3 * 70 + 1, -1);
  for (size_t i = 0; i < 70; ++i)
    wide[209 - 3 * i] = x[i];
  std::vector<int64_t> strides = {-3};
  inputs[0].tensor.data = wide.data();
  inputs[0].tensor.byte_offset = 209 * sizeof(float);
  inputs[0].tensor.strides = strides.data();
  ASSERT_OK(run());
  for (size_t i = 0; i < wide.size(); ++i)
    ASSERT_EQ(wide[i], i % 3 == 2 ? mirrored((209 - i) / 3) : -1) << i;
  // The result is dense and outlives the run.
  ASSERT_NE(results[0].storage.getSize(), 0u);
  for (size_t i = 0; i < 70; ++i)
    ASSERT_EQ(floats(results[0])[i], mirrored(i));
}

TEST_P(Written, Misaligned) {
  std::vector<char> bytes(70 * sizeof(float) + 1);
  std::copy_n(reinterpret_cast<char *>(x.data()), bytes.size() - 1, bytes.data() + 1);
  inputs[0].tensor.data = bytes.data() + 1;
  ASSERT_OK(run());
  std::copy_n(bytes.data() + 1, bytes.size() - 1, reinterpret_cast<char *>(x.data()));
  for (size_t i = 0; i < 70; ++i)
    ASSERT_EQ(x[i], mirrored(i));
}

TEST_P(Written, Overlaps) {
  std::vector<float> wide(1000, 1);
  std::vector<int64_t> strides = {0};
  auto place = [&](size_t input, size_t offset, int64_t *strides) {
    inputs[input].tensor = view(DType::F32, shape, wide.data() + offset);
    inputs[input].tensor.strides = strides;
  };
  auto expectRefused = [&](const char *text, const std::vector<OutputRequest> &requests = {}) {
    EXPECT_FAULT(TSSA_INVALID_ARGUMENT, text, run(requests));
    for (float value : wide)
      ASSERT_EQ(value, 1);
  };
  place(0, 0, strides.data());
  expectRefused("input 'x': is overwritten by the program, and elements of it share memory");
  place(0, 0, nullptr);
  place(1, 69, nullptr);
  expectRefused("input 'x': is overwritten by the program and overlaps input 'y'");
  strides = {2};
  place(0, 0, strides.data());
  place(1, 0, strides.data());
  expectRefused("overlaps input 'y'");
  place(1, 500, nullptr);
  expectRefused("output 'sum': its buffer overlaps input 'x'",
                {{"sum", view(DType::F32, shape, &wide[0])}});
  // Two columns of a matrix do not overlap.
  place(1, 1, strides.data());
  ASSERT_OK(run());
  EXPECT_EQ(wide[0], 2);
  EXPECT_EQ(wide[1], 1);
}

TEST_P(Written, AliasesGoNowhereElse) {
  EXPECT_FAULT(TSSA_INVALID_ARGUMENT, "output 'x_new': it is the storage of input 'x'",
               run({{"x_new", view(DType::F32, shape, y.data())}}));
}

INSTANTIATE_TEST_SUITE_P(Devices, Written,
                         ::testing::Combine(::testing::Values("cpu", "cuda-emu"),
                                            ::testing::Values(InPlace, AsResult)));
