//===- SQLite.cpp - connections and statements -*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "SQLite.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <cstring>
#include <sqlite3.h>

using namespace tssa::search;
using llvm::StringRef;

/// The longest text or blob that is read into memory.
static constexpr int maxValueBytes = 16 << 20;

static constexpr llvm::StringLiteral readOnly =
    "cannot be written: the file or its folder is read-only";

/// Why SQLite could not open `path`. Its own error is that of a last try to open it for reading.
static std::string explainFailedOpen(StringRef path) {
  StringRef folder = llvm::sys::path::parent_path(path);
  folder = folder.empty() ? "." : folder;
  if (llvm::sys::fs::is_directory(path))
    return "cannot be opened: it is a folder";
  if (!llvm::sys::fs::is_directory(folder))
    return "cannot be opened: there is no such folder";
  if (llvm::sys::fs::access(folder, llvm::sys::fs::AccessMode::Write))
    return llvm::sys::fs::exists(path) ? readOnly.str() : "cannot be made: its folder is read-only";
  return "cannot be opened for reading and writing";
}

Connection::~Connection() { sqlite3_close(handle); }

llvm::Error Connection::makeError(const llvm::Twine &message) const {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), "'" + path + "' " + message);
}

llvm::Error Connection::makeError(int code) const {
  int cause = handle ? sqlite3_system_errno(handle) : 0;
  std::string system = cause ? std::string(" (") + std::strerror(cause) + ")" : "";
  switch (code & 0xff) {
  case SQLITE_NOTADB:
    return makeError("is no SQLite database");
  case SQLITE_CORRUPT:
    return makeError("is a damaged SQLite database");
  case SQLITE_BUSY:
  case SQLITE_LOCKED:
    return makeError("is locked by another process, for more than " + llvm::Twine(timeout) + " ms");
  case SQLITE_FULL:
    return makeError("could not be written: the disk is full");
  case SQLITE_READONLY:
    return makeError(readOnly);
  case SQLITE_CANTOPEN:
    return makeError(explainFailedOpen(path));
  default:
    return makeError(StringRef("could not be read or written: ") + sqlite3_errstr(code) + system);
  }
}

llvm::Error Connection::open(StringRef file, unsigned timeoutMilliseconds) {
  path = file.str();
  timeout = timeoutMilliseconds;
  if (file.empty() || file.contains('\0'))
    return makeError("is no path of a database");
  // Without this, `:memory:` and what begins with `file:` would be no paths to SQLite.
  std::string opened = llvm::sys::path::is_absolute(path) ? path : "./" + path;
  int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_EXRESCODE;
  if (int code = sqlite3_open_v2(opened.c_str(), &handle, flags, nullptr))
    return makeError(code);
  sqlite3_busy_timeout(handle, int(timeout));
  sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, maxValueBytes);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
  if (sqlite3_db_readonly(handle, "main") == 1)
    return makeError(SQLITE_READONLY);
  return llvm::Error::success();
}

llvm::Error Connection::run(StringRef sql) { return Statement(*this, sql).run(); }

llvm::Expected<int64_t> Connection::readNumber(StringRef sql) {
  Statement statement(*this, sql);
  int64_t number = statement.step() ? statement.getNumber(0) : 0;
  if (llvm::Error error = statement.takeError())
    return std::move(error);
  return number;
}

llvm::Expected<std::string> Connection::readText(StringRef sql) {
  Statement statement(*this, sql);
  std::string text = statement.step() ? statement.getBytes(0).str() : "";
  if (llvm::Error error = statement.takeError())
    return std::move(error);
  return text;
}

int64_t Connection::getLastRow() const { return sqlite3_last_insert_rowid(handle); }

Statement::Statement(Connection &connection, StringRef sql) : connection(connection) {
  note(sqlite3_prepare_v2(connection.handle, sql.data(), int(sql.size()), &handle, nullptr));
}

Statement::~Statement() { sqlite3_finalize(handle); }

void Statement::note(int code) {
  if (failure == SQLITE_OK)
    failure = code;
}

Statement &Statement::bind(int parameter, StringRef text) {
  if (!failure)
    note(sqlite3_bind_text64(handle, parameter + 1, text.data() ? text.data() : "", text.size(),
                             SQLITE_TRANSIENT, SQLITE_UTF8));
  return *this;
}

Statement &Statement::bindBytes(int parameter, StringRef bytes) {
  if (!failure)
    note(sqlite3_bind_blob64(handle, parameter + 1, bytes.data() ? bytes.data() : "", bytes.size(),
                             SQLITE_TRANSIENT));
  return *this;
}

Statement &Statement::bind(int parameter, int64_t number) {
  if (!failure)
    note(sqlite3_bind_int64(handle, parameter + 1, number));
  return *this;
}

Statement &Statement::bind(int parameter, std::optional<double> number) {
  if (!failure)
    note(number ? sqlite3_bind_double(handle, parameter + 1, *number)
                : sqlite3_bind_null(handle, parameter + 1));
  return *this;
}

bool Statement::step() {
  if (failure)
    return false;
  int code = sqlite3_step(handle);
  if (code != SQLITE_ROW && code != SQLITE_DONE)
    note(code);
  return code == SQLITE_ROW;
}

llvm::Error Statement::run() {
  while (step()) {
  }
  if (!failure)
    sqlite3_reset(handle);
  return takeError();
}

llvm::Error Statement::takeError() {
  return failure ? connection.makeError(failure) : llvm::Error::success();
}

bool Statement::isLocked() const { return (failure & 0xff) == SQLITE_BUSY; }

int64_t Statement::getNumber(int column) const { return sqlite3_column_int64(handle, column); }

std::optional<double> Statement::getReal(int column) const {
  if (sqlite3_column_type(handle, column) == SQLITE_NULL)
    return std::nullopt;
  return sqlite3_column_double(handle, column);
}

StringRef Statement::getBytes(int column) const {
  const char *bytes = static_cast<const char *>(sqlite3_column_blob(handle, column));
  return bytes ? StringRef(bytes, size_t(sqlite3_column_bytes(handle, column))) : StringRef("");
}

Transaction::~Transaction() {
  // Where SQLite has undone the transaction by itself, there is nothing to undo, which is no harm.
  if (isOpen)
    llvm::consumeError(connection.run("ROLLBACK"));
}

llvm::Error Transaction::run(StringRef sql) {
  llvm::Error error = connection.run(sql);
  isOpen = !error;
  return error;
}

llvm::Error Transaction::beginReading() { return run("BEGIN"); }

llvm::Error Transaction::begin() { return run("BEGIN IMMEDIATE"); }

llvm::Error Transaction::commit() {
  llvm::Error error = connection.run("COMMIT");
  isOpen = bool(error);
  return error;
}
