//===- Program.h - attributes of the functions of a program ----*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A stage passes information to later stages in these attributes only:
///
///   attribute         of                       set by              read by
///   te.port           argument, result         import, functional  buffers, manifest
///   te.weights        argument of bytes        te-plan-buffers     target
///   te.arena          argument of bytes        te-plan-buffers     target
///   te.weights        module: #te.weight       te-plan-buffers     artifact
///   te.separate       module: unit             --sanitize          te-plan-buffers, target
///   te.compiled       te.kernel: unit          cache of kernels    loops
///   te.block          function: #te.block      loops               target
///   te.kernels        module: #te.device_kernel  target            manifest
///   te.tf32           arith.mulf of a te op    import              te-fold-factors, layout, loops
///   te.nodes          module: #te.node         target              manifest
///   te.launches       module: #te.launch_record  target            manifest
///
/// The last two columns name stages, passes, an option and parts of the artifact. The dialect
/// verifies the attributes with the IR; if a pass leaves a wrong one, the error names the pass.
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

/// Return the port of an argument or of a result, or null if it has none.
PortAttr getArgumentPort(FunctionOpInterface function, unsigned argument);
PortAttr getResultPort(FunctionOpInterface function, unsigned result);
void setArgumentPort(FunctionOpInterface function, unsigned argument, PortAttr port);
void setResultPort(FunctionOpInterface function, unsigned result, PortAttr port);
/// Returns the name in the user's model, or `fallback` if there is none.
std::string getName(PortAttr port, const Twine &fallback);
/// Returns the attribute dictionary of an argument or a result with this port.
DictionaryAttr makeAttributes(PortAttr port);

/// The bytes of the weights and of the arena are passed as arguments after those of the user.
bool isWeights(FunctionOpInterface function, unsigned argument);
bool isArena(FunctionOpInterface function, unsigned argument);
void markWeights(FunctionOpInterface function, unsigned argument);
void markArena(FunctionOpInterface function, unsigned argument);

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// Returns whether the machine code of the kernel is known already, so that only its declaration is
/// needed.
bool isCompiled(Operation *kernel);
void setCompiled(Operation *kernel);

/// Returns how a device runs `function`, or null if `function` is no kernel.
BlockAttr getBlock(FunctionOpInterface function);
void setBlock(FunctionOpInterface function, BlockAttr block);

//===----------------------------------------------------------------------===//
// Tables of the module
//===----------------------------------------------------------------------===//

/// Returns whether each buffer has memory of its own, so that a sanitizer detects an access outside
/// of a buffer.
bool hasSeparateBuffers(ModuleOp module);
void setSeparateBuffers(ModuleOp module);

/// Returns the table with entries of type `Attr`, or an empty list if the module has none.
template <typename Attr> SmallVector<Attr> getTable(ModuleOp module);
template <typename Attr> void setTable(ModuleOp module, ArrayRef<Attr> entries);
/// Returns whether a stage has written the table.
template <typename Attr> bool hasTable(ModuleOp module);

} // namespace mlir::tssa::te

#endif // DIALECTS_TE_IR_PROGRAM_H
