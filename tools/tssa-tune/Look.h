//===- Look.h - what a database can be asked --------------------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TOOLS_TSSA_TUNE_LOOK_H
#define TOOLS_TSSA_TUNE_LOOK_H

#include "Options.h"
#include "mlir/IR/MLIRContext.h"
#include "tssa/Search/Database.h"

namespace tssa::tune {

/// Makes a context with all dialects.
std::unique_ptr<mlir::MLIRContext> createContext();

/// Opens the database of the folder. Fails if there is none.
llvm::Expected<search::Database> openExisting(const Options &options);

/// Writes the page of a session. Returns the exit code.
int reportSession(const Options &options);

/// Prints a task, its space and its best points. Returns the exit code.
int explainTask(const Options &options);

/// Writes the records of this machine and epoch to a folder. Returns the exit code.
int exportRecords(const Options &options);

/// Takes the records of a folder over into the database and its folder. Returns the exit code.
int importRecords(const Options &options);

} // namespace tssa::tune

#endif // TOOLS_TSSA_TUNE_LOOK_H
