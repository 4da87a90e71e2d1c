// The engine of the page (folder apps/wasm): one function that takes a question as JSON and gives an answer as JSON.
// The page's worker (web/src) calls it. docs/developers/engine.md lists the questions; own_data.cpp, parts.cpp,
// toy.cpp and training.cpp answer them.
#include <fmt/format.h>

#include <map>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "apps/wasm/question.h"
#include "apps/wasm/room.h"
#include "fovea/base/error/wording.h"
#include "fovea/io/toml_reader.h"
#include "fovea/lab/experiment/unresolved_spec.h"
#include "fovea/lab/spec/assembly.h"

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

// Settings and locations as a person at the page knows them: "task.length", and no line of a spec that the page wrote.
Json error_json(const Error& error) {
  const Wording& words = plain_wording();
  const Location& location = error.location();
  Json json{{"problem", words.problem(error)}, {"remedy", words.remedy(error)}};
  if (location.kind == Location::Kind::setting) json["setting"] = location.file;
  else if (location.known() && location.kind != Location::Kind::spec) json["place"] = words.location(location);
  return json;
}

std::string last_answer;
std::vector<std::byte> attached;

}  // namespace

Question::Question(const std::string& name, Answer answer) { questions()[name] = answer; }

std::string text_of(const Json& ask, const char* name, const std::string& otherwise) {
  const auto found = ask.find(name);
  return found == ask.end() ? otherwise : found->get<std::string>();
}

RunSpec spec_of(const Json& ask) {
  const Location page{"the page's spec", 0, 0, Location::Kind::spec};
  const Experiment experiment = experiment_from_table(table_from_json(ask.at("spec"), page), page);
  std::vector<Override> overrides;
  for (const auto& [name, typed] : ask.at("set").items())
    overrides.push_back({name, parse_value(typed.get<std::string>(), Location::setting(name))});
  ResolvedRun run = complete(unresolved_spec(experiment, Preset::full, overrides, ask.at("seed").get<std::uint64_t>()));
  refuse_without_room(run.spec());
  check_fit(run);
  return run.spec();
}

Json attach(std::span<const std::byte> bytes) {
  constexpr std::size_t aligned = 8;
  const std::size_t at = (attached.size() + aligned - 1) / aligned * aligned;
  attached.resize(at);
  attached.insert(attached.end(), bytes.begin(), bytes.end());
  return {{"at", at}, {"bytes", bytes.size()}};
}

}  // namespace fovea::page

// The answer, and what is attached to it, stay where they are until the next question.
extern "C" const char* fovea_ask(const char* question) {
  using namespace fovea;
  Json json;
  page::attached.clear();
  try {
    json = page::answer(parse_json(question));
  } catch (const Error& error) {
    json = {{"error", page::error_json(error)}};
  } catch (const std::bad_alloc&) {
    json = {{"error", page::error_json(page::no_room())}};
  } catch (const std::exception& error) {
    json = {{"error", {{"problem", error.what()}, {"remedy", ""}}}};
  }
  page::last_answer = json_text(json);
  return page::last_answer.c_str();
}

extern "C" const std::byte* fovea_attached() { return fovea::page::attached.data(); }
extern "C" std::size_t fovea_attached_size() { return fovea::page::attached.size(); }
