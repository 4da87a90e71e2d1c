// Fields: settings that describe themselves (room base). Tasks, models, probes, optimisers, interventions, figure
// kinds and TrainSettings declare their settings with it, in `void settings(Fields&)`.
//
// Each setting has a name, the member that it sets, its bounds and a line of help. This one declaration reads and
// checks the spec, prints `fovea list`, and writes the full spec of a run (with defaults), which is hashed. The
// defaults are the members' values when `settings` is called.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "fovea/base/error/error.h"
#include "fovea/base/error/value.h"

namespace fovea {

struct Field {
  std::string name;
  Message kind;                               // "integer, 1 or more", "one of: learned, uniform, none", …
  std::string help;                           // one line
  std::function<std::optional<Value>()> get;  // none: it is left open
  std::function<Message(const Value&)> set;   // or says what it must be ("an integer, 1 or more") and does not
  std::string otherwise = {};                 // what holds while it is left open: "the run's seed"
  std::string belongs_to = {};                // what alone reads it: "optimizer \"sgd\""; empty: it is always read
  std::function<bool()> applies = {};         // whether it is, beside the other settings
  std::optional<Value> usual = {};            // the default of one that is not always read
  bool in_every_spec = false;                 // of a part's: it is written whichever part is named
  bool only_where_read = false;               // it is written where it is read, and not elsewhere
};

// A setting that is given and changes nothing beside the others, and the value that is as if it were not given.
struct IdleSetting {
  std::string name, belongs_to;
  Value usual;

  std::string usual_text() const;  // as it is written in a spec; a whole number without its ".0"
};

// The words of a field's kind, "one of: learned, uniform, none"; empty: it is no choice among words.
std::vector<std::string> choices_in(std::string_view kind);

class Fields {
 public:
  static constexpr std::int64_t no_limit = std::numeric_limits<std::int64_t>::max();

  void integer(std::string name, int& member, std::int64_t least, std::int64_t most, std::string help);
  void integer(std::string name, std::int64_t& member, std::int64_t least, std::int64_t most, std::string help);
  // One that may be left open; `otherwise` says in a few words what then holds.
  void integer(std::string name, std::optional<std::int64_t>& member, std::int64_t least, std::int64_t most,
               std::string otherwise, std::string help);
  // Finite, and within [least, most]. An integer is taken for a number, never the other way round.
  void number(std::string name, double& member, double least, double most, std::string help);
  void number(std::string name, std::optional<double>& member, double least, double most, std::string otherwise,
              std::string help);
  void flag(std::string name, bool& member, std::string help);
  void text(std::string name, std::string& member, std::string help);
  void integers(std::string name, std::vector<int>& member, std::int64_t least, std::int64_t most, std::string help);
  void numbers(std::string name, std::vector<double>& member, std::string help);
  void texts(std::string name, std::vector<std::string>& member, std::string help);
  // The list that was stated last is absent from a spec if it is empty. `otherwise` describes the absent list.
  void open_if_empty(std::string otherwise);

  // Pairs the word written in a spec with the enumerator it means.
  template <class Enum>
  using Choices = std::initializer_list<std::pair<std::string_view, Enum>>;

  template <class Enum>
  void choice(std::string name, Enum& member, Choices<std::type_identity_t<Enum>> choices, std::string help) {
    choice_of_words(
        std::move(name), words_of<Enum>(choices), std::move(help), &member,
        [](const void* from) { return std::optional(static_cast<int>(*static_cast<const Enum*>(from))); },
        [](void* to, int number) { *static_cast<Enum*>(to) = static_cast<Enum>(number); });
  }
  // One that may be left open; `otherwise` says in a few words what then holds, if it is not the first choice.
  template <class Enum>
  void choice(std::string name, std::optional<Enum>& member, Choices<std::type_identity_t<Enum>> choices,
              std::string help, std::string otherwise = {}) {
    using Open = std::optional<Enum>;
    choice_of_words(
        std::move(name), words_of<Enum>(choices), std::move(help), &member,
        [](const void* from) {
          const Open& open = *static_cast<const Open*>(from);
          return open ? std::optional(static_cast<int>(*open)) : std::nullopt;
        },
        [](void* to, int number) { *static_cast<Open*>(to) = static_cast<Enum>(number); });
    if (!otherwise.empty()) fields_.back().otherwise = std::move(otherwise);
  }

  // A setting that names one of several parts, and the settings that those parts have of their own. One that several
  // have, with the same bounds, is one field. Where the part that is named has it not, nothing reads it, and it is not
  // written.
  void parts(const std::string& name, std::string& member, const std::map<std::string, Fields>& parts,
             std::string help);
  // Of a part's field, stated last: it is written whichever part is named, with its default where it is not read. Specs
  // that are kept have it so, and their hashes with them.
  void in_every_spec() { fields_.back().in_every_spec = true; }

  // Of the field stated last: only where `applies` says so does anything read it.
  void only_of(std::string belongs_to, std::function<bool()> applies);

  const std::vector<Field>& all() const { return fields_; }

  // Sets the members from `table`. An unknown key, a wrong type or an impossible value throws wrong_input with its
  // location and the nearest known name. `owner` names the table in messages ("task 'copy'"). Keys in `reserved` are
  // passed over.
  void read(const ValueTable& table, const std::string& owner, const std::vector<std::string>& reserved = {}) const;

  std::optional<IdleSetting> idle() const;  // of what has been read; the first that is one

  ValueTable write() const;  // every field that is not left open, with its present value; of parts, see parts()

 private:
  using Words = std::vector<std::pair<std::string, int>>;  // with the enumerator's number

  template <class Enum>
  static Words words_of(Choices<Enum> choices) {
    Words words;
    for (const auto& [word, value] : choices) words.emplace_back(word, static_cast<int>(value));
    return words;
  }

  static Field of_parts(const std::string& name, const std::string& of, const std::string& member,
                        const std::map<std::string, Fields>& parts);

  // Of a member of any enumeration: compiled once, not for each of them.
  void choice_of_words(std::string name, Words words, std::string help, void* member,
                       std::optional<int> (*get)(const void*), void (*set)(void*, int));

  std::vector<Field> fields_;
};

}  // namespace fovea
