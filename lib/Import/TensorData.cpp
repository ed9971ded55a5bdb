//===- TensorData.cpp - tensors of a model as constants -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Import/TensorData.h"
#include "lib/Import/Limits.h"
#include "tssa/Builder/Elements.h"
#include "tssa/Builder/Limits.h"
#include "tssa/Support/CheckedSize.h"

using namespace llvm;
using namespace tssa::operators;
using mlir::failure;
using mlir::FailureOr;
using tssa_onnx::TensorProto;

namespace tssa {

bool isElementType(int32_t type) {
  return TensorProto::DataType_IsValid(type) && type != TensorProto::UNDEFINED;
}

std::string getTypeName(int32_t type) {
  if (!isElementType(type))
    return "element type " + std::to_string(type);
  return StringRef(TensorProto::DataType_Name(static_cast<TensorProto::DataType>(type))).lower();
}

FailureOr<uint64_t> getRawBytes(ArrayRef<int64_t> shape, DType type, StringRef subject,
                                ImportReport &report) {
  if (shape.size() > maxRank)
    return fail(report, Fault::Limit,
                subject + "has rank " + Twine(shape.size()) + ", at most " + Twine(maxRank) +
                    " is supported");
  for (int64_t dim : shape)
    if (dim < 0)
      return fail(report, subject + "has the negative size " + Twine(dim));
  std::optional<int64_t> bytes = CheckedSize::product(shape, runtime::getByteSize(type)).get();
  if (!bytes)
    return fail(report, subject + "its sizes are too large");
  return llvm::divideCeil(*bytes, isSubByte(type) ? 8 / getBits(type) : 1);
}

template <typename T, typename Field>
static void append(std::vector<char> &bytes, const Field &field) {
  for (auto value : field) {
    T narrow = static_cast<T>(value);
    const char *raw = reinterpret_cast<const char *>(&narrow);
    bytes.insert(bytes.end(), raw, raw + sizeof(T));
  }
}

/// Returns the elements in the typed fields of `tensor`, as bytes.
static std::vector<char> readTypedData(const TensorProto &tensor, DType type) {
  std::vector<char> bytes;
  switch (type) {
  case DType::F32:
    append<float>(bytes, tensor.float_data());
    break;
  case DType::F64:
    append<double>(bytes, tensor.double_data());
    break;
  case DType::I64:
    append<int64_t>(bytes, tensor.int64_data());
    break;
  case DType::U64:
    append<uint64_t>(bytes, tensor.uint64_data());
    break;
  case DType::U32:
    append<uint32_t>(bytes, tensor.uint64_data());
    break;
  case DType::I32:
    append<int32_t>(bytes, tensor.int32_data());
    break;
  case DType::F16:
  case DType::BF16:
  case DType::I16:
  case DType::U16:
    append<uint16_t>(bytes, tensor.int32_data());
    break;
  case DType::Bool:
  case DType::I8:
  case DType::U8:
  case DType::F8E4M3FN:
  case DType::F8E4M3FNUZ:
  case DType::F8E5M2:
  case DType::F8E5M2FNUZ:
  case DType::F8E8M0:
  case DType::F4E2M1:
  case DType::I4:
  case DType::U4:
  case DType::I2:
  case DType::U2:
    append<uint8_t>(bytes, tensor.int32_data());
    break;
  }
  return bytes;
}

/// Returns the number of fields of `tensor` that have elements.
static unsigned countPayloads(const TensorProto &tensor) {
  return (tensor.has_raw_data() && !tensor.raw_data().empty()) + (tensor.float_data_size() > 0) +
         (tensor.int32_data_size() > 0) + (tensor.int64_data_size() > 0) +
         (tensor.double_data_size() > 0) + (tensor.uint64_data_size() > 0) +
         (tensor.string_data_size() > 0) + (tensor.data_location() == TensorProto::EXTERNAL);
}

/// Returns elements that refer to the bytes, without a copy. Only a small number of bytes is
/// copied.
static mlir::ElementsAttr share(mlir::MLIRContext &context, DType type, ArrayRef<int64_t> shape,
                                ArrayRef<char> bytes, std::shared_ptr<const void> owner,
                                StringRef name) {
  if (isSmall(bytes.size()))
    return makeElements(&context, type, shape, bytes);
  size_t alignment = 1;
  while (alignment < 64 && reinterpret_cast<uintptr_t>(bytes.data()) % (2 * alignment) == 0)
    alignment *= 2;
  auto release = [owner = std::move(owner)](void *, size_t, size_t) mutable { owner.reset(); };
  return makeElements(
      &context, type, shape,
      mlir::UnmanagedAsmResourceBlob::allocateWithAlign(bytes, alignment, std::move(release)),
      name);
}

/// Converts bytes to bools of 0 or 1; all bytes other than 0 mean true.
static std::vector<char> normalizeBools(ArrayRef<char> bytes) {
  std::vector<char> result;
  for (char byte : bytes)
    result.push_back(byte != 0);
  return result;
}

/// Unpacks elements of less than a byte to one element per byte; the first element is in the low
/// bits.
static std::vector<char> unpack(ArrayRef<char> bytes, DType type, size_t count) {
  unsigned bits = getBits(type), perByte = 8 / bits;
  std::vector<char> result(count);
  for (size_t i = 0; i < count; ++i)
    result[i] = static_cast<char>(static_cast<uint8_t>(bytes[i / perByte]) >> (i % perByte * bits));
  runtime::makeCanonical(type, result.data(), static_cast<int64_t>(count));
  return result;
}

mlir::ElementsAttr readElements(mlir::MLIRContext &context, ArrayRef<int64_t> shape, RawTensor raw,
                                StringRef name) {
  if (raw.type == DType::Bool)
    raw.copy = normalizeBools(raw.data);
  if (isSubByte(raw.type))
    raw.copy = unpack(raw.data, raw.type, mlir::ShapedType::getNumElements(shape));
  if (!raw.copy.empty())
    return makeElements(&context, raw.type, shape, raw.copy);
  return share(context, raw.type, shape, raw.data, std::move(raw.owner), name);
}

mlir::LogicalResult checkTensorBytes(CheckedSize tensors, CheckedSize files, ImportReport &report) {
  std::optional<int64_t> bytes = files.get();
  if (!bytes)
    return mlir::success();
  uint64_t most = *bytes + *bytes / 100 + untrustedSlack;
  if (tensors.fits(most))
    return mlir::success();
  return fail(
      report, Fault::Limit,
      "the tensors of the untrusted model have more bytes than the files they are in: more than " +
          Twine(most));
}

static SmallVector<int64_t> getShape(const TensorProto &tensor) {
  return SmallVector<int64_t>(tensor.dims().begin(), tensor.dims().end());
}

FailureOr<RawTensor> TensorReader::find(const TensorProto &tensor, ImportReport &report) {
  std::string subject = "tensor " + quote(tensor.name()) + ": ";
  std::optional<DType> type = fromONNX(tensor.data_type());
  if (!type)
    return fail(report, isElementType(tensor.data_type()) ? Fault::Unsupported : Fault::Model,
                subject + getTypeName(tensor.data_type()) + " is not supported");
  FailureOr<uint64_t> size = getRawBytes(getShape(tensor), *type, subject, report);
  if (failed(size))
    return failure();
  if (tensor.has_segment())
    return fail(report, Fault::Unsupported, subject + "is stored in segments");
  if (countPayloads(tensor) > 1)
    return fail(report, subject + "has elements in more than one field");

  RawTensor content{*type, {}, owned, {}};
  if (tensor.data_location() == TensorProto::EXTERNAL) {
    FailureOr<ExternalData::Bytes> found = external.find(tensor, *size, report);
    if (failed(found))
      return failure();
    content.data = found->data;
    content.owner = found->owner;
  } else if (tensor.has_raw_data()) {
    content.data = ArrayRef(tensor.raw_data().data(), tensor.raw_data().size());
  } else {
    content.copy = readTypedData(tensor, *type);
    content.data = content.copy;
  }
  if (content.data.size() != *size)
    return fail(report, subject + "has " + Twine(content.data.size()) + " bytes, expected " +
                            Twine(*size) + " for its sizes");
  return content;
}

mlir::LogicalResult TensorReader::checkStrings(const TensorProto &tensor, ImportReport &report) {
  std::string subject = "tensor " + quote(tensor.name()) + ": ";
  FailureOr<uint64_t> bytes = getRawBytes(getShape(tensor), DType::I64, subject, report);
  if (failed(bytes))
    return failure();
  if (tensor.has_segment())
    return fail(report, Fault::Unsupported, subject + "is stored in segments");
  if (countPayloads(tensor) > (tensor.string_data_size() > 0 ? 1 : 0))
    return fail(report, subject + "has strings in another field than those of strings");
  uint64_t expected = *bytes / sizeof(int64_t), given = tensor.string_data_size();
  if (given != expected)
    return fail(report, subject + "has " + Twine(given) + " strings, expected " + Twine(expected) +
                            " for its sizes");
  return mlir::success();
}

FailureOr<TensorReader::Constant> TensorReader::readStrings(const TensorProto &tensor,
                                                            ImportReport &report) {
  if (failed(checkStrings(tensor, report)))
    return failure();
  Labels table{Labels::Strings, {}, {}};
  StringMap<int64_t> positions;
  SmallVector<int64_t> indexes;
  for (const std::string &text : tensor.string_data()) {
    auto [it, isNew] = positions.try_emplace(text, positions.size());
    if (isNew)
      table.strings.push_back(text);
    indexes.push_back(it->second);
  }
  return Constant{DType::I64, fromInts(&context, DType::I64, getShape(tensor), indexes),
                  std::make_shared<const Labels>(std::move(table))};
}

mlir::LogicalResult TensorReader::check(const TensorProto &tensor, ImportReport &report) {
  if (tensor.data_type() == TensorProto::STRING)
    return checkStrings(tensor, report);
  FailureOr<RawTensor> content = find(tensor, report);
  if (failed(content))
    return failure();
  checkedBytes += content->data.size();
  return mlir::success();
}

FailureOr<TensorReader::Constant> TensorReader::read(const TensorProto &tensor,
                                                     ImportReport &report) {
  if (tensor.data_type() == TensorProto::STRING)
    return readStrings(tensor, report);
  FailureOr<RawTensor> content = find(tensor, report);
  if (failed(content))
    return failure();
  DType type = content->type;
  std::string name = tensor.name().empty() ? "constant" : tensor.name();
  return Constant{type, readElements(context, getShape(tensor), std::move(*content), name),
                  nullptr};
}

} // namespace tssa
