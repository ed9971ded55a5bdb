//===- Records.cpp - schedules that a tuner has recorded ------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tssa/Pipeline/Records.h"
#include "mlir/Parser/Parser.h"
#include "tssa/Pipeline/CheckText.h"
#include "tssa/Pipeline/Epoch.inc"
#include "tssa/Pipeline/RecordedLoops.h"
#include "tssa/Pipeline/Schedules.h"
#include "tssa/Pipeline/Tasks.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/InterleavedRange.h"
#include "llvm/Support/SHA256.h"

#include <cmath>

using namespace mlir;
using namespace mlir::tssa;

namespace tssa {

static constexpr StringLiteral versionLine = "// tssa record ", sizesLine = "// sizes: ";
static constexpr StringLiteral rangesWord = " in ", rangeWord = "..";
static constexpr StringLiteral version = "1";
static constexpr size_t keyDigits = 64, shortDigits = 16;

//===----------------------------------------------------------------------===//
// Faults
//===----------------------------------------------------------------------===//

char RecordError::ID = 0;

StringRef getName(RecordFault fault) {
  static constexpr StringLiteral names[numRecordFaults] = {
      "unreadable",         "damaged",           "of another version", "of another epoch",
      "of another machine", "of another kernel", "with other ops",     "with too much unrolled",
      "that do not fit"};
  return names[unsigned(fault)];
}

static llvm::Error makeDamaged(const Twine &text) {
  return llvm::make_error<RecordError>(RecordFault::Damaged, text);
}

//===----------------------------------------------------------------------===//
// Machine and epoch
//===----------------------------------------------------------------------===//

std::string getMachineId(const cpu::Machine &machine) {
  std::string text = cpu::printMachine(machine);
  std::string digits =
      llvm::toHex(llvm::SHA256::hash(llvm::arrayRefFromStringRef(text)), /*LowerCase=*/true);
  return machine.cpu + "-" + digits.substr(0, shortDigits);
}

StringRef getEpoch() { return StringRef(TSSA_EPOCH).take_front(shortDigits); }

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

std::string getRecordTask(te::KernelOp kernel, ArrayRef<unsigned> constants, RecordKind kind) {
  if (kind != RecordKind::Ends)
    return getTaskText(kernel, constants);
  OwningOpRef<te::KernelOp> bare = kernel.clone();
  bare->getSchedule().getBlocks().clear();
  return getTaskText(*bare, constants);
}

/// Prints a record with `lines` in the header.
static std::string print(te::KernelOp kernel, ArrayRef<unsigned> constants, const RecordInfo &info,
                         RecordKind kind, StringRef lines) {
  std::string task = getRecordTask(kernel, constants, kind), text;
  llvm::raw_string_ostream stream(text);
  stream << versionLine << version << "\n// task: " << getTaskKey(task)
         << "\n// machine: " << info.machine << "\n// epoch: " << info.epoch
         << "\n// threads: " << info.threads
         << "\n// seconds: " << llvm::format("%.3e of %.3e", info.seconds, info.defaultSeconds)
         << '\n'
         << lines << StringRef(task).take_until([](char c) { return c == '\n'; }) << '\n'
         << getKernelText(kernel) << '\n';
  return text;
}

std::string printRecord(te::KernelOp kernel, ArrayRef<unsigned> constants, const RecordInfo &info,
                        RecordKind kind) {
  return print(kernel, constants, info, kind, "");
}

std::string printSizes(te::KernelOp kernel, ArrayRef<unsigned> constants, const RecordInfo &info,
                       ArrayRef<VersionSizes> versions) {
  std::string lines;
  llvm::raw_string_ostream stream(lines);
  for (const VersionSizes &version : versions) {
    stream << sizesLine << llvm::interleaved(version.sizes, " ");
    for (auto [number, range] : llvm::enumerate(version.ranges))
      stream << (number == 0 ? StringRef(rangesWord) : StringRef(" ")) << range.first << rangeWord
             << range.second;
    stream << '\n';
  }
  return print(kernel, constants, info, RecordKind::Sizes, lines);
}

//===----------------------------------------------------------------------===//
// Parsing
//===----------------------------------------------------------------------===//

static bool isDigits(StringRef text, size_t count) {
  return text.size() == count &&
         llvm::all_of(text, [](char c) { return llvm::isDigit(c) || (c >= 'a' && c <= 'f'); });
}

/// Returns whether `text` can be a part of the name of a file.
static bool isId(StringRef text) {
  auto fits = [](char c) { return llvm::isAlnum(c) || c == '-' || c == '_' || c == '.'; };
  return !text.empty() && text.size() <= 100 && text.front() != '.' && llvm::all_of(text, fits);
}

static bool parseSeconds(StringRef text, double &seconds) {
  return !text.getAsDouble(seconds) && std::isfinite(seconds) && seconds > 0;
}

/// Takes the next line, which must begin with `begin`, and returns the rest of it.
static llvm::Expected<StringRef> takeLine(StringRef &text, const Twine &begin) {
  auto [line, rest] = text.split('\n');
  if (!line.consume_front(begin.str()))
    return makeDamaged("expected a line that begins with '" + begin + "'");
  text = rest;
  return line;
}

/// Takes the field `name`, of which `accept` says whether it has this form.
static llvm::Error takeField(StringRef &text, StringRef name,
                             llvm::function_ref<bool(StringRef)> accept) {
  llvm::Expected<StringRef> value = takeLine(text, "// " + name + ": ");
  if (!value)
    return value.takeError();
  return accept(*value) ? llvm::Error::success() : makeDamaged("the field '" + name + "' is wrong");
}

/// Reads a size. Returns whether it is one.
static bool parseSize(StringRef text, int64_t &size) {
  return !text.getAsInteger(10, size) && size >= 0 && size <= maxSize;
}

/// Reads `8 128`, or `8 128 in 4..16 64..256`. Returns whether it is of this form.
static bool parseVersion(StringRef text, VersionSizes &version) {
  auto [sizes, ranges] = text.split(rangesWord);
  SmallVector<StringRef> words;
  sizes.split(words, ' ');
  for (StringRef word : words)
    if (!parseSize(word, version.sizes.emplace_back()))
      return false;
  if (text == sizes)
    return true;
  words.clear();
  ranges.split(words, ' ');
  if (words.size() != version.sizes.size())
    return false;
  for (auto [word, size] : llvm::zip_equal(words, version.sizes)) {
    auto [least, greatest] = word.split(rangeWord);
    auto &range = version.ranges.emplace_back();
    if (!parseSize(least, range.first) || !parseSize(greatest, range.second) ||
        range.first > size || range.second < size)
      return false;
  }
  return true;
}

/// Takes the lines with the sizes of versions, if there are any.
static llvm::Expected<std::vector<VersionSizes>> takeVersions(StringRef &text) {
  std::vector<VersionSizes> versions;
  while (text.starts_with(sizesLine)) {
    if (!parseVersion(*takeLine(text, sizesLine), versions.emplace_back()))
      return makeDamaged("expected sizes such as '8 128' or '8 128 in 4..16 64..256', from 0 to "
                         "2^40 each");
    if (versions.size() > maxVersions)
      return makeDamaged("expected at most " + Twine(maxVersions) + " versions");
  }
  return versions;
}

/// Takes the header from the front of `text`, except for the last line, with which the text of the
/// task begins.
static llvm::Expected<RecordHeader> takeHeader(StringRef &text) {
  llvm::Expected<StringRef> found = takeLine(text, versionLine);
  if (!found)
    return found.takeError();
  if (*found != version)
    return llvm::make_error<RecordError>(RecordFault::Version,
                                         "expected version " + version + " of a record");
  RecordHeader header;
  RecordInfo &info = header.info;
  using Accept = std::function<bool(StringRef)>;
  auto keep = [](std::string &field, bool isRight, StringRef value) {
    field = value.str();
    return isRight;
  };
  std::pair<StringRef, Accept> fields[] = {
      {"task", [&](StringRef v) { return keep(header.task, isDigits(v, keyDigits), v); }},
      {"machine", [&](StringRef v) { return keep(info.machine, isId(v), v); }},
      {"epoch", [&](StringRef v) { return keep(info.epoch, isDigits(v, shortDigits), v); }},
      {"threads", [&](StringRef v) { return !v.getAsInteger(10, info.threads) && info.threads; }},
      {"seconds", [&](StringRef v) {
         auto [seconds, defaults] = v.split(" of ");
         return parseSeconds(seconds, info.seconds) && parseSeconds(defaults, info.defaultSeconds);
       }}};
  for (auto &[name, accept] : fields)
    if (llvm::Error error = takeField(text, name, accept))
      return error;
  llvm::Expected<std::vector<VersionSizes>> versions = takeVersions(text);
  if (!versions)
    return versions.takeError();
  header.versions = std::move(*versions);
  llvm::Expected<SmallVector<unsigned>> constants = parseTaskConstants(text);
  if (!constants)
    return makeDamaged(llvm::toString(constants.takeError()));
  header.constants = std::move(*constants);
  return header;
}

llvm::Expected<RecordHeader> parseRecordHeader(StringRef text) { return takeHeader(text); }

/// Parses a module and collects its errors in `errors`.
static OwningOpRef<ModuleOp> parseSilently(StringRef text, MLIRContext &context,
                                           std::string &errors) {
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    if (errors.empty())
      errors = diagnostic.str();
    return success();
  });
  return parseSourceString<ModuleOp>(text, ParserConfig(&context), "record");
}

/// Checks what a record of this kind has besides the kernel of its task.
static llvm::Error checkContent(const Record &record, RecordKind kind) {
  if (record.header.versions.empty() == (kind == RecordKind::Sizes))
    return makeDamaged(kind == RecordKind::Sizes ? "expected sizes of versions"
                                                 : "expected no sizes of versions");
  switch (kind) {
  case RecordKind::Loops:
    return checkRecordedOps(record.kernel);
  case RecordKind::Ends:
    return checkRecordedStores(record.kernel);
  case RecordKind::Sizes:
    break;
  }
  te::KernelOp kernel = record.kernel;
  return kernel.getSchedule().empty() ? llvm::Error::success()
                                      : makeDamaged("expected no schedule");
}

llvm::Expected<Record> parseRecord(StringRef text, MLIRContext &context, RecordKind kind) {
  if (text.size() > maxRecordBytes)
    return makeDamaged("a record has at most 1 MiB");
  StringRef rest = text;
  llvm::Expected<RecordHeader> header = takeHeader(rest);
  if (!header)
    return header.takeError();
  if (llvm::Error error = checkText(text))
    return makeDamaged(llvm::toString(std::move(error)));
  // A record refers to nothing outside of its kernel.
  if (rest.contains("{-#") || rest.contains("dense_resource"))
    return makeDamaged("a record has no resources");
  std::string errors;
  Record record{std::move(*header), parseSilently(rest.str(), context, errors), {}};
  if (!record.module)
    return makeDamaged(errors);
  Block *body = record.module->getBody();
  if (!llvm::hasSingleElement(*body) || !isa<te::KernelOp>(body->front()))
    return makeDamaged("expected one te.kernel and nothing else");
  record.kernel = cast<te::KernelOp>(body->front());
  if (getTaskKey(getRecordTask(record.kernel, record.header.constants, kind)) != record.header.task)
    return llvm::make_error<RecordError>(RecordFault::Task,
                                         "the kernel does not have the key of the record");
  if (llvm::Error error = checkContent(record, kind))
    return error;
  return record;
}

} // namespace tssa
