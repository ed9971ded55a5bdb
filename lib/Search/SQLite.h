//===- SQLite.h - connections and statements -*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What the database needs of SQLite's C API (https://www.sqlite.org/c3ref/intro.html): errors
/// become values, and every statement is prepared, its values bound.
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_SEARCH_SQLITE_H
#define TSSA_SEARCH_SQLITE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <optional>
#include <string>

struct sqlite3;
struct sqlite3_stmt;

namespace tssa::search {

/// One open file.
class Connection {
public:
  Connection() = default;
  Connection(const Connection &) = delete;
  ~Connection();

  /// Opens or makes the file at `path`. Nothing is read or written yet. What a file's schema may
  /// do is limited as https://www.sqlite.org/security.html says.
  llvm::Error open(llvm::StringRef path, unsigned timeoutMilliseconds);
  /// Runs one statement without values. Its rows are dropped.
  llvm::Error run(llvm::StringRef sql);
  /// The first column of the first row of a query, which must have one.
  llvm::Expected<int64_t> readNumber(llvm::StringRef sql);
  llvm::Expected<std::string> readText(llvm::StringRef sql);

  /// The sentence for SQLite's extended result code `code`.
  llvm::Error makeError(int code) const;
  llvm::Error makeError(const llvm::Twine &message) const;
  int64_t getLastRow() const;
  unsigned getTimeout() const { return timeout; }

private:
  friend class Statement;
  sqlite3 *handle = nullptr;
  std::string path;
  unsigned timeout = 0;
};

/// A prepared statement. Parameters and columns count from 0. The first error is kept, and
/// `takeError` returns it; what follows it has no effect.
class Statement {
public:
  Statement(Connection &connection, llvm::StringRef sql);
  Statement(const Statement &) = delete;
  ~Statement();

  Statement &bind(int parameter, llvm::StringRef text);
  Statement &bindBytes(int parameter, llvm::StringRef bytes);
  Statement &bind(int parameter, int64_t number);
  Statement &bind(int parameter, std::optional<double> number);

  /// Goes to the next row. Returns false behind the last row and after an error.
  bool step();
  /// Runs the statement to its end and makes it ready for other values.
  llvm::Error run();
  llvm::Error takeError();
  /// Whether the error is that another process has locked the file.
  bool isLocked() const;

  int64_t getNumber(int column) const;
  /// Nullopt if the column is NULL.
  std::optional<double> getReal(int column) const;
  /// The bytes of a text or blob, as long as no other row is read.
  llvm::StringRef getBytes(int column) const;

private:
  void note(int code);

  Connection &connection;
  sqlite3_stmt *handle = nullptr;
  int failure = 0;
};

/// A transaction that is undone unless it is committed.
class Transaction {
public:
  explicit Transaction(Connection &connection) : connection(connection) {}
  Transaction(const Transaction &) = delete;
  ~Transaction();
  /// For reading only: all statements see the file at one time.
  llvm::Error beginReading();
  /// Waits for other writers until the timeout.
  llvm::Error begin();
  llvm::Error commit();

private:
  llvm::Error run(llvm::StringRef sql);

  Connection &connection;
  bool isOpen = false;
};

} // namespace tssa::search

#endif // TSSA_SEARCH_SQLITE_H
