//===- ModelFile.cpp - an ONNX file in memory -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Import/ModelFile.h"
#include "lib/Import/Limits.h"
#include "tssa/Runtime/FileFormat.h"
#include "llvm/ADT/StringExtras.h"
#include <fcntl.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl.h>
#include <google/protobuf/stubs/logging.h>
#include <sys/stat.h>
#include <unistd.h>

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

static constexpr uint64_t maxProtobufBytes = std::numeric_limits<int>::max();

static mlir::LogicalResult checkContents(const tssa_onnx::ModelProto &model, ImportReport &report) {
  if (!model.has_graph())
    return fail(report, "the model has no graph");
  if (model.opset_import_size() == 0)
    return fail(report, "the model has no opset_import");
  if (model.ir_version() > tssa_onnx::Version::IR_VERSION)
    return fail(report, Fault::Unsupported,
                "the model has IR version " + Twine(model.ir_version()) + ", expected at most " +
                    Twine(static_cast<int>(tssa_onnx::Version::IR_VERSION)));
  return mlir::success();
}

namespace {
/// The descriptor of a regular file, which the destructor closes.
class InputFile {
public:
  ~InputFile() {
    if (descriptor >= 0)
      ::close(descriptor);
  }
  mlir::LogicalResult open(StringRef path, ImportReport &report);

  int descriptor = -1;
  uint64_t size = 0;
};
} // namespace

mlir::LogicalResult InputFile::open(StringRef path, ImportReport &report) {
  // A blocking open of a pipe would wait for ever.
  descriptor = ::open(path.str().c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  struct stat status;
  if (descriptor < 0 && path.contains("://"))
    return fail(report, "this is an address, not a file: download the model first");
  if (descriptor < 0 || ::fstat(descriptor, &status) != 0)
    return fail(report, "cannot be read: " + Twine(strerror(errno)));
  if (S_ISDIR(status.st_mode))
    return fail(report, "cannot be read: is a directory");
  if (!S_ISREG(status.st_mode))
    return fail(report, "cannot be read: is not a regular file");
  size = status.st_size;
  return mlir::success();
}

/// Reports errors of the file that can be found without parsing it.
static mlir::LogicalResult checkFile(const InputFile &file, ImportReport &report) {
  if (file.size == 0)
    return fail(report, "the file is empty");
  char begin[runtime::recognizedBytes];
  ssize_t count = ::pread(file.descriptor, begin, sizeof(begin), 0);
  if (count > 0)
    if (const runtime::FileFormat *format = runtime::recognizeFile({begin, size_t(count)}))
      return fail(report,
                  "this is " + Twine(format->name) + ", not an ONNX model: " + format->advice);
  if (file.size > maxProtobufBytes)
    return fail(report, Fault::Limit,
                "the file has " + Twine(file.size) + " bytes, a protobuf has at most " +
                    Twine(maxProtobufBytes) + ": keep the weights as external data");
  return mlir::success();
}

std::shared_ptr<tssa_onnx::ModelProto> readModel(StringRef path, ImportReport &report) {
  InputFile file;
  if (failed(file.open(path, report)) || failed(checkFile(file, report)))
    return nullptr;
  google::protobuf::LogSilencer silencer;
  google::protobuf::io::FileInputStream bytes(file.descriptor);
  google::protobuf::io::CodedInputStream stream(&bytes);
  stream.SetTotalBytesLimit(std::numeric_limits<int>::max());
  auto model = std::make_shared<tssa_onnx::ModelProto>();
  if (!model->ParseFromCodedStream(&stream) || !stream.ConsumedEntireMessage()) {
    std::string why = bytes.GetErrno()
                          ? std::string("cannot be read: ") + strerror(bytes.GetErrno())
                          : "truncated, nested too deeply, or not an ONNX protobuf "
                            "(read " +
                                std::to_string(file.size) + " bytes)";
    (void)fail(report, why);
    return nullptr;
  }
  if (failed(checkContents(*model, report)))
    return nullptr;
  return model;
}

} // namespace tssa
