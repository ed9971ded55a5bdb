//===- ProgramNames.h - names of the attributes in Program.h --*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Only dialects/te/IR includes this file. Other code uses the functions of Program.h.
///
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TE_IR_PROGRAMNAMES_H
#define DIALECTS_TE_IR_PROGRAMNAMES_H

#include "dialects/te/IR/TEAttributes.h"

namespace mlir::tssa::te {

inline constexpr StringLiteral portName = "te.port";
inline constexpr StringLiteral weightsName = "te.weights";
inline constexpr StringLiteral arenaName = "te.arena";
inline constexpr StringLiteral separateName = "te.separate";
inline constexpr StringLiteral compiledName = "te.compiled";
inline constexpr StringLiteral blockName = "te.block";
inline constexpr StringLiteral tf32Name = "te.tf32";

/// The name of the module's table of entries of type `Attr`.
template <typename Attr> inline constexpr StringLiteral tableName = "";
template <> inline constexpr StringLiteral tableName<WeightAttr> = weightsName;
template <> inline constexpr StringLiteral tableName<NodeAttr> = "te.nodes";
template <> inline constexpr StringLiteral tableName<LaunchRecordAttr> = "te.launches";
template <> inline constexpr StringLiteral tableName<DeviceKernelAttr> = "te.kernels";

} // namespace mlir::tssa::te

#endif // DIALECTS_TE_IR_PROGRAMNAMES_H
