//===- RunTrace.cpp ------------------------------------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "RunTrace.h"

using namespace tssa::runtime;

RunTrace::RunTrace(Trace *trace) : trace(trace) {
  if (trace)
    index = trace->beginRun();
  if (index)
    run = trace->getEvent(*index).run;
}

RunTrace::~RunTrace() {
  if (!index)
    return;
  setMemory(0);
  trace->getEvent(*index).end = Trace::now();
  trace->getEvent(*index).value = outcome;
}

void RunTrace::add(TraceEvent::Kind kind, int32_t launch, int64_t begin, int64_t end,
                   int64_t value) {
  trace->add({kind, Trace::getThread(), launch, run, begin, end, value});
}

void RunTrace::beginLaunch(int32_t number) { launch = number; }

void RunTrace::endLaunch(int32_t number, int64_t begin, int64_t end) {
  add(TraceEvent::Launch, number, begin, end, flops);
  launch = -1;
  flops = -1;
}

void RunTrace::setMemory(uint64_t bytes) {
  if (bytes == memory)
    return;
  memory = bytes;
  int64_t now = Trace::now();
  add(TraceEvent::Memory, launch, now, now, int64_t(bytes));
}

void RunTrace::Loop::run(void *context, int64_t begin, int64_t end) {
  const Loop &loop = *static_cast<const Loop *>(context);
  int64_t start = Trace::now();
  loop.body(loop.context, begin, end);
  loop.trace.add(TraceEvent::Part, loop.launch, start, Trace::now(), end - begin);
}
