#include "fovea/lab/store/sqlite_statement.h"

#include <fmt/format.h>
#include <sqlite3.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>
#include <thread>
#include <utility>

namespace fovea {

namespace {

constexpr int busy_milliseconds = 10000;

std::string address_of(const std::filesystem::path& file) {  // as a URI, for SQLite's options
  std::string text = "file:";
  for (const char c : std::filesystem::absolute(file).string()) {
    if (c == '%' || c == '?' || c == '#') text += fmt::format("%{:02x}", static_cast<unsigned>(c));
    else text += c;
  }
  return text + "?immutable=1";
}

bool disk_is_full(int code, int system_code) {
  return (code & 0xff) == SQLITE_FULL || code == SQLITE_IOERR_SHMSIZE || system_code == ENOSPC || system_code == EDQUOT;
}

}  // namespace

void Connection::Finalize::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }

void SqliteStatement::GiveBack::operator()(sqlite3_stmt* statement) const {
  sqlite3_reset(statement);
  sqlite3_clear_bindings(statement);
  connection->parsed_[sqlite3_sql(statement)].emplace_back(statement);
}

SqliteStatement::SqliteStatement(Connection& connection, const char* sql) : statement_(nullptr, {&connection}) {
  if (auto& parsed = connection.parsed_[sql]; !parsed.empty()) {
    statement_.reset(parsed.back().release());
    parsed.pop_back();
    return;
  }
  sqlite3_stmt* statement = nullptr;
  const int code =
      sqlite3_prepare_v3(connection.database_.get(), sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
  statement_.reset(statement);
  check(code);
}

void SqliteStatement::check(int code) const {
  if (code != SQLITE_OK) statement_.get_deleter().connection->fail(code);
}

SqliteStatement& SqliteStatement::bind(int index, std::int64_t value) {
  check(sqlite3_bind_int64(statement_.get(), index, value));
  return *this;
}

SqliteStatement& SqliteStatement::bind(int index, double value) {
  check(sqlite3_bind_double(statement_.get(), index, value));
  return *this;
}

SqliteStatement& SqliteStatement::bind(int index, std::string_view text) {
  check(sqlite3_bind_text64(statement_.get(), index, text.empty() ? "" : text.data(), text.size(), SQLITE_STATIC,
                            SQLITE_UTF8));
  return *this;
}

SqliteStatement& SqliteStatement::bind(int index, std::span<const std::byte> blob) {
  const void* data = blob.empty() ? static_cast<const void*>("") : blob.data();
  check(sqlite3_bind_blob64(statement_.get(), index, data, blob.size(), SQLITE_STATIC));
  return *this;
}

SqliteStatement& SqliteStatement::bind_null(int index) {
  check(sqlite3_bind_null(statement_.get(), index));
  return *this;
}

bool SqliteStatement::next() {
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  if (code != SQLITE_DONE) statement_.get_deleter().connection->fail(code);
  return false;
}

void SqliteStatement::run() {
  while (next()) {
  }
  reset();
}

void SqliteStatement::reset() { sqlite3_reset(statement_.get()); }

bool SqliteStatement::is_null(int column) const { return type(column) == Type::null; }
std::int64_t SqliteStatement::integer(int column) const { return sqlite3_column_int64(statement_.get(), column); }

double SqliteStatement::number(int column) const {
  if (is_null(column)) return std::numeric_limits<double>::quiet_NaN();
  return sqlite3_column_double(statement_.get(), column);
}

std::string_view SqliteStatement::text(int column) const {
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement_.get(), column));
  return {text ? text : "", static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column))};
}

std::span<const std::byte> SqliteStatement::blob(int column) const {
  const auto* data = static_cast<const std::byte*>(sqlite3_column_blob(statement_.get(), column));
  return {data, static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column))};
}

SqliteStatement::Type SqliteStatement::type(int column) const {
  switch (sqlite3_column_type(statement_.get(), column)) {
    case SQLITE_INTEGER:
      return Type::integer;
    case SQLITE_FLOAT:
      return Type::number;
    case SQLITE_TEXT:
      return Type::text;
    case SQLITE_BLOB:
      return Type::blob;
    default:
      return Type::null;
  }
}

void Connection::Close::operator()(sqlite3* database) const { sqlite3_close_v2(database); }

Connection::Connection(std::filesystem::path file, Access access) : file_(std::move(file)) {
  int flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
  std::string name = file_.string();
  switch (access) {
    case Access::create:
      flags |= SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
      break;
    case Access::read:
      flags |= SQLITE_OPEN_READONLY;
      break;
    case Access::immutable:
      flags |= SQLITE_OPEN_READONLY | SQLITE_OPEN_URI;
      name = address_of(file_);
      break;
    case Access::memory:
      flags |= SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
      name = ":memory:";
      break;
  }
  if (access != Access::immutable && name.starts_with("file:"))
    name = "./" + name;  // a file name, whatever it looks like
  sqlite3* database = nullptr;
  const int code = sqlite3_open_v2(name.c_str(), &database, flags, nullptr);
  database_.reset(database);
  if (!database) throw failure("there is no memory to open it", {}, {file_.string()});
  if (code != SQLITE_OK) fail(code);
  sqlite3_busy_timeout(database, busy_milliseconds);
}

void Connection::run(const char* sql) {
  // Switching to WAL and its recovery may answer "busy" without waiting as the busy timeout says; so waiting is done
  // here too.
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::milliseconds(busy_milliseconds);
  for (;;) {
    const int code = sqlite3_exec(database_.get(), sql, nullptr, nullptr, nullptr);
    if (code == SQLITE_OK) return;
    if ((code & 0xff) != SQLITE_BUSY || std::chrono::steady_clock::now() > give_up) fail(code);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

std::int64_t Connection::integer(const char* sql) {
  SqliteStatement question = prepare(sql);
  if (!question.next()) throw failure("gave no answer to a query for one number", {}, {file_.string()});
  return question.integer(0);
}

std::int64_t Connection::last_id() const { return sqlite3_last_insert_rowid(database_.get()); }
bool Connection::in_transaction() const { return sqlite3_get_autocommit(database_.get()) == 0; }
bool Connection::writable() const { return sqlite3_db_readonly(database_.get(), "main") == 0; }

void Connection::fail(int code) const {
  const Location location{file_.string()};
  const int system_code = sqlite3_system_errno(database_.get());
  const std::string reason = sqlite3_errmsg(database_.get());
  if (disk_is_full(code, system_code))
    throw DatabaseError(code, "the disk is full, so nothing was added to the store of runs",
                        "free some space, then try again. All earlier runs are unchanged", location, true);
  switch (code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      throw DatabaseError(code, "another program has been writing to the store of runs for 10 seconds",
                          "wait for it to end, then try again", location);
    case SQLITE_READONLY:
    case SQLITE_PERM:
      throw DatabaseError(
          code, "the store of runs cannot be written",
          "check that you may write to this file and to its folder, or set FOVEA_HOME to a folder of yours", location);
    case SQLITE_CANTOPEN:
      if (const std::string folder = std::filesystem::path(location.file).parent_path().string();
          std::filesystem::is_directory(folder) && ::access(folder.c_str(), W_OK) != 0)
        throw DatabaseError(code, "the store of runs cannot be created, because you may not write in its folder",
                            "set FOVEA_HOME to a folder of yours", location);
      throw DatabaseError(
          code,
          fmt::format("the store of runs cannot be opened ({})",
                      system_code ? std::strerror(system_code) : reason.c_str()),
          "check that its folder exists and that you may write there, or set FOVEA_HOME to a folder of yours",
          location);
    case SQLITE_CORRUPT:
      throw DatabaseError(
          code, "the store of runs is damaged",
          "move the file away; the next run creates a new store. 'sqlite3 FILE .recover' may save the old content",
          location);
    case SQLITE_NOTADB:
      throw DatabaseError(code, "is not a store of runs", "move the file away, or set FOVEA_HOME to another folder",
                          location);
    case SQLITE_IOERR:
      throw DatabaseError(code,
                          fmt::format("the store of runs cannot be read or written ({})",
                                      system_code ? std::strerror(system_code) : reason.c_str()),
                          "check its disk; all earlier content is unchanged", location);
    case SQLITE_NOMEM:
      throw DatabaseError(code, "there is no memory left to use the store of runs", {}, location);
    case SQLITE_TOOBIG:
      throw DatabaseError(code, "the run has an array too large for the store", "store fewer examples or steps",
                          location);
    default:
      throw DatabaseError(code, fmt::format("the store of runs could not be read or written ({})", reason), {},
                          location);
  }
}

Transaction::Transaction(Connection& connection, Kind kind) : connection_(connection) {
  connection_.run(kind == Kind::write ? "BEGIN IMMEDIATE" : "BEGIN");
}

Transaction::~Transaction() {
  if (!open_ || !connection_.in_transaction()) return;
  try {
    connection_.run("ROLLBACK");
  } catch (
      ...) {  // the failure that brought us here is the one to tell; SQLite rolls back when the file is next opened
  }
}

void Transaction::commit() {
  connection_.run("COMMIT");
  open_ = false;
}

}  // namespace fovea
