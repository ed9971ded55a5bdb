//===- RecordFolder.cpp - folders of records for programs -----------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RecordFolder.h"
#include "tssa/Pipeline/Records.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace tssa::tune {

Error copyLoops(StringRef from, SmallString<128> &folder) {
  if (std::error_code error = sys::fs::createUniqueDirectory("tssa-tune", folder))
    return createStringError(error, "no folder for records: " + error.message());
  auto names = listRecords(from);
  if (!names)
    return names.takeError();
  for (const std::string &name : *names) {
    SmallString<128> path(from);
    sys::path::append(path, "records", name);
    auto text = readRecordText(path);
    if (!text)
      return text.takeError();
    if (Error error = writeRecord(folder, *text))
      return error;
  }
  return Error::success();
}

} // namespace tssa::tune
