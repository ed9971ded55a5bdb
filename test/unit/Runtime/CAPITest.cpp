//===- CAPITest.cpp - tssa.h and tssa.hpp through libtssart --------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "tssa/tssa.h"
#include "tssa/tssa.hpp"

#include <gtest/gtest.h>

#include <array>
#include <thread>

// Written by RuntimeArtifact.cpp from Inputs/add_model.c and Inputs/device_model.c.
static const char *const model = TSSA_TEST_MODELS "/add.so";
static const char *const deviceModel = TSSA_TEST_MODELS "/device.so";

static void expectFault(tssa_status *status, tssa_code code, const char *text) {
  EXPECT_EQ(tssa_status_code(status), code);
  EXPECT_NE(std::string(tssa_status_message(status)).find(text), std::string::npos)
      << tssa_status_message(status);
  tssa_status_free(status);
}

namespace {
struct CAPI : ::testing::Test {
  tssa_session *session = nullptr;
  float a[6] = {0, 1, 2, 3, 4, 5}, b[6] = {};
  int32_t mode = 0;
  int64_t shape[2] = {2, 3};
  tssa_value inputs[3] = {{"mode", {&mode, {1, 0}, 0, {0, 32, 1}, nullptr, nullptr, 0}, nullptr},
                          {"b", {b, {1, 0}, 2, {2, 32, 1}, shape, nullptr, 0}, nullptr},
                          {"a", {a, {1, 0}, 2, {2, 32, 1}, shape, nullptr, 0}, nullptr}};

  void SetUp() override { ASSERT_EQ(tssa_session_load(model, nullptr, &session), nullptr); }
  void TearDown() override { tssa_session_free(session); }
};
} // namespace

TEST_F(CAPI, Signature) {
  EXPECT_EQ(tssa_session_num_inputs(session), 3u);
  EXPECT_EQ(tssa_session_num_outputs(session), 2u);
  EXPECT_EQ(tssa_session_num_symbols(session), 1u);
  tssa_port port;
  port.struct_size = sizeof(port);
  ASSERT_EQ(tssa_session_input(session, 0, &port), nullptr);
  EXPECT_STREQ(port.name, "a");
  EXPECT_EQ(port.dtype.bits, 32);
  EXPECT_EQ(port.ndim, 2);
  EXPECT_EQ(port.dims[0], -1);
  EXPECT_EQ(port.symbols[0], 0);
  EXPECT_EQ(port.dims[1], 3);
  EXPECT_EQ(port.symbols[1], -1);
  EXPECT_EQ(port.alias_of, -1);
  ASSERT_EQ(tssa_session_output(session, 1, &port), nullptr);
  EXPECT_EQ(port.kind, TSSA_PORT_OUT);
  EXPECT_EQ(port.symbols[0], -1);
  tssa_symbol symbol;
  symbol.struct_size = sizeof(symbol);
  ASSERT_EQ(tssa_session_symbol(session, 0, &symbol), nullptr);
  EXPECT_STREQ(symbol.name, "N");
  EXPECT_EQ(symbol.max, 1 << 20);
  expectFault(tssa_session_input(session, 3, &port), TSSA_INVALID_ARGUMENT, "index 3, there are 3");
  port.struct_size = 0;
  expectFault(tssa_session_input(session, 0, &port), TSSA_INVALID_ARGUMENT,
              "struct_size is not set");
}

TEST_F(CAPI, Labels) {
  tssa_labels labels;
  labels.struct_size = sizeof(labels);
  ASSERT_EQ(tssa_session_output_labels(session, 0, &labels), nullptr);
  EXPECT_EQ(labels.kind, TSSA_LABELS_NONE);
  EXPECT_EQ(labels.count, 0u);
  ASSERT_EQ(tssa_session_output_labels(session, 1, &labels), nullptr);
  EXPECT_EQ(labels.kind, TSSA_LABELS_STRINGS);
  EXPECT_EQ(labels.count, 6u);
  tssa_label label;
  label.struct_size = sizeof(label);
  ASSERT_EQ(tssa_session_output_label(session, 1, 0, &label), nullptr);
  EXPECT_STREQ(label.text, "zero");
  EXPECT_EQ(label.size, 4u);
  EXPECT_EQ(label.number, 0);
  ASSERT_EQ(tssa_session_output_label(session, 1, 3, &label), nullptr);
  EXPECT_EQ(std::string(label.text, label.size), std::string("a\0b", 3));
  EXPECT_EQ(label.text[label.size], 0);
  expectFault(tssa_session_output_label(session, 1, 6, &label), TSSA_INVALID_ARGUMENT,
              "index 6, there are 6");
  expectFault(tssa_session_output_label(session, 0, 0, &label), TSSA_INVALID_ARGUMENT,
              "index 0, there are 0");
  expectFault(tssa_session_output_labels(session, 2, &labels), TSSA_INVALID_ARGUMENT,
              "index 2, there are 2");
  expectFault(tssa_session_output_label(session, 2, 0, &label), TSSA_INVALID_ARGUMENT,
              "index 2, there are 2");
  label.struct_size = 0;
  expectFault(tssa_session_output_label(session, 1, 0, &label), TSSA_INVALID_ARGUMENT,
              "struct_size is not set");
}

TEST_F(CAPI, Runs) {
  tssa_value outputs[2] = {{"sum", {}, nullptr}, {"found", {}, nullptr}};
  ASSERT_EQ(tssa_session_run(session, nullptr, inputs, 3, outputs, 2), nullptr);
  EXPECT_EQ(outputs[0].tensor.shape[0], 2);
  EXPECT_EQ(static_cast<float *>(outputs[0].tensor.data)[5], 7);
  EXPECT_EQ(outputs[1].tensor.shape[0], 5);
  expectFault(tssa_session_run(session, nullptr, inputs, 3, outputs, 2), TSSA_INVALID_ARGUMENT,
              "release it first");
  tssa_value_release(&outputs[0]);
  tssa_value_release(&outputs[0]); // a second release does nothing
  tssa_value_release(&outputs[1]);
}

TEST_F(CAPI, ResultsInTheCallersMemory) {
  int64_t found[10], foundShape[1] = {10};
  tssa_value output = {"found", {found, {1, 0}, 1, {0, 64, 1}, foundShape, nullptr, 0}, nullptr};
  ASSERT_EQ(tssa_session_run(session, nullptr, inputs, 3, &output, 1), nullptr);
  EXPECT_EQ(foundShape[0], 5);
  EXPECT_EQ(found[4], 5);
  EXPECT_EQ(output.owner, nullptr);
}

TEST_F(CAPI, Faults) {
  tssa_session *other = nullptr;
  expectFault(tssa_session_load("/nowhere.so", nullptr, &other), TSSA_IO,
              "'/nowhere.so': cannot open");
  expectFault(tssa_session_load(nullptr, nullptr, &other), TSSA_INVALID_ARGUMENT, "null");
  EXPECT_EQ(other, nullptr);
  expectFault(tssa_session_run(session, nullptr, inputs, 2, nullptr, 0), TSSA_INVALID_ARGUMENT,
              "input 'a': missing");
  inputs[0].name = nullptr;
  expectFault(tssa_session_run(session, nullptr, inputs, 3, nullptr, 0), TSSA_INVALID_ARGUMENT,
              "name of an input is null");
  inputs[0].name = "mode";
  mode = 1;
  tssa_status *status = tssa_session_run(session, nullptr, inputs, 3, nullptr, 0);
  EXPECT_STREQ(tssa_status_node(status), "pick");
  expectFault(status, TSSA_OUT_OF_RANGE, "index 7 is not below 3");
  EXPECT_EQ(tssa_status_code(nullptr), TSSA_OK);
  EXPECT_STREQ(tssa_status_message(nullptr), "");
  tssa_status_free(nullptr);
  tssa_session_free(nullptr);
  tssa_value_release(nullptr);
}

TEST_F(CAPI, OptionsOfOtherVersions) {
  tssa_session_options options = TSSA_SESSION_OPTIONS_INIT;
  tssa_session *other;
  options.struct_size = 0;
  expectFault(tssa_session_load(model, &options, &other), TSSA_INVALID_ARGUMENT,
              "struct_size is not set");
  // The struct of an older caller ends earlier.
  options.struct_size = offsetof(tssa_session_options, memory_limit);
  options.memory_limit = 1;
  ASSERT_EQ(tssa_session_load(model, &options, &other), nullptr);
  EXPECT_EQ(tssa_session_run(other, nullptr, inputs, 3, nullptr, 0), nullptr);
  tssa_session_free(other);
  // The struct of a newer caller is longer.
  struct {
    tssa_session_options known = TSSA_SESSION_OPTIONS_INIT;
    uint64_t later = 0;
  } newer;
  newer.known.struct_size = sizeof(newer);
  ASSERT_EQ(tssa_session_load(model, &newer.known, &other), nullptr);
  tssa_session_free(other);
  newer.later = 1;
  expectFault(tssa_session_load(model, &newer.known, &other), TSSA_INCOMPATIBLE, "does not know");
  newer.known.verify_weights = 7;
  newer.later = 0;
  expectFault(tssa_session_load(model, &newer.known, &other), TSSA_INVALID_ARGUMENT,
              "verify_weights");
}

TEST_F(CAPI, Seed) {
  tssa_session_options options = TSSA_SESSION_OPTIONS_INIT;
  options.has_seed = 1;
  options.seed = 3;
  int32_t draw = 8; // DrawKey of Inputs/add_model.c
  auto run = [&](tssa::Session &drawing) {
    auto results = drawing.run(
        {tssa::Value("a", a, {2, 3}), tssa::Value("b", b, {2, 3}), tssa::Value("mode", &draw, {})});
    return results[0].span<float>()[0];
  };
  tssa::Session one(model, options), two(model, options);
  float first = run(one), second = run(one);
  EXPECT_NE(first, second);
  EXPECT_EQ(first, run(two));
  EXPECT_EQ(second, run(two));
}

TEST_F(CAPI, Device) {
  EXPECT_STREQ(tssa_session_device(session), "cpu");
  tssa_session_options options = TSSA_SESSION_OPTIONS_INIT;
  tssa_session *other;
  options.device = "cpu";
  ASSERT_EQ(tssa_session_load(model, &options, &other), nullptr);
  tssa_session_free(other);
  options.device = "cuda-emu";
  expectFault(tssa_session_load(model, &options, &other), TSSA_INCOMPATIBLE,
              "has no variant for cuda-emu, it has cpu");
  options.device = "vulkan";
  expectFault(tssa_session_load(model, &options, &other), TSSA_INVALID_ARGUMENT,
              "device 'vulkan': expected auto, cpu, cuda:<number> or cuda-emu");
  EXPECT_EQ(tssa::Session(model).getDevice(), "cpu");
}

// The program overwrites x: x[i] = x[n - 1 - i] + y[i].
TEST_F(CAPI, OverwrittenArguments) {
  for (const char *device : {"cpu", "cuda-emu"}) {
    tssa_session_options options = TSSA_SESSION_OPTIONS_INIT;
    options.device = device;
    tssa::Session own(deviceModel, options);
    EXPECT_EQ(own.getDevice(), device);
    EXPECT_EQ(own.getInput(0).kind, TSSA_PORT_INOUT);
    EXPECT_EQ(own.getInput(1).kind, TSSA_PORT_IN);
    EXPECT_EQ(own.getOutput(0).kind, TSSA_PORT_ALIAS);
    EXPECT_EQ(own.getOutput(0).alias_of, 0);
    EXPECT_EQ(own.getOutput(2).alias_of, -1);
    float x[3] = {1, 2, 3}, y[3] = {10, 20, 30}, wide[6] = {1, 0, 2, 0, 3, 0};
    int32_t how = 0;
    tssa::Value second("y", y, {3}), third("how", &how, {});
    auto results = own.run({tssa::Value("x", x, {3}), second, third});
    EXPECT_EQ(results[0].getTensor().data, x);
    EXPECT_EQ(x[0], 13);
    EXPECT_EQ(x[2], 31);
    EXPECT_EQ(results[2].span<float>()[1], 22.5f);
    // A strided argument is overwritten in the caller's memory; the result is a dense copy.
    tssa_dtype f32 = tssa::dtypeOf<float>();
    results = own.run({tssa::Value("x", wide, f32, {3}, {2}), second, third});
    EXPECT_EQ(wide[0], 13);
    EXPECT_EQ(wide[1], 0);
    EXPECT_EQ(wide[4], 31);
    EXPECT_EQ(results[0].span<float>()[2], 31);
    EXPECT_THROW(own.run({tssa::Value("x", x, {3}), tssa::Value("y", x + 1, {3}), third}),
                 tssa::Error);
  }
}

TEST_F(CAPI, LimitsAndCancel) {
  tssa_session_options options = TSSA_SESSION_OPTIONS_INIT;
  options.memory_limit = 8;
  tssa_session *small;
  ASSERT_EQ(tssa_session_load(model, &options, &small), nullptr);
  expectFault(tssa_session_run(small, nullptr, inputs, 3, nullptr, 0), TSSA_OUT_OF_MEMORY,
              "the limit is 8");
  tssa_session_free(small);
  mode = 3;
  tssa_run_options run = TSSA_RUN_OPTIONS_INIT;
  run.timeout_seconds = 0.01;
  expectFault(tssa_session_run(session, &run, inputs, 3, nullptr, 0), TSSA_CANCELLED,
              "took longer than 0.01");
  tssa_cancel *cancel;
  ASSERT_EQ(tssa_cancel_create(&cancel), nullptr);
  run.timeout_seconds = 0;
  run.cancel = cancel;
  std::thread canceller([cancel] { tssa_cancel_request(cancel); });
  expectFault(tssa_session_run(session, &run, inputs, 3, nullptr, 0), TSSA_CANCELLED, "cancelled");
  canceller.join();
  tssa_cancel_reset(cancel);
  mode = 0;
  EXPECT_EQ(tssa_session_run(session, &run, inputs, 3, nullptr, 0), nullptr);
  tssa_cancel_free(cancel);
}

TEST_F(CAPI, Launches) {
  size_t count = tssa_session_num_launches(session);
  ASSERT_GE(count, 1u);
  tssa_launch launch;
  launch.struct_size = sizeof(launch);
  ASSERT_EQ(tssa_session_launch(session, 0, &launch), nullptr);
  EXPECT_STRNE(launch.kernel, "");
  tssa_node node;
  node.struct_size = sizeof(node);
  for (size_t i = 0; i < launch.num_nodes; ++i)
    ASSERT_EQ(tssa_session_node(session, size_t(launch.nodes[i]), &node), nullptr);
  expectFault(tssa_session_launch(session, count, &launch), TSSA_INVALID_ARGUMENT, "there are");
  expectFault(tssa_session_node(session, 1 << 20, &node), TSSA_INVALID_ARGUMENT, "there are");
  std::vector<tssa_launch_time> times(count, tssa_launch_time{9, 9, 9});
  tssa_run_options options = TSSA_RUN_OPTIONS_INIT;
  options.launch_times = times.data();
  expectFault(tssa_session_run(session, &options, inputs, 3, nullptr, 0), TSSA_INVALID_ARGUMENT,
              "num_launch_times is not the number of launches");
  EXPECT_EQ(times[0].calls, 9u);
  options.num_launch_times = count;
  for (int run = 0; run < 2; ++run) {
    ASSERT_EQ(tssa_session_run(session, &options, inputs, 3, nullptr, 0), nullptr);
    EXPECT_LT(times[0].calls, 9u);
    EXPECT_LT(times[0].seconds, 9);
  }
}

TEST_F(CAPI, Closes) {
  tssa_session_close(session);
  tssa_session_close(session);
  tssa_session_close(nullptr);
  expectFault(tssa_session_run(session, nullptr, inputs, 3, nullptr, 0), TSSA_INVALID_ARGUMENT,
              "the session is closed");
  EXPECT_EQ(tssa_session_num_inputs(session), 3u);
  tssa::Session own(model);
  own.close();
  EXPECT_THROW(own.run({}), tssa::Error);
}

TEST_F(CAPI, ChecksAndPlans) {
  EXPECT_EQ(tssa_artifact_check(model), nullptr);
  expectFault(tssa_artifact_check(TSSA_TEST_MODELS "/add_model.so"), TSSA_CORRUPT, "no manifest");
  int64_t bytes;
  ASSERT_EQ(tssa_session_plan(session, inputs, 3, &bytes), nullptr);
  EXPECT_EQ(bytes, 24);
  EXPECT_NE(tssa_version()[0], 0);
}

TEST(CPlusPlus, Runs) {
  tssa::Session session(model);
  EXPECT_EQ(session.getInputNames(), (std::vector<std::string>{"a", "b", "mode"}));
  const std::array<float, 3> a = {1, 2, 3};
  float b[3] = {};
  int32_t mode = 0;
  std::vector<tssa::Value> inputs = {tssa::Value("a", a.data(), {1, 3}),
                                     tssa::Value("b", b, {1, 3}), tssa::Value("mode", &mode, {})};
  std::vector<tssa::Result> results = session.run(inputs);
  ASSERT_EQ(results.size(), 2u);
  EXPECT_EQ(results[0].getName(), "sum");
  EXPECT_EQ(results[0].getShape(), (std::vector<int64_t>{1, 3}));
  EXPECT_EQ(results[0].span<float>()[2], 5);
  EXPECT_EQ(results[1].span<int64_t>().size(), 3u);
  EXPECT_THROW(results[0].span<double>(), tssa::Error);
  float sum[3];
  session.run(inputs, {tssa::Value("sum", sum, {1, 3})});
  EXPECT_EQ(sum[1], 3);
  mode = 1;
  try {
    session.run(inputs);
    FAIL();
  } catch (const tssa::Error &error) {
    EXPECT_EQ(error.code, TSSA_OUT_OF_RANGE);
    EXPECT_EQ(error.node, "pick");
  }
  EXPECT_THROW(tssa::Session("/nowhere.so"), tssa::Error);
}

TEST(CPlusPlus, Cancels) {
  tssa::Session session(model);
  tssa::Cancel cancel;
  cancel.request();
  tssa_run_options options = TSSA_RUN_OPTIONS_INIT;
  options.cancel = cancel.get();
  float row[3] = {};
  int32_t mode = 3;
  EXPECT_THROW(session.run({tssa::Value("a", row, {1, 3}), tssa::Value("b", row, {1, 3}),
                            tssa::Value("mode", &mode, {})},
                           options),
               tssa::Error);
}

TEST_F(CAPI, Traces) {
  tssa_trace *trace = nullptr;
  ASSERT_EQ(tssa_trace_create(100, &trace), nullptr);
  tssa_run_options options = TSSA_RUN_OPTIONS_INIT;
  options.trace = trace;
  tssa_value output = {"sum", {}, nullptr};
  ASSERT_EQ(tssa_session_run(session, &options, inputs, 3, &output, 1), nullptr);
  tssa_value_release(&output);
  tssa_event event;
  event.struct_size = sizeof(event);
  ASSERT_EQ(tssa_trace_event(trace, 0, &event), nullptr);
  EXPECT_EQ(event.kind, TSSA_EVENT_RUN);
  EXPECT_EQ(event.value, TSSA_OK);
  EXPECT_EQ(event.launch, -1);
  EXPECT_LE(event.begin_ns, event.end_ns);
  EXPECT_EQ(tssa_trace_is_cut(trace), 0);
  const char *text = nullptr;
  ASSERT_EQ(tssa_trace_json(trace, session, nullptr, &text), nullptr);
  EXPECT_NE(std::string(text).find("\"traceEvents\":[{"), std::string::npos);
  tssa_trace_options style = TSSA_TRACE_OPTIONS_INIT;
  style.style = TSSA_TRACE_ONNXRUNTIME;
  style.has_origin = 1;
  style.origin_ns = event.begin_ns;
  ASSERT_EQ(tssa_trace_json(trace, session, &style, &text), nullptr);
  EXPECT_NE(std::string(text).find("\"model_run\""), std::string::npos);
  tssa_trace_clear(trace);
  EXPECT_EQ(tssa_trace_num_events(trace), 0u);
  tssa_trace_free(trace);
}

TEST_F(CAPI, FaultsOfTraces) {
  tssa_trace *trace = nullptr;
  expectFault(tssa_trace_create(0, &trace), TSSA_INVALID_ARGUMENT, "max_events is 0");
  ASSERT_EQ(tssa_trace_create(1, &trace), nullptr);
  tssa_event event;
  event.struct_size = sizeof(event);
  expectFault(tssa_trace_event(trace, 0, &event), TSSA_INVALID_ARGUMENT, "index 0, there are 0");
  expectFault(tssa_trace_json(trace, nullptr, nullptr, nullptr), TSSA_INVALID_ARGUMENT,
              "trace, session or text is null");
  const char *text = nullptr;
  tssa_trace_options style = TSSA_TRACE_OPTIONS_INIT;
  style.style = 2;
  expectFault(tssa_trace_json(trace, session, &style, &text), TSSA_INVALID_ARGUMENT,
              "style is not a tssa_trace_style");
  tssa_run_options options = TSSA_RUN_OPTIONS_INIT;
  options.trace = trace;
  tssa_value output = {"sum", {}, nullptr};
  ASSERT_EQ(tssa_session_run(session, &options, inputs, 3, &output, 1), nullptr);
  tssa_value_release(&output);
  EXPECT_EQ(tssa_trace_is_cut(trace), 1);
  event.struct_size = 0;
  expectFault(tssa_trace_event(trace, 0, &event), TSSA_INVALID_ARGUMENT, "struct_size is not set");
  tssa_trace_free(trace);
}

TEST(CAPITrace, InCpp) {
  tssa::Session session(model);
  tssa::Trace trace(100);
  float a[3] = {1, 2, 3}, b[3] = {};
  int32_t mode = 0;
  tssa_run_options options = TSSA_RUN_OPTIONS_INIT;
  options.trace = trace.get();
  session.run({{"a", a, {1, 3}}, {"b", b, {1, 3}}, {"mode", &mode, {}}}, options);
  std::vector<tssa_event> events = trace.getEvents();
  ASSERT_GE(events.size(), 3u);
  EXPECT_EQ(events[0].kind, TSSA_EVENT_RUN);
  EXPECT_FALSE(trace.isCut());
  EXPECT_NE(session.writeTrace(trace).find("\"cat\":\"launch\""), std::string::npos);
  trace.clear();
  EXPECT_TRUE(trace.getEvents().empty());
}

TEST(CAPITrace, OfAnotherSession) {
  tssa_session_options emulated = TSSA_SESSION_OPTIONS_INIT;
  emulated.device = "cuda-emu";
  tssa::Session one(deviceModel, emulated), other(model);
  tssa::Trace trace(100);
  float x[2] = {1, 2}, y[2] = {3, 4};
  int32_t how = 0;
  tssa_run_options options = TSSA_RUN_OPTIONS_INIT;
  options.trace = trace.get();
  one.run({{"x", x, {2}}, {"y", y, {2}}, {"how", &how, {}}}, options);
  EXPECT_NE(one.writeTrace(trace), "");
  try {
    other.writeTrace(trace);
    FAIL() << "the other program has one launch";
  } catch (const tssa::Error &error) {
    EXPECT_STREQ(error.what(), "the trace is one of another session");
  }
}
