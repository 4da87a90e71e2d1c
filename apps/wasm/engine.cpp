// The engine as the page's worker knows it: one function that takes a question as JSON and gives an answer as JSON
// (docs/page.md lists them).
#include <fmt/format.h>

#include <map>
#include <string>

#include "apps/wasm/question.h"
#include "fovea/base/error.h"

namespace fovea::page {

namespace {

std::map<std::string, Answer>& questions() {
  static std::map<std::string, Answer> all;
  return all;
}

Json answer(const Json& ask) {
  const std::string name = text_of(ask, "ask");
  const auto found = questions().find(name);
  if (found == questions().end()) throw wrong_input(fmt::format("the engine does not know '{}'", name));
  return found->second(ask);
}

std::string last_answer;

}  // namespace

Question::Question(const std::string& name, Answer answer) { questions()[name] = answer; }

std::string text_of(const Json& ask, const char* name, const std::string& otherwise) {
  const auto found = ask.find(name);
  return found == ask.end() ? otherwise : found->get<std::string>();
}

}  // namespace fovea::page

// The answer stays where it is until the next question.
extern "C" const char* fovea_ask(const char* question) {
  using namespace fovea;
  Json json;
  try {
    json = page::answer(Json::parse(question));
  } catch (const Error& error) {
    json = {{"error", {{"problem", error.problem()}, {"remedy", error.remedy()}}}};
    if (error.place().known()) json["error"]["place"] = error.place().text();
  } catch (const std::exception& error) {
    json = {{"error", {{"problem", error.what()}, {"remedy", ""}}}};
  }
  page::last_answer = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  return page::last_answer.c_str();
}
