// The class Error: what is wrong, where, and what to do (room base/error). Every room throws it, and every front end
// shows it. An Error is data. what() gives plain words; the program, the Python package and the page word it
// themselves (base/error/wording.h).
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "fovea/base/error/location.h"
#include "fovea/base/error/message.h"

namespace fovea {

class Error : public std::runtime_error {
 public:
  enum class Kind {
    wrong_input,  // the words, the spec or the data are wrong: exit 2
    failure,      // asked rightly, but it could not be done: exit 1
  };

  Error(Kind kind, Message what, Remedy remedy, Location location);

  Kind kind() const { return kind_; }
  int exit_code() const { return kind_ == Kind::wrong_input ? 2 : 1; }
  const Location& location() const { return location_; }
  const Message& problem() const { return problem_; }
  const Remedy& remedy() const { return remedy_; }

 private:
  Kind kind_;
  Message problem_;
  Remedy remedy_;
  Location location_;
};

// What stands in a message may be a name or a value of any size, with any bytes: overlong words and texts are cut in
// their middle, and control characters written out. Every message has this done to what it says.
std::string fit_for_message(std::string_view text);

// `limit` bytes of a text at most, more from its front than from its end.
std::string cut_in_middle(std::string_view text, std::size_t limit);

// `what` says what is wrong ("unknown key 'stepz' in train"), `remedy` what to do ("did you mean 'steps'?").
// Both are whole clauses without a final full stop.
[[nodiscard]] Error wrong_input(Message what, Remedy remedy = {}, Location location = {});
[[nodiscard]] Error failure(Message what, Remedy remedy = {}, Location location = {});

}  // namespace fovea
