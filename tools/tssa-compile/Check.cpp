//===- Check.cpp - reports the unsupported parts of a model ----------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Check.h"
#include "tools/common/ReadModel.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace tssa::compile {

/// The version of the JSON format. Versions only add fields, and readers ignore unknown fields.
static constexpr int64_t formatVersion = 1;

static StringRef getName(operators::Fault fault) {
  static constexpr StringLiteral names[] = {"ok", "broken", "unsupported", "limit"};
  return names[size_t(fault)];
}

static StringRef getName(UnsupportedUse::Kind kind) {
  static constexpr StringLiteral names[] = {"operator", "element type", "tensor", "node"};
  return names[size_t(kind)];
}

/// Writes a string. Names of a model may have any bytes, but JSON is UTF-8.
static void writeText(json::OStream &stream, StringRef key, StringRef text) {
  stream.attribute(key, json::isUTF8(text) ? text.str() : json::fixUTF8(text));
}

static void writeLocation(json::OStream &stream, const ModelLocation &location) {
  stream.object([&] {
    writeText(stream, "place", location.text);
    if (location.node >= 0)
      stream.attribute("node", location.node);
    if (!location.name.empty())
      writeText(stream, "name", location.name);
    if (!location.op.empty())
      writeText(stream, "op", location.op);
  });
}

static void writeReport(const Options &options, const ImportReport &report) {
  json::OStream stream(outs(), /*IndentSize=*/2);
  stream.object([&] {
    stream.attribute("version", formatVersion);
    writeText(stream, "model", options.input);
    stream.attribute("result", getName(report.fault));
    if (!report.error.empty())
      writeText(stream, "error", report.error);
    stream.attributeArray("unsupported", [&] {
      for (const UnsupportedUse &use : report.unsupported)
        stream.object([&] {
          stream.attribute("kind", getName(use.kind));
          writeText(stream, "what", use.what);
          stream.attributeArray("uses", [&] {
            for (const ModelLocation &location : use.locations)
              writeLocation(stream, location);
          });
        });
    });
    stream.attributeArray("warnings", [&] {
      for (const std::string &warning : report.warnings)
        stream.value(json::isUTF8(warning) ? warning : json::fixUTF8(warning));
    });
  });
  outs() << '\n';
}

int checkModel(mlir::MLIRContext &context, const Options &options, const ImportOptions &import) {
  ImportReport report;
  mlir::OwningOpRef<mlir::ModuleOp> module = readModel(context, options.input, import, report);
  if (options.json) {
    writeReport(options, report);
    return getExitCode(report.fault);
  }
  for (const std::string &warning : report.warnings)
    errs() << options.input << ": warning: " << warning << '\n';
  if (module)
    outs() << options.input << ": all is supported\n";
  else
    errs() << options.input << ": error: " << report.error << '\n';
  return getExitCode(report.fault);
}

} // namespace tssa::compile
