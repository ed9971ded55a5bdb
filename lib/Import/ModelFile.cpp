//===- ModelFile.cpp - an ONNX file in memory -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Import/ModelFile.h"
#include "lib/Import/Limits.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/stubs/logging.h>

using namespace llvm;

namespace tssa {

std::string quote(StringRef name) {
  std::string text = "'";
  for (char c : name.take_front(maxShownName)) {
    if (isPrint(c))
      text += c;
    else
      text += "\\x" + toHex(StringRef(&c, 1));
  }
  return text + (name.size() > maxShownName ? "...'" : "'");
}

static mlir::LogicalResult checkContents(const tssa_onnx::ModelProto &model,
                                         ImportReport &report) {
  if (!model.has_graph())
    return fail(report, "the model has no graph");
  if (model.opset_import_size() == 0)
    return fail(report, "the model has no opset_import");
  if (model.ir_version() > tssa_onnx::Version::IR_VERSION)
    return fail(report, Fault::Unsupported,
                "the model has IR version " + Twine(model.ir_version()) + ", known are versions up to " +
                    Twine(static_cast<int>(tssa_onnx::Version::IR_VERSION)));
  return mlir::success();
}

std::shared_ptr<tssa_onnx::ModelProto> readModel(StringRef path, ImportReport &report) {
  auto file = MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!file) {
    (void)fail(report, "cannot be read: " + file.getError().message());
    return nullptr;
  }
  StringRef bytes = (*file)->getBuffer();
  if (bytes.empty()) {
    (void)fail(report, "the file is empty");
    return nullptr;
  }
  if (bytes.starts_with("version https://git-lfs")) {
    (void)fail(report, "this is a Git LFS pointer, not an ONNX model: fetch the file with "
                       "'git lfs pull'");
    return nullptr;
  }
  constexpr size_t maxBytes = std::numeric_limits<int>::max();
  if (bytes.size() > maxBytes) {
    (void)fail(report, Fault::Limit,
               "the file has " + Twine(bytes.size()) + " bytes, a protobuf has at most " +
                   Twine(maxBytes) + ": keep the weights as external data");
    return nullptr;
  }
  google::protobuf::LogSilencer silencer;
  google::protobuf::io::CodedInputStream stream(
      reinterpret_cast<const uint8_t *>(bytes.data()), static_cast<int>(bytes.size()));
  stream.SetTotalBytesLimit(std::numeric_limits<int>::max());
  auto model = std::make_shared<tssa_onnx::ModelProto>();
  if (!model->ParseFromCodedStream(&stream) || !stream.ConsumedEntireMessage()) {
    (void)fail(report, "truncated, nested too deeply, or not an ONNX protobuf (read " +
                           Twine(bytes.size()) + " bytes)");
    return nullptr;
  }
  if (failed(checkContents(*model, report)))
    return nullptr;
  return model;
}

} // namespace tssa
