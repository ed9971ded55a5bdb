//===- RecordsTest.cpp - schedules that a tuner has recorded --------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tssa/Pipeline/Records.h"
#include "dialects/layout/IR/LayoutOps.h"
#include "mlir/Parser/Parser.h"
#include "tssa/Pipeline/RecordedLoops.h"
#include "tssa/Pipeline/Stages.h"
#include "tssa/Pipeline/Tasks.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace ::tssa;

namespace {
class Records : public testing::Test {
protected:
  Records() {
    DialectRegistry registry;
    registerAllDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  /// Parses a kernel that doubles `%c0` in `count` expressions named @c1, @c2 and so on, with this
  /// schedule.
  te::KernelOp parse(StringRef schedule, unsigned count = 3) {
    std::string text = "te.kernel @k(%c0: tensor<64xf32>) -> tensor<64xf32> {\n";
    for (unsigned i = 0; i < count; ++i)
      text += llvm::formatv("%c{1} = te.compute @c{1} (d0: 64) {{\n"
                            "  %l = te.read %c{0}[d0] : tensor<64xf32>\n"
                            "  %r = te.read %c{0}[d0] : tensor<64xf32>\n"
                            "  %s = arith.addf %l, %r : f32\n"
                            "  te.yield %s : f32\n"
                            "} : tensor<64xf32>\n",
                            i, i + 1);
    text +=
        llvm::formatv("te.return %c{0} : tensor<64xf32>\n} schedule {{\n{1}}\n", count, schedule);
    module = parseSourceString<ModuleOp>(text, &context);
    EXPECT_TRUE(module);
    return *module->getOps<te::KernelOp>().begin();
  }

  std::string print(StringRef schedule) { return printRecord(parse(schedule), {0}, info); }

  /// Returns the fault of an error and its text.
  static std::pair<RecordFault, std::string> take(llvm::Error error) {
    std::pair<RecordFault, std::string> taken;
    llvm::handleAllErrors(std::move(error), [&](const RecordError &fault) {
      taken = {fault.getFault(), fault.message()};
    });
    return taken;
  }

  /// Returns the fault of a record in which `from` became `to`.
  std::pair<RecordFault, std::string> change(StringRef from, StringRef to) {
    std::string text = print(schedule);
    size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos);
    text.replace(at, from.size(), to);
    llvm::Expected<Record> record = parseRecord(text, context);
    EXPECT_FALSE(static_cast<bool>(record));
    return take(record.takeError());
  }

  llvm::Error prove(StringRef schedule, unsigned count = 3) {
    return proveLoops(parse(schedule, count), {}, {});
  }

  static constexpr StringLiteral schedule = R"(
    layout.store 0 as map<split(0, [*, 16])>
    %c = layout.loops @c3 : !layout.loop
    %s:2 = layout.split %c [*, 16]
    layout.vectorize %s#1
)";
  RecordInfo info{"some-cpu", "0123456789abcdef", 2, 7.82e-5, 1.16e-4};
  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};
} // namespace

TEST_F(Records, WhatIsPrintedIsParsed) {
  std::string text = print(schedule);
  std::string task = getTaskText(parse(schedule), {0});
  EXPECT_TRUE(StringRef(text).starts_with("// tssa record 1\n// task: " + getTaskKey(task) +
                                          "\n// machine: some-cpu\n// epoch: 0123456789abcdef\n"
                                          "// threads: 2\n// seconds: 7.820e-05 of 1.160e-04\n"
                                          "// constants: 0\nte.kernel @kernel("));
  llvm::Expected<Record> record = parseRecord(text, context);
  ASSERT_TRUE(static_cast<bool>(record)) << llvm::toString(record.takeError());
  EXPECT_EQ(record->header.task, getTaskKey(task));
  EXPECT_EQ(record->header.info.machine, info.machine);
  EXPECT_EQ(record->header.info.epoch, info.epoch);
  EXPECT_EQ(record->header.info.threads, 2u);
  EXPECT_EQ(record->header.info.seconds, 7.82e-5);
  EXPECT_EQ(record->header.info.defaultSeconds, 1.16e-4);
  EXPECT_EQ(record->header.constants, SmallVector<unsigned>({0}));
  EXPECT_EQ(printRecord(record->kernel, record->header.constants, record->header.info), text);
}

TEST_F(Records, HeadersAreOfOneForm) {
  auto damaged = [](StringRef text) { return std::pair(RecordFault::Damaged, text.str()); };
  EXPECT_EQ(change("record 1", "record 2").first, RecordFault::Version);
  EXPECT_EQ(change("// tssa", "//  tssa"),
            damaged("expected a line that begins with '// tssa record '"));
  EXPECT_EQ(change("// epoch", "// eboch"),
            damaged("expected a line that begins with '// epoch: '"));
  EXPECT_EQ(change("some-cpu", "../cpu"), damaged("the field 'machine' is wrong"));
  EXPECT_EQ(change("some-cpu", ""), damaged("the field 'machine' is wrong"));
  EXPECT_EQ(change("abcdef\n", "ABCDEF\n"), damaged("the field 'epoch' is wrong"));
  EXPECT_EQ(change("threads: 2", "threads: 0"), damaged("the field 'threads' is wrong"));
  EXPECT_EQ(change("threads: 2", "threads: 99999999999"), damaged("the field 'threads' is wrong"));
  for (StringRef bad : {"nan", "inf", "-1", "0", "1e999", "", "1 of"})
    EXPECT_EQ(change("7.820e-05", bad), damaged("the field 'seconds' is wrong")) << bad.str();
  EXPECT_EQ(change("constants: 0", "constants: 0 0").first, RecordFault::Damaged);
  EXPECT_EQ(change("constants: 0", "constants:").first, RecordFault::Task);
  EXPECT_EQ(take(parseRecordHeader("").takeError()).first, RecordFault::Damaged);
}

TEST_F(Records, TextIsRefusedBeforeItIsParsed) {
  EXPECT_EQ(change("te.kernel", "te.kernel" + std::string(maxRecordBytes, ' ')),
            std::pair(RecordFault::Damaged, std::string("a record has at most 1 MiB")));
  EXPECT_EQ(change("te.kernel", std::string(2000, '(') + "te.kernel").second,
            "line 8 is nested more than 1000 deep");
  EXPECT_EQ(change("te.kernel", "{-# #-} te.kernel").second, "a record has no resources");
  EXPECT_EQ(change("te.kernel", "func.func private @f() te.kernel").second,
            "expected one te.kernel and nothing else");
}

TEST_F(Records, SchedulesHaveLoopsOnly) {
  EXPECT_EQ(change("arith.addf", "arith.mulf").first, RecordFault::Task);
  EXPECT_EQ(change("layout.vectorize", "layout.cache 0 at %0 to shared layout.vectorize").first,
            RecordFault::Loops);
  EXPECT_EQ(take(checkRecordedOps(parse("%c = layout.loops @c3 : !layout.loop\n"
                                        "%f = layout.fuse %c, %c\n")))
                .second,
            "expected two loops to fuse");
  EXPECT_EQ(take(checkRecordedOps(parse("layout.store 0 as map<split(0, [*, 16])>\n"))).second,
            "expected loops");
  std::string many = "%c = layout.loops @c3 : !layout.loop\n";
  for (unsigned i = 0; i < 1000; ++i)
    many += "layout.vectorize %c\n";
  EXPECT_EQ(take(checkRecordedOps(parse(many))).second, "expected at most 1000 ops and 2000 loops");
}

TEST_F(Records, LoopsAreProved) {
  constexpr StringLiteral loops = "layout.inline @c1\nlayout.inline @c2\n"
                                  "%c = layout.loops @c3 : !layout.loop\n";
  EXPECT_EQ(llvm::toString(prove(loops)), "");
  auto tooLarge = [&](const Twine &text) {
    return take(prove((loops + text).str())).first == RecordFault::Size;
  };
  EXPECT_FALSE(tooLarge("%s:2 = layout.split %c [*, 64]\nlayout.register_tile %s#1\n"));
  EXPECT_TRUE(tooLarge("%s:2 = layout.split %c [*, 1681]\nlayout.register_tile %s#1\n"));
  EXPECT_TRUE(tooLarge("%s:3 = layout.split %c [*, 4294967296, 4]\n"
                       "layout.register_tile %s#1, %s#2\n"));
  EXPECT_TRUE(tooLarge("%s:2 = layout.split %c [*, 65]\nlayout.vectorize %s#1\n"));
  EXPECT_TRUE(tooLarge("%s:2 = layout.split %c [*, 1099511627776]\n"));
  EXPECT_EQ(take(prove((loops + "layout.bind %c to parallel\nlayout.vectorize %c\n").str())),
            std::pair(RecordFault::Refused,
                      std::string("this loop is already bound, tiled or vectorized")));
}

TEST_F(Records, InstructionsAreOnesOfTheMachine) {
  module = parseSourceString<ModuleOp>(R"(
te.kernel @k(%x: tensor<64x48xbf16>, %w: tensor<48x96xbf16>) -> tensor<64x96xf32> {
  %y = te.compute @y (d0: 64, d1: 96) reduce (d2: 48) init (0.0 : f32) {
    %a = te.read %x[d0, d2] : tensor<64x48xbf16>
    %b = te.read %w[d2, d1] : tensor<48x96xbf16>
    %u = arith.extf %a : bf16 to f32
    %v = arith.extf %b : bf16 to f32
    %p = arith.mulf %u, %v : f32
    te.yield %p : f32
  } combine arith.addf : tensor<64x96xf32>
  te.return %y : tensor<64x96xf32>
} schedule {
  %l:3 = layout.loops @y : !layout.loop, !layout.loop, !layout.loop
  %j:2 = layout.split %l#1 [*, 16]
  %k:2 = layout.split %l#2 [*, 4]
  layout.reorder %l#0, %j#0, %k#0, %j#1, %k#1
  layout.vectorize %j#1
  layout.atom %k#1 "avx512.bf16"
})",
                                       &context);
  te::KernelOp kernel = *module->getOps<te::KernelOp>().begin();
  layout::MachineModel machine;
  EXPECT_EQ(llvm::toString(checkRecordedOps(kernel)), "");
  EXPECT_EQ(
      take(proveLoops(kernel, {1}, machine)),
      std::pair(RecordFault::Refused, std::string("the machine has no instruction 'avx512.bf16'")));
  machine.bf16Products = 64;
  EXPECT_EQ(llvm::toString(proveLoops(kernel, {1}, machine)), "");
  (*kernel.getSchedule().getOps<layout::AtomOp>().begin()).setInstruction("mma.m16n8k16");
  EXPECT_EQ(take(checkRecordedOps(kernel)),
            std::pair(RecordFault::Loops,
                      std::string("expected an instruction of a CPU, got 'mma.m16n8k16'")));
}

TEST_F(Records, InlinedBodiesStaySmall) {
  auto inlineAll = [](unsigned count) {
    std::string text;
    for (unsigned i = 1; i < count; ++i)
      text += llvm::formatv("layout.inline @c{0}\n", i);
    return text + llvm::formatv("%c = layout.loops @c{0} : !layout.loop\n", count).str();
  };
  EXPECT_EQ(llvm::toString(prove(inlineAll(6), 6)), "");
  EXPECT_EQ(take(prove(inlineAll(60), 60)),
            std::pair(RecordFault::Size,
                      std::string("a body has more than 4096 ops once others are inlined")));
}

TEST_F(Records, SizesAreNumbersAndRanges) {
  te::KernelOp kernel = parse("");
  kernel.getSchedule().getBlocks().clear();
  std::vector<VersionSizes> versions = {{{8, 128}, {}}, {{16, 0}, {{9, 32}, {0, 0}}}};
  std::string text = printSizes(kernel, {0}, info, versions);
  EXPECT_TRUE(StringRef(text).contains("\n// sizes: 8 128\n// sizes: 16 0 in 9..32 0..0\n"));
  auto parseText = [&](StringRef from, const Twine &to) {
    std::string changed = text;
    changed.replace(changed.find(from.str()), from.size(), to.str());
    auto record = parseRecord(changed, context, RecordKind::Sizes);
    return record ? std::pair(RecordFault::Task, std::string()) : take(record.takeError());
  };
  auto record = llvm::cantFail(parseRecord(text, context, RecordKind::Sizes));
  EXPECT_EQ(printSizes(record.kernel, {0}, record.header.info, record.header.versions), text);
  for (StringRef bad : {"", "8 ", " 8", "-1", "8 x", "8x8", "1099511627777", "8 in", "8 in ",
                        "8 in 9..10", "8 in 1..7", "8 in 8", "8 8 in 8..8", "8 in 1..9 1..9",
                        "8 in -1..9", "99999999999999999999"})
    EXPECT_EQ(parseText("8 128", bad).first, RecordFault::Damaged) << bad.str();
  std::string many;
  for (unsigned i = 0; i < maxVersions; ++i)
    many += "// sizes: " + std::to_string(i) + "\n";
  EXPECT_EQ(parseText("// sizes: 8", many + "// sizes: 8").second, "expected at most 16 versions");
  EXPECT_EQ(parseText("// sizes: 8 128\n// sizes: 16 0 in 9..32 0..0\n", "").second,
            "expected sizes of versions");
  EXPECT_EQ(parseText("\n}\n", "\n} schedule {\n  layout.inline @c1\n}\n").second,
            "expected no schedule");
  EXPECT_EQ(change("// constants", "// sizes: 8\n// constants").second,
            "expected no sizes of versions");
}

TEST_F(Records, IdsAreShort) {
  cpu::Machine machine = *cpu::resolveMachine("x86-64-v3");
  std::string id = getMachineId(machine);
  EXPECT_EQ(id.substr(0, 10), "x86-64-v3-");
  EXPECT_EQ(id.size(), 26u);
  machine.model.l2Bytes /= 2;
  EXPECT_NE(getMachineId(machine), id);
  EXPECT_EQ(getEpoch().size(), 16u);
  EXPECT_EQ(getEpoch().find_first_not_of("0123456789abcdef"), StringRef::npos);
}

TEST_F(Records, FilesAreWrittenAndRead) {
  SmallString<128> dir;
  ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("records", dir));
  EXPECT_EQ(llvm::cantFail(listRecords(dir)), std::vector<std::string>());
  std::string text = print(schedule);
  EXPECT_EQ(llvm::toString(writeRecord(dir, text)), "");
  EXPECT_EQ(llvm::toString(writeRecord(dir, text)), "");
  std::string key = llvm::cantFail(parseRecordHeader(text)).task;
  EXPECT_EQ(llvm::cantFail(listRecords(dir)), std::vector<std::string>({key + ".some-cpu.mlir"}));
  EXPECT_EQ(llvm::cantFail(readRecordText(getRecordPath(dir, key, "some-cpu"))), text);
  EXPECT_EQ(take(writeRecord(dir, "text")).first, RecordFault::Damaged);
  EXPECT_EQ(take(readRecordText(dir).takeError()).first, RecordFault::Unreadable);
  EXPECT_EQ(take(readRecordText("missing").takeError()),
            std::pair(RecordFault::Unreadable, std::string("No such file or directory")));
  std::string file = getRecordPath(dir, key, "some-cpu");
  EXPECT_EQ(llvm::toString(writeRecord(file, text)), "record '" +
                                                         getRecordPath(file, key, "some-cpu") +
                                                         "' cannot be written: Not a directory");
  EXPECT_EQ(llvm::toString(checkRecordFolder(file)), "tuned '" + file + "' is no folder");
  EXPECT_EQ(llvm::toString(checkRecordFolder(dir)), "");
  llvm::sys::fs::remove_directories(dir);
}
