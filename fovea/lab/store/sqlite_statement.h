// SQLite through three small owners: a connection, a statement, a transaction (room lab/store). The files of the
// store alone use them. Values reach SQL as bound parameters only. Every error of SQLite becomes a failure that names
// the file and the remedy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "fovea/base/error/error.h"

struct sqlite3;
struct sqlite3_stmt;

namespace fovea {

// A failure that SQLite reported, with its extended result code.
class DatabaseError : public Error {
 public:
  DatabaseError(int code, std::string what, std::string remedy, Location location, bool disk_full = false)
      : Error(Kind::failure, std::move(what), std::move(remedy), std::move(location)),
        code_(code),
        disk_full_(disk_full) {}
  int code() const { return code_; }
  bool disk_full() const { return disk_full_; }
  bool is(int primary_code) const { return (code_ & 0xff) == primary_code; }

 private:
  int code_;
  bool disk_full_;
};

class SqliteStatement {
 public:
  // Parameters count from 1, in the order of the '?'s; text and blob must live until the statement is done.
  SqliteStatement& bind(int index, std::int64_t value);
  SqliteStatement& bind(int index,
                        double value);  // SQLite knows no NaN: it is kept as NULL, and number() reads it back as NaN
  SqliteStatement& bind(int index, std::string_view text);
  SqliteStatement& bind(int index, std::span<const std::byte> blob);
  SqliteStatement& bind_null(int index);

  bool next();  // to the next row; false at the end
  void run();   // to the end, then ready to be bound and run again
  void reset();

  bool is_null(int column) const;
  std::int64_t integer(int column) const;
  double number(int column) const;
  std::string_view text(int column) const;  // until the next call of next()
  std::span<const std::byte> blob(int column) const;
  enum class Type { integer, number, text, blob, null };
  Type type(int column) const;

 private:
  friend class Connection;
  SqliteStatement(class Connection& connection, const char* sql);
  void check(int code) const;

  struct GiveBack {
    class Connection* connection;
    void operator()(sqlite3_stmt* statement) const;
  };
  std::unique_ptr<sqlite3_stmt, GiveBack> statement_;
};

class Connection {
 public:
  enum class Access {
    create,     // read and write, made if missing
    read,       // never writes to the database itself
    immutable,  // reads a file that nothing can change: where SQLite may not put its shared index beside it
    memory,     // an empty database that is gone with the connection
  };
  Connection(std::filesystem::path file, Access access);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // Parses an SQL text once: a statement that is destroyed waits here for the next one of the same text.
  SqliteStatement prepare(const char* sql) { return {*this, sql}; }
  void run(const char* sql);              // one or more statements without parameters or results
  std::int64_t integer(const char* sql);  // the one number that it asks for
  std::int64_t last_id() const;
  bool in_transaction() const;
  bool writable() const;
  const std::filesystem::path& file() const { return file_; }

  // Throws the DatabaseError for a SQLite result code.
  [[noreturn]] void fail(int code) const;

 private:
  friend class SqliteStatement;
  struct Close {
    void operator()(sqlite3* database) const;
  };
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  std::filesystem::path file_;
  std::unique_ptr<sqlite3, Close> database_;
  std::unordered_map<std::string, std::vector<std::unique_ptr<sqlite3_stmt, Finalize>>> parsed_;
};

// Takes the one write lock (waiting its turn), or for reads one unchanging sight of the database. Undone unless
// commit() is reached.
class Transaction {
 public:
  enum class Kind { read, write };
  Transaction(Connection& connection, Kind kind);
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  ~Transaction();
  void commit();

 private:
  Connection& connection_;
  bool open_ = true;
};

}  // namespace fovea
