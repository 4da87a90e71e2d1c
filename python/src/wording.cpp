#include "python/src/wording.h"

#include <fmt/format.h>

#include <cmath>

namespace fovea::python {

namespace {

struct Literal {
  std::string operator()(bool x) const { return x ? "True" : "False"; }
  std::string operator()(double x) const {
    return std::isfinite(x) ? Value{x, {}}.text() : fmt::format("float(\"{}\")", exact_text(x));
  }
  std::string operator()(const ValueList& list) const {
    std::string text;
    for (const Value& item : list) text += (text.empty() ? "" : ", ") + python_literal(item);
    return '[' + text + ']';
  }
  std::string operator()(const ValueTable& table) const {
    std::string text;
    for (const auto& [key, item] : table)
      text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", python_literal({key, {}}), python_literal(item));
    return '{' + text + '}';
  }
  std::string operator()(const auto& x) const { return Value{x, {}}.text(); }  // as in TOML
};

// train.keep_weights is an argument of its own, as all of train are; other settings stand in a dict.
std::string set(const std::string& name, const Value& value) {
  constexpr std::string_view of_train = "train.";
  if (name.starts_with(of_train))
    return fmt::format("{}={}", std::string_view(name).substr(of_train.size()), python_literal(value));
  return fmt::format("set={{\"{}\": {}}}", name, python_literal(value));
}

class PythonWording : public Wording {
 public:
  // A dict without a name has no place, and what else is no file is an argument.
  std::string place(const Place& place) const override {
    if (place.kind == Place::Kind::setting || place.kind == Place::Kind::argument)
      return place.file.find('=') == std::string::npos ? place.file + '=' : place.file;
    return place.kind == Place::Kind::spec && place.file == "python" ? std::string() : place.text();
  }

 protected:
  std::string coded(const Remedy& remedy) const override {
    using enum Remedy::Code;
    const auto arg = [&remedy](std::size_t number) { return argument(remedy, number); };
    const auto value = [&remedy](std::size_t number) {
      return number < remedy.arguments.size() ? remedy.arguments[number] : Value{};
    };
    switch (remedy.code) {
      case sentence:
      case count_:
        break;
      case did_you_mean:
      case choose_from:
        return remedy.text();
      case list_parts:
        return fmt::format("see: fovea.describe(\"{}\")", arg(0));
      case name_part:
        return fmt::format("add {} to it; fovea.describe(\"{}\") shows them", entry("name", {"…", {}}), arg(0));
      case see_runs:
        return "see: fovea.store().runs()";
      case see_bin:
        return "fovea.store() does not see removed runs; the program does";
      case name_run:
        return "name it by its number (fovea.store().runs() has them)";
      case see_metrics:
        return "see what a run has: run.metrics and run.spec";
      case name_metric:
        return "name one, such as accuracy; run.metrics has a run's metrics";
      case resume_run:
        return fmt::format("go on with it: fovea.resume({})", arg(0));
      case remove_run:
        return fmt::format("run {} must be removed from the store, then trained again", arg(0));
      case compare_runs:
        return fmt::format("compare the specs of runs {} and {}", arg(0), arg(1));
      case train_others:
        return fmt::format("train the same with other seeds, or with {}", set("model.attention", {"uniform", {}}));
      case reproduce:
        return fmt::format("fovea.sweep(\"{}\", quick={})", arg(0), arg(1) == "quick" ? "True" : "False");
      case reproduce_plain:
        return "a report can be written without one";
      case set_of_task:
        return "set those of the task, as in " + set(arg(0), value(1));
      case train_again_with:
        return "train it again with " + set(arg(0), value(1));
      case drop_setting:
        return fmt::format("drop it (or set {} to {}), or choose the part that it belongs to", arg(0), arg(1));
      case drop_weights:
        return fmt::format("correct that, or keep none ({}); fovea.run trains it again",
                           set("train.keep_weights", {"never", {}}));
      case say_draws:
        return fmt::format("add draws={}", arg(0));
      case list_seeds:
        return "list them: seeds=range(20)";
      case name_export:
        return fmt::format("name it {}", arg(0));
      case name_folder:
        return "for TensorBoard, name a folder";
      case upgrade_store:
        return fmt::format("open the store in {} once to bring it up to date", arg(0));
      case share_folder:
        return "give all of them access to one folder ($FOVEA_HOME), or begin anew with fresh=True";
      case spread_built:
        return "install libopenmpi-dev and build again, or start one process";
      case spread_loaded:
        return "install openmpi-bin, or start one process";
      case spread_started:
        return "start them in another way, or start one process";
      case choose_corpus:
        return fmt::format("name one, as in {}", set("task.corpus", {"…", {}}));
      case find_corpus:
      case find_public_corpus:
        return suggestion(remedy);
      case get_as_other:
      case add_as_other:
        return "give this another name";
      case give_validation:
        return "give a file of them, or split off a larger share, or add more data";
      case or_skip:
        return arg(0);
      case say_format:
        return "give the format: tsv, csv, jsonl or lines";
      case name_column:
        return "name the text's column, as its header does or by number, from 1";
      case add_texts:
        return fmt::format("task 'given-texts' takes at most {}; a corpus of your own has room for more", arg(0));
      case take_port:
        return "choose another port; 0 takes any free one";
      case set_token:
        return "set a token";
      case sweep_outside:
        return fmt::format("the page starts up to {}; fovea.sweep starts any number", arg(0));
    }
    return {};
  }
};

// A spec that was given as a dict, or beside one.
class DictWording : public PythonWording {
  std::string kind(ValueKind kind) const override {
    if (kind == ValueKind::truth) return "True or False";
    if (kind == ValueKind::table) return "a dict";
    return kind == ValueKind::tables ? "a list of dicts" : name_of(kind);
  }
  std::string literal(const Value& value) const override { return python_literal(value); }
  std::string entry(const std::string& key, const Value& value) const override {
    return fmt::format("{}: {}", python_literal({key, {}}), literal(value));
  }
  std::string tables(const std::string& key) const override { return fmt::format("\"{}\": [{{…}}, …]", key); }

  // What is wrong in a file is said in the file's own words.
  const Wording& at(const Place& place) const override {
    static const PythonWording of_files;
    if (place.known() && place.kind == Place::Kind::file) return of_files;
    return *this;
  }
};

}  // namespace

std::string python_literal(const Value& value) { return std::visit(Literal(), value.data); }

const Wording& python_wording() {
  static const DictWording wording;
  return wording;
}

}  // namespace fovea::python
