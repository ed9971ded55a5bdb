//===- ModelSizes.cpp - models with smaller dims ----------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModelEdits.h"
#include "onnx/defs/tensor_proto_util.h"

#include <cstring>

using namespace tssa::reduce;
using tssa_onnx::TensorProto;
using tssa_onnx::ValueInfoProto;

/// Returns the number of bytes that an element takes in raw data. Returns 0 for other types, such
/// as 4-bit types, whose elements are packed.
static int64_t getElementBytes(int type) {
  switch (type) {
  case TensorProto::BOOL:
  case TensorProto::INT8:
  case TensorProto::UINT8:
    return 1;
  case TensorProto::FLOAT16:
  case TensorProto::BFLOAT16:
  case TensorProto::INT16:
  case TensorProto::UINT16:
    return 2;
  case TensorProto::FLOAT:
  case TensorProto::INT32:
  case TensorProto::UINT32:
    return 4;
  case TensorProto::DOUBLE:
  case TensorProto::INT64:
  case TensorProto::UINT64:
    return 8;
  default:
    return 0;
  }
}

std::set<int64_t> tssa::reduce::getSizes(const ModelProto &model) {
  std::set<int64_t> sizes;
  for (const ValueInfoProto &input : model.graph().input())
    for (const auto &dim : input.type().tensor_type().shape().dim())
      if (dim.has_dim_value() && dim.dim_value() > 1)
        sizes.insert(dim.dim_value());
  for (const TensorProto &tensor : model.graph().initializer())
    for (int64_t size : tensor.dims())
      if (size > 1)
        sizes.insert(size);
  return sizes;
}

/// Reduces each dim of size `from` of `tensor` to its first `to` elements.
static bool shrinkTensor(TensorProto &tensor, int64_t from, int64_t to) {
  bool has = false;
  for (int64_t size : tensor.dims())
    has |= size == from;
  if (!has)
    return true;
  int64_t bytes = getElementBytes(tensor.data_type());
  if (bytes == 0 || !tensor.has_raw_data())
    return false;
  std::string data = tensor.raw_data();
  for (int axis = tensor.dims_size() - 1; axis >= 0; --axis) {
    if (tensor.dims(axis) != from)
      continue;
    int64_t row = bytes;
    for (int inner = axis + 1; inner < tensor.dims_size(); ++inner)
      row *= tensor.dims(inner);
    if (row == 0 || data.size() % static_cast<uint64_t>(row * from) != 0)
      return false;
    std::string kept;
    for (size_t at = 0; at < data.size(); at += row * from)
      kept.append(data, at, row * to);
    data = std::move(kept);
    tensor.set_dims(axis, to);
  }
  tensor.set_raw_data(std::move(data));
  return true;
}

/// If `tensor` is a short list of 64-bit integers, which may be sizes, replaces `from` by `to` in
/// it.
static void replaceInList(TensorProto &tensor, int64_t from, int64_t to) {
  constexpr size_t longest = 16;
  if (tensor.data_type() != TensorProto::INT64 || tensor.dims_size() > 1)
    return;
  for (int i = 0; i < tensor.int64_data_size(); ++i)
    if (tensor.int64_data(i) == from)
      tensor.set_int64_data(i, to);
  std::string data = tensor.raw_data();
  if (data.size() > longest * sizeof(int64_t) || data.size() % sizeof(int64_t) != 0)
    return;
  for (size_t at = 0; at < data.size(); at += sizeof(int64_t)) {
    int64_t value;
    std::memcpy(&value, data.data() + at, sizeof(value));
    if (value == from)
      std::memcpy(data.data() + at, &to, sizeof(to));
  }
  if (!data.empty())
    tensor.set_raw_data(std::move(data));
}

Edited tssa::reduce::withSize(const ModelProto &model, int64_t from, int64_t to, bool inShapes) {
  ModelProto edited = model;
  auto &graph = *edited.mutable_graph();
  for (auto *list : {graph.mutable_input(), graph.mutable_output()})
    for (ValueInfoProto &info : *list)
      for (auto &dim : *info.mutable_type()->mutable_tensor_type()->mutable_shape()->mutable_dim())
        if (dim.dim_value() == from)
          dim.set_dim_value(to);
  // The sizes of inner values follow from these.
  graph.clear_value_info();
  for (TensorProto &tensor : *graph.mutable_initializer()) {
    if (inShapes)
      replaceInList(tensor, from, to);
    if (!shrinkTensor(tensor, from, to))
      return std::nullopt;
  }
  if (inShapes)
    for (auto &node : *graph.mutable_node())
      for (auto &attribute : *node.mutable_attribute())
        if (node.op_type() == "Constant" && attribute.has_t())
          replaceInList(*attribute.mutable_t(), from, to);
  return edited;
}
