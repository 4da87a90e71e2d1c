// What an error says, as data: a sentence, and what to do about it.
//
// The library knows neither the commands of the program nor the calls of the Python package. Where a sentence depends
// on who reads it, it holds data, and each of them says it in words of its own (base/error/wording.h).
#pragma once

#include <concepts>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "fovea/base/error/value.h"

namespace fovea {

// A sentence. Most are plain text; in some stand values and kinds of values, which a spec file writes in one way (true,
// { a = 1 }, a table) and Python in another (True, {"a": 1}, a dict).
class Message {
 public:
  // A line of a table: name = "copy".
  struct Entry {
    std::string key;
    Value value;
  };
  // The key of a list of tables: [[claim]].
  struct Tables {
    std::string key;
  };
  using Piece = std::variant<std::string, ValueKind, Value, Entry, Tables>;

  Message() = default;
  Message(std::string text) : pieces_{std::move(text)} {}
  Message(const char* text) : Message(std::string(text)) {}
  explicit Message(std::string_view text) : Message(std::string(text)) {}
  explicit Message(std::integral auto number) : Message(std::to_string(number)) {}
  Message(ValueKind kind) : pieces_{kind} {}
  explicit Message(Value value) : pieces_{std::move(value)} {}
  Message(Entry entry) : pieces_{std::move(entry)} {}
  Message(Tables tables) : pieces_{std::move(tables)} {}

  const std::vector<Piece>& pieces() const { return pieces_; }
  void append(const Message& other) { pieces_.insert(pieces_.end(), other.pieces_.begin(), other.pieces_.end()); }
  void append(Piece piece) { pieces_.push_back(std::move(piece)); }

  bool empty() const;
  std::string text() const;  // in plain words

 private:
  std::vector<Piece> pieces_;
};

// message("{} must be {}, not {}", key, ValueKind::table, value.kind()): each {} is the next of the parts.
template <class... Parts>
Message message(std::string_view format, const Parts&... parts) {
  Message made;
  const auto add_text_before = [&](std::size_t end) {
    made.append(Message::Piece(std::string(format.substr(0, end))));
    format.remove_prefix(end == std::string_view::npos ? format.size() : end + 2);
  };
  ((add_text_before(format.find("{}")), made.append(Message(parts))), ...);
  add_text_before(std::string_view::npos);
  return made;
}

// What to do: a sentence that holds for everybody, or a code with arguments for what the program, the Python package
// and the page do in different ways. Sentences begin with a small letter and have no final full stop.
struct Remedy {
  enum class Code {
    sentence,
    // names
    did_you_mean,  // the nearest known name
    choose_from,   // all known names
    // parts, runs and metrics
    list_parts,       // "tasks", "experiments", …: where a list of them is
    name_part,        // the same, where its table lacks a name
    see_runs,         //
    see_bin,          // runs that were removed
    name_run,         //
    see_metrics,      // what a run has
    name_metric,      //
    resume_run,       // run
    remove_run,       // run, then train it again
    compare_runs,     // run, run
    train_others,     // that a run can be measured against
    reproduce,        // experiment, preset
    reproduce_plain,  // a report without scripts
    // settings
    set_of_task,       // name and value of a setting, as an example
    train_again_with,  // name and value of a setting
    drop_setting,      // name and usual value
    drop_weights,      // keep none, and train again
    say_draws,         // how many
    list_seeds,        //
    // files and stores
    name_export,     // the endings of files
    name_folder,     // for an export
    upgrade_store,   // its folder
    share_folder,    // of checkpoints
    spread_built,    // over processes: build with MPI, or without it
    spread_loaded,   // over processes: install MPI, or without it
    spread_started,  // over processes: start them in another way, or without MPI
    // corpora
    choose_corpus,       //
    find_corpus,         // the nearest known name, or ""; all known names
    find_public_corpus,  // the same
    get_as_other,        // a public corpus whose name is taken
    add_as_other,        // a corpus whose name is taken
    give_validation,     //
    or_skip,             // what to do, and what else can be skipped: "lines", "files"
    say_format,          // of texts
    name_column,         // of texts
    add_texts,           // how many can be given in a spec
    // serving
    take_port,
    set_token,
    sweep_outside,  // how many runs the page starts
    count_          // not a code: how many there are
  };

  Code code = Code::sentence;
  std::vector<Value> arguments;
  Message sentence;

  Remedy() = default;
  Remedy(Message text) : sentence(std::move(text)) {}
  Remedy(std::string text) : sentence(std::move(text)) {}
  Remedy(const char* text) : sentence(text) {}
  Remedy(Code what, std::initializer_list<Value> with) : code(what), arguments(with) {}

  static Remedy did_you_mean(std::string name) { return {Code::did_you_mean, {{std::move(name), {}}}}; }
  static Remedy list_parts(std::string what) { return {Code::list_parts, {{std::move(what), {}}}}; }
  static Remedy name_part(std::string what) { return {Code::name_part, {{std::move(what), {}}}}; }
  static Remedy see_runs() { return {Code::see_runs, {}}; }
  static Remedy see_bin() { return {Code::see_bin, {}}; }
  static Remedy name_run() { return {Code::name_run, {}}; }
  static Remedy see_metrics() { return {Code::see_metrics, {}}; }
  static Remedy name_metric() { return {Code::name_metric, {}}; }
  static Remedy resume_run(std::int64_t run) { return {Code::resume_run, {{run, {}}}}; }
  static Remedy remove_run(std::int64_t run) { return {Code::remove_run, {{run, {}}}}; }
  static Remedy compare_runs(std::int64_t a, std::int64_t b) { return {Code::compare_runs, {{a, {}}, {b, {}}}}; }
  static Remedy train_others() { return {Code::train_others, {}}; }
  static Remedy reproduce(std::string experiment, std::string preset) {
    return {Code::reproduce, {{std::move(experiment), {}}, {std::move(preset), {}}}};
  }
  static Remedy reproduce_plain() { return {Code::reproduce_plain, {}}; }
  static Remedy set_of_task(std::string name, Value value) {
    return {Code::set_of_task, {{std::move(name), {}}, std::move(value)}};
  }
  static Remedy train_again_with(std::string name, Value value) {
    return {Code::train_again_with, {{std::move(name), {}}, std::move(value)}};
  }
  static Remedy drop_setting(std::string name, std::string usual) {
    return {Code::drop_setting, {{std::move(name), {}}, {std::move(usual), {}}}};
  }
  static Remedy drop_weights() { return {Code::drop_weights, {}}; }
  static Remedy say_draws(std::int64_t draws) { return {Code::say_draws, {{draws, {}}}}; }
  static Remedy list_seeds() { return {Code::list_seeds, {}}; }
  static Remedy name_export(std::string endings) { return {Code::name_export, {{std::move(endings), {}}}}; }
  static Remedy name_folder() { return {Code::name_folder, {}}; }
  static Remedy upgrade_store(std::string folder) { return {Code::upgrade_store, {{std::move(folder), {}}}}; }
  static Remedy share_folder() { return {Code::share_folder, {}}; }
  static Remedy spread_built() { return {Code::spread_built, {}}; }
  static Remedy spread_loaded() { return {Code::spread_loaded, {}}; }
  static Remedy spread_started() { return {Code::spread_started, {}}; }
  static Remedy choose_corpus() { return {Code::choose_corpus, {}}; }
  static Remedy get_as_other() { return {Code::get_as_other, {}}; }
  static Remedy add_as_other() { return {Code::add_as_other, {}}; }
  static Remedy give_validation() { return {Code::give_validation, {}}; }
  static Remedy or_skip(std::string what, std::string units) {
    return {Code::or_skip, {{std::move(what), {}}, {std::move(units), {}}}};
  }
  static Remedy say_format() { return {Code::say_format, {}}; }
  static Remedy name_column() { return {Code::name_column, {}}; }
  static Remedy add_texts(std::int64_t most) { return {Code::add_texts, {{most, {}}}}; }
  static Remedy take_port() { return {Code::take_port, {}}; }
  static Remedy set_token() { return {Code::set_token, {}}; }
  static Remedy sweep_outside(std::int64_t most) { return {Code::sweep_outside, {{most, {}}}}; }

  bool empty() const { return code == Code::sentence && sentence.empty(); }
  std::string text() const;  // in plain words
  // The known name that is nearest to the one that was given; empty where there is none.
  std::string nearest() const;
};

}  // namespace fovea
