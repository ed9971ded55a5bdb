//===- RecordFiles.cpp - the folder of records ----------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tssa/Pipeline/Records.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace llvm;

namespace tssa {

static constexpr StringLiteral extension = ".mlir";

StringRef getFolderName(RecordKind kind) {
  switch (kind) {
  case RecordKind::Loops:
    return "records";
  case RecordKind::Ends:
    return "ends";
  case RecordKind::Sizes:
    return "sizes";
  }
}

std::string getRecordPath(StringRef dir, StringRef task, StringRef machine, RecordKind kind) {
  SmallString<128> path(dir);
  sys::path::append(path, getFolderName(kind), task + "." + machine + extension);
  return std::string(path);
}

Error checkRecordFolder(StringRef dir) {
  sys::fs::file_status status;
  if (std::error_code error = sys::fs::status(dir, status))
    return createStringError(error, "tuned '" + dir + "' cannot be read: " + error.message());
  if (!sys::fs::is_directory(status))
    return createStringError("tuned '" + dir + "' is no folder");
  return Error::success();
}

Expected<std::vector<std::string>> listRecords(StringRef dir, RecordKind kind) {
  SmallString<128> folder(dir);
  sys::path::append(folder, getFolderName(kind));
  std::vector<std::string> names;
  if (!sys::fs::exists(folder))
    return names;
  std::error_code error;
  for (sys::fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error))
    if (StringRef name = sys::path::filename(entry->path()); name.ends_with(extension))
      names.push_back(name.str());
  if (error)
    return createStringError(error, "the records of tuned '" + dir +
                                        "' cannot be listed: " + error.message());
  llvm::sort(names);
  return names;
}

static Error makeUnreadable(const Twine &text) {
  return make_error<RecordError>(RecordFault::Unreadable, text);
}

Expected<std::string> readRecordText(StringRef path) {
  // A pipe must not make the compiler wait.
  int file = ::open(path.str().c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (file < 0)
    return makeUnreadable(std::generic_category().message(errno));
  scope_exit close([file] { ::close(file); });
  struct stat status;
  if (::fstat(file, &status) != 0 || !S_ISREG(status.st_mode))
    return makeUnreadable("a record is a regular file");
  std::string text(maxRecordBytes + 1, '\0');
  size_t size = 0;
  while (size < text.size()) {
    ssize_t count = ::read(file, text.data() + size, text.size() - size);
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return makeUnreadable(std::generic_category().message(errno));
    if (count == 0)
      break;
    size += count;
  }
  if (size > maxRecordBytes)
    return make_error<RecordError>(RecordFault::Damaged, "a record has at most 1 MiB");
  text.resize(size);
  return text;
}

Error writeRecord(StringRef dir, StringRef text, RecordKind kind) {
  Expected<RecordHeader> header = parseRecordHeader(text);
  if (!header)
    return header.takeError();
  std::string path = getRecordPath(dir, header->task, header->info.machine, kind);
  auto fail = [&](std::error_code error) {
    return createStringError(error, "record '" + path + "' cannot be written: " + error.message());
  };
  if (std::error_code error = sys::fs::create_directories(sys::path::parent_path(path)))
    return fail(error);
  Expected<sys::fs::TempFile> file = sys::fs::TempFile::create(path + ".%%%%%%%%.part", 0644);
  if (!file)
    return fail(errorToErrorCode(file.takeError()));
  raw_fd_ostream stream(file->FD, /*shouldClose=*/false);
  stream << text;
  stream.flush();
  if (std::error_code error = stream.error()) {
    stream.clear_error();
    consumeError(file->discard());
    return fail(error);
  }
  if (Error error = file->keep(path))
    return fail(errorToErrorCode(std::move(error)));
  return Error::success();
}

} // namespace tssa
