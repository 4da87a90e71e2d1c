#include "fovea/serve/bets.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "fovea/base/error/error.h"

namespace fovea {

namespace {

constexpr std::uint64_t last_step = 1'000'000'000;

const char* const how_to_bet = R"(post {"question": "scene=weather", "browser": "1f0c", "steps": [30, null]})";

std::string short_text(const Json& bet, const char* name) {
  const auto found = bet.find(name);
  const std::string text = found != bet.end() && found->is_string() ? found->get<std::string>() : std::string();
  if (text.empty() || text.size() > Bets::longest_text)
    throw wrong_input(fmt::format("'{}' of the bet is no text of 1 to {} bytes", name, Bets::longest_text), how_to_bet);
  return text;
}

}  // namespace

Json Bets::take(std::string_view json) {
  const Json bet = parse_json(json);
  if (!bet.is_object()) throw wrong_input("the bet is no JSON object", how_to_bet);
  const std::string name = short_text(bet, "question"), browser = short_text(bet, "browser");
  const auto given = bet.find("steps");
  if (given == bet.end() || !given->is_array() || given->empty() || given->size() > most_flags)
    throw wrong_input(fmt::format("'steps' of the bet is no list of 1 to {} steps", most_flags), how_to_bet);
  Steps steps;
  for (const Json& step : *given) {
    if (!step.is_null() && !(step.is_number_unsigned() && step.get<std::uint64_t>() <= last_step))
      throw wrong_input("'steps' of the bet has something that is neither a step nor null", how_to_bet);
    steps.push_back(step.is_null() ? std::nullopt : std::optional(step.get<std::int64_t>()));
  }
  Question question{name, {}};
  if (const auto found = std::ranges::find(questions_, name, &Question::name); found != questions_.end()) {
    question = std::move(*found);
    questions_.erase(found);
  } else if (questions_.size() == most_questions) {
    questions_.pop_front();
  }
  Question& newest = questions_.emplace_back(std::move(question));
  if (const auto own = std::ranges::find(newest.bets, browser, &Bet::browser); own != newest.bets.end())
    own->steps = std::move(steps);
  else if (newest.bets.size() < most_browsers) newest.bets.push_back({browser, std::move(steps)});
  else
    throw wrong_input(fmt::format("{} browsers have bet, and no more are counted", most_browsers),
                      "restart the server to count others");
  return json_of(newest);
}

Json Bets::of(const std::string& question) const {
  const auto found = std::ranges::find(questions_, question, &Question::name);
  return json_of(found == questions_.end() ? Question{question, {}} : *found);
}

Json Bets::json_of(const Question& question) {
  Json bets = Json::array();
  for (const Bet& bet : question.bets) {
    Json steps = Json::array();
    for (const std::optional<std::int64_t>& step : bet.steps) steps.push_back(step ? Json(*step) : Json());
    bets.push_back(std::move(steps));
  }
  return {{"question", question.name}, {"bets", std::move(bets)}};
}

}  // namespace fovea
