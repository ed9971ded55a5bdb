//===- PartitionReport.cpp - which expressions become one launch ----------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PartitionReport.h"
#include "SizeNames.h"
#include "dialects/te/IR/ElementBytes.h"
#include "tools/common/WriteFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/GraphWriter.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

using namespace llvm;

namespace tssa::compile {

/// Returns `graph` as a picture that Graphviz lays out.
static Expected<std::string> drawGraph(StringRef graph) {
  ErrorOr<std::string> program = sys::findProgramByName("dot");
  if (!program)
    return createStringError(inconvertibleErrorCode(),
                             "--print-partition: a .svg needs the program 'dot' of Graphviz; write "
                             "a .dot where it is not installed");
  SmallString<128> input, output;
  if (std::error_code code = sys::fs::createTemporaryFile("partition", "dot", input))
    return createStringError(code, "--print-partition: no temporary file: " + code.message());
  FileRemover removeInput(input);
  if (std::error_code code = sys::fs::createTemporaryFile("partition", "svg", output))
    return createStringError(code, "--print-partition: no temporary file: " + code.message());
  FileRemover removeOutput(output);
  if (Error error = writeFile(input, graph))
    return std::move(error);
  std::string message;
  StringRef arguments[] = {*program, "-Tsvg", "-o", output, input};
  if (sys::ExecuteAndWait(*program, arguments, std::nullopt, {}, 0, 0, &message))
    return createStringError(inconvertibleErrorCode(),
                             "--print-partition: '" + *program + "' failed " + message);
  auto picture = MemoryBuffer::getFile(output);
  if (!picture)
    return createStringError(picture.getError(),
                             "--print-partition: no picture: " + picture.getError().message());
  return (*picture)->getBuffer().str();
}

/// Returns the operators of a step, equal ones that follow each other once, such as
/// `Conv, 3 Add`.
static std::string listOperators(const LaunchInfo &step) {
  constexpr size_t most = 6;
  SmallVector<std::pair<StringRef, unsigned>> runs;
  for (const NodeName &node : step.nodes) {
    StringRef op = node.op.empty() ? node.name : node.op;
    if (!runs.empty() && runs.back().first == op)
      ++runs.back().second;
    else
      runs.push_back({op, 1});
  }
  SmallVector<std::string> texts;
  for (auto [op, count] : ArrayRef(runs).take_front(most))
    texts.push_back((count > 1 ? std::to_string(count) + " " : "") + op.str());
  if (runs.size() > most)
    texts.push_back("...");
  return llvm::join(texts, ", ");
}

/// Returns the names of the first nodes of a step, and how many more there are.
static std::string listNodes(const LaunchInfo &step, size_t most) {
  SmallVector<std::string> names;
  for (const NodeName &node : ArrayRef(step.nodes).take_front(most))
    names.push_back(node.name.str());
  if (step.nodes.size() > most)
    names.push_back("and " + std::to_string(step.nodes.size() - most) + " more");
  return llvm::join(names, ", ");
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

static void printText(const LaunchList &launches, raw_ostream &stream) {
  constexpr size_t shownNodes = 6, width = 28;
  stream << "launch  " << left_justify("kernel", width) << "          time   share  nodes\n";
  for (const LaunchInfo &step : launches.getSteps()) {
    stream << format("%6s  ", step.number ? std::to_string(*step.number).c_str() : "-")
           << left_justify(step.name, width) << format("  %12s", printMs(step.ms).c_str())
           << format("  %4.1f %%  ", 100 * launches.getShare(step)) << listNodes(step, shownNodes)
           << '\n';
  }
  stream << launches.describeTimes() << '\n';
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

static std::string quote(const std::string &text) { return '"' + DOT::EscapeString(text) + '"'; }

/// Returns a colour between white, for nothing, and orange red, for half of the time and more.
static std::string getColour(double share) {
  double part = std::min(2 * share, 1.0);
  auto mix = [&](double white, double red) {
    return static_cast<unsigned>(white + (red - white) * part + 0.5);
  };
  return formatv("\"#{0:x-2}{1:x-2}{2:x-2}\"", mix(255, 240), mix(255, 110), mix(255, 80)).str();
}

/// Returns the bytes that a step gets from another one, or nothing if they are not known.
static std::string describeBytes(const LaunchInfo &from, const LaunchInfo &to) {
  double bytes = 0;
  for (mlir::Value value : to.step->getOperands()) {
    auto type = dyn_cast<mlir::RankedTensorType>(value.getType());
    if (!type || value.getDefiningOp() != from.step)
      continue;
    if (!type.hasStaticShape())
      return "";
    bytes += static_cast<double>(type.getNumElements()) *
             static_cast<double>(mlir::tssa::te::getElementBytes(type.getElementType()));
  }
  return bytes > 0 ? printAmount(bytes, "B") : "";
}

static void printGraph(const LaunchList &launches, raw_ostream &stream) {
  constexpr size_t shownNodes = 2;
  stream << "digraph launches {\n  node [shape=box, style=\"filled,rounded\", "
            "fontname=\"sans-serif\", fontsize=10];\n"
            "  edge [fontname=\"sans-serif\", fontsize=9, color=\"#666666\"];\n"
            "  labelloc=t; fontname=\"sans-serif\"; label="
         << quote(launches.describeTimes()) << ";\n";
  for (auto [index, step] : enumerate(launches.getSteps())) {
    std::string label = (step.number ? std::to_string(*step.number) + ". " : "") + step.name;
    for (const std::string &line : {listOperators(step), listNodes(step, shownNodes)})
      if (!line.empty())
        label += "\n" + line;
    if (step.number)
      label += formatv("\n{0}, {1:F1} %", printMs(step.ms), 100 * launches.getShare(step)).str();
    stream << "  n" << index << " [label=" << quote(label)
           << ", fillcolor=" << getColour(launches.getShare(step)) << "];\n";
  }
  for (auto [index, step] : enumerate(launches.getSteps()))
    for (unsigned from : step.predecessors) {
      stream << "  n" << from << " -> n" << index;
      std::string bytes = describeBytes(launches.getSteps()[from], step);
      if (!bytes.empty())
        stream << " [label=" << quote(bytes) << "]";
      stream << ";\n";
    }
  stream << "}\n";
}

Expected<std::string> describePartition(const LaunchList &launches, StringRef output) {
  std::string text;
  raw_string_ostream stream(text);
  StringRef extension = sys::path::extension(output);
  if (extension != ".dot" && extension != ".svg") {
    printText(launches, stream);
    return text;
  }
  printGraph(launches, stream);
  return extension == ".svg" ? drawGraph(text) : Expected<std::string>(text);
}

} // namespace tssa::compile
