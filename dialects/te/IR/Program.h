//===- Program.h - what the functions of a program carry -------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What a stage tells the ones after it stands in these attributes, and nowhere else:
///
///   attribute         of                       set by              read by
///   te.port           argument, result         import, functional  buffers, manifest
///   te.weights        argument of bytes        te-plan-buffers     target
///   te.arena          argument of bytes        te-plan-buffers     target
///   te.weights        module: #te.weight       te-plan-buffers     artifact
///   te.separate       module: unit             --sanitize          te-plan-buffers, target
///   te.flops          function: i64            loops               target
///   te.block          function: #te.block      loops               target
///   te.kernels        module: #te.device_kernel  target            manifest
///   te.nodes          module: #te.node         target              manifest
///   te.launches       module: #te.launch_record  target            manifest
///
/// The dialect verifies them where the IR is verified, so that a stage which breaks one is named
/// by the pass manager.
///
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TE_IR_PROGRAM_H
#define DIALECTS_TE_IR_PROGRAM_H

#include "dialects/te/IR/TEAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace mlir::tssa::te {

//===----------------------------------------------------------------------===//
// Arguments and results of the host program
//===----------------------------------------------------------------------===//

/// The ports of an argument and of a result; null where it has none.
PortAttr getArgumentPort(FunctionOpInterface function, unsigned argument);
PortAttr getResultPort(FunctionOpInterface function, unsigned result);
void setArgumentPort(FunctionOpInterface function, unsigned argument, PortAttr port);
void setResultPort(FunctionOpInterface function, unsigned result, PortAttr port);
/// The name in the user's model, or `fallback`.
std::string getName(PortAttr port, const Twine &fallback);
/// The attributes of an argument or a result that has this port, for a list of all of them.
DictionaryAttr makeAttributes(PortAttr port);

/// The constants of the program and the memory of a run: arguments after the user's.
bool isWeights(FunctionOpInterface function, unsigned argument);
bool isArena(FunctionOpInterface function, unsigned argument);
void markWeights(FunctionOpInterface function, unsigned argument);
void markArena(FunctionOpInterface function, unsigned argument);

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// The floating-point operations of a kernel, on the function that says its extents; none where
/// they cannot be counted.
std::optional<int64_t> getFlops(FunctionOpInterface function);
void setFlops(FunctionOpInterface function, int64_t flops);

/// How a device runs a function; null for one that is no kernel.
BlockAttr getBlock(FunctionOpInterface function);
void setBlock(FunctionOpInterface function, BlockAttr block);

//===----------------------------------------------------------------------===//
// Tables of the module
//===----------------------------------------------------------------------===//

/// Whether each buffer has bytes of its own, so that a sanitizer sees an access beside it.
bool hasSeparateBuffers(ModuleOp module);
void setSeparateBuffers(ModuleOp module);

/// The table of entries of type `Attr`, empty where the module has none.
template <typename Attr> SmallVector<Attr> getTable(ModuleOp module);
template <typename Attr> void setTable(ModuleOp module, ArrayRef<Attr> entries);
/// Whether a stage has written the table.
template <typename Attr> bool hasTable(ModuleOp module);

} // namespace mlir::tssa::te

#endif // DIALECTS_TE_IR_PROGRAM_H
