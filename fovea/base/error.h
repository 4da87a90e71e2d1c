// What went wrong, where, and what to do about it. Every error a person can meet is one of these.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace fovea {

// A place in a file the user wrote. Line and column count from 1; 0 means unknown.
struct Place {
  std::string file;
  int line = 0;
  int column = 0;

  bool known() const { return !file.empty(); }
  std::string text() const;  // "copy.toml:3:9", "copy.toml", or ""
};

class Error : public std::runtime_error {
 public:
  enum class Kind {
    wrong_input,  // the words, the spec or the data are wrong: exit 2
    failure,      // asked rightly, but it could not be done: exit 1
  };

  Error(Kind kind, std::string what, std::string remedy, Place place);

  Kind kind() const { return kind_; }
  int exit_code() const { return kind_ == Kind::wrong_input ? 2 : 1; }
  const Place& place() const { return place_; }
  const std::string& problem() const { return problem_; }
  const std::string& remedy() const { return remedy_; }

 private:
  Kind kind_;
  std::string problem_;
  std::string remedy_;
  Place place_;
};

// What stands in a message may be a name or a value of any size, with any bytes: overlong words and texts are cut in
// their middle, and control characters written out. Every Error has this done to what it says.
std::string fit_for_message(std::string_view text);

// `what` says what is wrong ("unknown key 'stepz' in train"), `remedy` what to do ("did you mean 'steps'?").
// Both are whole clauses without a final full stop.
[[nodiscard]] Error wrong_input(std::string what, std::string remedy = {}, Place place = {});
[[nodiscard]] Error failure(std::string what, std::string remedy = {}, Place place = {});

}  // namespace fovea
