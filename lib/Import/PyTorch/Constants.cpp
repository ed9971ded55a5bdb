//===- Constants.cpp - constants of a program in files of their own -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Import/PyTorch/Constants.h"

using namespace llvm;
using mlir::failure;
using mlir::FailureOr;
using mlir::LogicalResult;
using mlir::success;

namespace tssa::pytorch {

SmallVector<int64_t> getPassedSizes(const Literal &literal) {
  if (literal.permutation.empty())
    return literal.sizes;
  SmallVector<int64_t> sizes(literal.sizes.size());
  for (auto [i, dim] : llvm::enumerate(literal.permutation))
    sizes[dim] = literal.sizes[i];
  return sizes;
}

/// Finds the bytes of the constants in `literal`, without building elements.
LogicalResult Constants::find(const Literal &literal, ImportReport &report) {
  for (const Literal &element : literal.elements)
    if (failed(find(element, report)))
      return failure();
  if (!literal.data)
    return success();
  std::string subject = "constant " + quote(literal.name) + ": ";
  FailureOr<uint64_t> size = getRawBytes(getPassedSizes(literal), literal.dtype, subject, report);
  if (failed(size))
    return failure();
  FailureOr<ExternalData::Bytes> bytes = external.find(
      {literal.data->file, literal.data->offset, std::nullopt}, *size, subject, report);
  if (failed(bytes))
    return failure();
  found.push_back({&literal, RawTensor{literal.dtype, bytes->data, bytes->owner, {}}});
  return success();
}

LogicalResult Constants::read(const RecordedProgram &program, uint64_t textBytes,
                              ImportReport &report) {
  for (const Literal &argument : program.arguments)
    if (failed(find(argument, report)))
      return failure();
  CheckedSize constantBytes = 0, fileBytes = CheckedSize(textBytes) + external.getFileBytes();
  for (const auto &[literal, raw] : found)
    constantBytes += raw.data.size();
  if (untrusted && failed(checkTensorBytes(constantBytes, fileBytes, report)))
    return failure();
  for (auto &[literal, raw] : found)
    elements[literal] =
        readElements(context, getPassedSizes(*literal), std::move(raw), literal->name);
  return success();
}

} // namespace tssa::pytorch
