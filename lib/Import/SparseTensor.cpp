//===- SparseTensor.cpp - sparse tensors of a model as constants -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A sparse tensor has the sizes of a dense tensor, a list of values, and for each value its place:
/// the number of the element, or one coordinate per dim. The places ascend. All of this is checked
/// before the dense tensor is made.
///
//===----------------------------------------------------------------------===//

#include "lib/Import/Limits.h"
#include "lib/Import/TensorData.h"
#include "llvm/Support/Endian.h"
#include <cstring>

using namespace llvm;
using namespace tssa::operators;
using mlir::failure;
using mlir::FailureOr;
using mlir::LogicalResult;
using mlir::success;
using tssa_onnx::SparseTensorProto;
using tssa_onnx::TensorProto;

namespace tssa {

static SmallVector<int64_t> getShape(const SparseTensorProto &tensor) {
  return SmallVector<int64_t>(tensor.dims().begin(), tensor.dims().end());
}

/// Returns the subject of errors, such as "sparse tensor 'w': ".
static std::string getSubject(const SparseTensorProto &tensor) {
  return "sparse tensor " + quote(tensor.values().name()) + ": ";
}

static std::string describeSizes(ArrayRef<int64_t> sizes) {
  std::string text = "[";
  for (const auto &[i, size] : llvm::enumerate(sizes))
    text += (i ? ", " : "") + std::to_string(size);
  return text + "]";
}

/// Returns the number of the element with the given coordinates, of which there are as many as
/// dims. Fails if a coordinate is not in its dim; else nothing can overflow, because the number of
/// all elements is known to fit.
static FailureOr<int64_t> flatten(ArrayRef<int64_t> at, ArrayRef<int64_t> shape) {
  int64_t position = 0;
  for (auto [coordinate, size] : llvm::zip_equal(at, shape)) {
    if (coordinate < 0 || coordinate >= size)
      return failure();
    position = position * size + coordinate;
  }
  return position;
}

/// Returns the numbers of the elements at the places that `indices` has: one number per place or,
/// if `isFlat` is false, one coordinate per place and dim.
static FailureOr<std::vector<int64_t>> getPositions(const SparseTensorProto &tensor,
                                                    ArrayRef<int64_t> indices, bool isFlat,
                                                    ImportReport &report) {
  SmallVector<int64_t> shape = getShape(tensor);
  SmallVector<int64_t> sizes = shape;
  if (isFlat)
    sizes = {CheckedSize::product(shape).get().value_or(0)};
  size_t width = sizes.size();
  std::vector<int64_t> positions;
  for (int64_t i = 0; i < tensor.values().dims(0); ++i) {
    ArrayRef<int64_t> at = indices.slice(i * width, width);
    std::string place = "index " + std::to_string(i) + ", " + describeSizes(at) + ",";
    FailureOr<int64_t> position = flatten(at, sizes);
    if (failed(position))
      return fail(report,
                  getSubject(tensor) + place + " is outside of the sizes " + describeSizes(shape));
    if (!positions.empty() && positions.back() >= *position)
      return fail(report, getSubject(tensor) + place +
                              " is not behind the one before it, expected indices that ascend");
    positions.push_back(*position);
  }
  return positions;
}

FailureOr<TensorReader::Sparse> TensorReader::find(const SparseTensorProto &tensor,
                                                   ImportReport &report) {
  const TensorProto &indices = tensor.indices();
  std::string subject = getSubject(tensor);
  FailureOr<RawTensor> values = find(tensor.values(), report);
  if (failed(values))
    return failure();
  FailureOr<uint64_t> bytes = getRawBytes(getShape(tensor), values->type, subject, report);
  if (failed(bytes))
    return failure();
  if (tensor.values().dims_size() != 1)
    return fail(report, subject + "expected values of rank 1, got rank " +
                            Twine(tensor.values().dims_size()));
  if (indices.data_type() != TensorProto::INT64)
    return fail(report,
                subject + "expected indices of int64, got " + getTypeName(indices.data_type()));
  SmallVector<int64_t> given(indices.dims().begin(), indices.dims().end());
  int64_t count = tensor.values().dims(0), rank = tensor.dims_size();
  bool isFlat = given == SmallVector<int64_t>{count};
  if (!isFlat && given != SmallVector<int64_t>{count, rank})
    return fail(report, subject + "expected indices of sizes " + describeSizes(count) + " or " +
                            describeSizes({count, rank}) + ", got " + describeSizes(given));
  FailureOr<RawTensor> places = find(indices, report);
  if (failed(places))
    return failure();
  std::vector<int64_t> numbers(places->data.size() / sizeof(int64_t));
  for (auto [i, number] : llvm::enumerate(numbers))
    number = support::endian::read64le(places->data.data() + i * sizeof(int64_t));
  FailureOr<std::vector<int64_t>> positions = getPositions(tensor, numbers, isFlat, report);
  if (failed(positions))
    return failure();
  return Sparse{std::move(*values), std::move(*positions), *bytes};
}

LogicalResult TensorReader::check(const SparseTensorProto &tensor, ImportReport &report) {
  FailureOr<Sparse> sparse = find(tensor, report);
  if (failed(sparse))
    return failure();
  checkedBytes += sparse->numBytes;
  sparseBytes += sparse->numBytes;
  if (!sparseBytes.fits(maxSparseBytes))
    return fail(
        report, Fault::Limit,
        getSubject(tensor) + "the sparse tensors of the model have more than " +
            Twine(maxSparseBytes) +
            " bytes as dense tensors, which is the limit: save large ones as dense tensors");
  return success();
}

FailureOr<TensorReader::Constant> TensorReader::read(const SparseTensorProto &tensor,
                                                     ImportReport &report) {
  FailureOr<Sparse> sparse = find(tensor, report);
  if (failed(sparse))
    return failure();
  const RawTensor &values = sparse->values;
  auto dense = std::make_shared<std::vector<char>>(sparse->numBytes);
  if (isSubByte(values.type)) {
    // Elements are packed, in the values as in the dense tensor; the first is in the low bits.
    unsigned bits = getBits(values.type), perByte = 8 / bits, mask = (1u << bits) - 1;
    for (const auto &[i, position] : llvm::enumerate(sparse->positions)) {
      unsigned value = static_cast<uint8_t>(values.data[i / perByte]) >> (i % perByte * bits);
      (*dense)[position / perByte] |=
          static_cast<char>((value & mask) << (position % perByte * bits));
    }
  } else {
    size_t width = runtime::getByteSize(values.type);
    for (const auto &[i, position] : llvm::enumerate(sparse->positions))
      std::memcpy(dense->data() + position * width, values.data.data() + i * width, width);
  }
  RawTensor raw{values.type, *dense, dense, {}};
  std::string name = tensor.values().name().empty() ? "constant" : tensor.values().name();
  return Constant{raw.type, readElements(context, getShape(tensor), std::move(raw), name)};
}

} // namespace tssa
