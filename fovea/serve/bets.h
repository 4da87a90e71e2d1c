// Bets of a class: what each visitor bet on a question of the page, as steps (room serve). api.h of this room has
// them. They are in memory while the server runs, and have no names. A browser is recognised by a word of its own
// choice, so it can change its bet.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fovea/lab/record/json.h"

namespace fovea {

class Bets {
 public:
  // What is kept at most. Another question takes the place of the one that was bet on least recently.
  static constexpr std::size_t most_questions = 32, most_browsers = 300, most_flags = 8, longest_text = 200;

  // From {"question": "scene=weather", "browser": "1f0c", "steps": [30, null]}, where null is no bet. Returns as of().
  // Throws wrong_input for another form, and if as many browsers as can be have bet.
  Json take(std::string_view json);

  // {"question": …, "bets": [[30, null], …]}, in the order in which they came.
  Json of(const std::string& question) const;

 private:
  using Steps = std::vector<std::optional<std::int64_t>>;
  struct Bet {
    std::string browser;
    Steps steps;
  };
  struct Question {
    std::string name;
    std::vector<Bet> bets;
  };
  static Json json_of(const Question& question);

  std::deque<Question> questions_;  // the least recently bet on first
};

}  // namespace fovea
