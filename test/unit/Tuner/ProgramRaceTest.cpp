//===- ProgramRaceTest.cpp - whole programs timed in turns ----------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/tssa-tune/ProgramRace.h"
#include "TunerTest.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

using namespace tssa;
using namespace tssa::tune;

namespace {
constexpr llvm::StringLiteral model =
    R"(func.func @main(%x: tensor<64x64xf32> {te.port = #te.port<name = "x", dims = [64, 64]>}) -> (tensor<64x64xf32> {te.port = #te.port<name = "y", dims = [64, 64]>}) {
  %y = te.compute (d0: 64, d1: 64) reduce (d2: 64) init (0.0 : f32) {
    %a = te.read %x[d0, d2] : tensor<64x64xf32>
    %b = te.read %x[d2, d1] : tensor<64x64xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<64x64xf32>
  return %y : tensor<64x64xf32>
}
)";

class ProgramRaceTest : public TunerTest {
protected:
  ProgramRaceTest() {
    llvm::SmallString<128> path;
    EXPECT_FALSE(llvm::sys::fs::createUniqueDirectory("tssa-race", path));
    folder = path.str();
    options.input = folder + "/model.mlir";
    write(model);
  }
  ~ProgramRaceTest() override { (void)llvm::sys::fs::remove_directories(folder); }

  void write(llvm::StringRef text) {
    std::error_code error;
    llvm::raw_fd_ostream stream(options.input, error);
    EXPECT_FALSE(error);
    stream << text;
  }
  std::string race(std::vector<Program> &programs) {
    cpu::Machine native = llvm::cantFail(cpu::resolveMachine("native"));
    return llvm::toString(raceProgram(context, options, native, tuner::SizePoint(), programs));
  }

  std::string folder;
  Options options;
};
} // namespace

TEST_F(ProgramRaceTest, EqualProgramsTakeEqualTimes) {
  for (unsigned threads : {1u, 2u}) {
    options.threads = threads;
    std::vector<Program> programs = {{"one", ""}, {"another", ""}};
    EXPECT_EQ(race(programs), "");
    double one = programs[0].results.front().seconds, another = programs[1].results.front().seconds;
    EXPECT_GT(one, 1e-7);
    EXPECT_LT(one, 0.1);
    EXPECT_GT(one, another / 10);
    EXPECT_LT(one, another * 10);
    EXPECT_EQ(programs[0].results.front().kernels.size(), 1u);
    EXPECT_GT(programs[0].results.front().kernels["k0_contract"], 1e-7);
  }
}

TEST_F(ProgramRaceTest, WhatCannotBeCompiledIsSaid) {
  std::vector<Program> programs = {{"with no records", folder + "/nowhere"}};
  mlir::ScopedDiagnosticHandler handler(&context, [](mlir::Diagnostic &) {});
  EXPECT_EQ(race(programs), "the model cannot be compiled with no records");
  programs = {{"by default", ""}};
  write("no model");
  EXPECT_EQ(race(programs).substr(0, 31), "the model cannot be read again:");
}
