#include "python/src/wording.h"

#include <cctype>
#include <regex>
#include <string_view>
#include <utility>
#include <vector>

namespace fovea::python {

namespace {

using Rule = std::pair<std::regex, const char*>;

std::string by_rules(std::string text, const std::vector<Rule>& rules) {
  for (const auto& [words, instead] : rules) text = std::regex_replace(text, words, instead);
  return text;
}

bool in_a_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

// { hold = "uniform" } of TOML as the dict {"hold": "uniform"}; what stands in quotes stays.
std::string with_dicts(std::string_view text) {
  std::string out;
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') quoted = !quoted;
    if (!quoted && text.substr(i, 2) == "{ ") {
      ++depth, ++i, out += c;
    } else if (!quoted && depth > 0 && text.substr(i, 2) == " }") {
      --depth, ++i, out += '}';
    } else if (!quoted && depth > 0 && in_a_word(c) && !in_a_word(out.back())) {
      std::size_t end = i;
      while (end < text.size() && in_a_word(text[end])) ++end;
      const std::string_view word = text.substr(i, end - i);
      if (text.substr(end, 3) == " = ") {
        ((out += '"') += word) += "\": ";
        i = end + 2;
      } else {
        out += word;
        i = end - 1;
      }
    } else {
      out += c;
    }
  }
  return out;
}

Rule rule(const char* words, const char* instead) { return {std::regex(words), instead}; }

// In their order: the particular before the general.
const std::vector<Rule>& of_commands() {
  static const std::vector<Rule> all{
      rule("[`']?\\bfovea runs\\b[`']?", "fovea.store().runs()"),
      rule("[`']?\\bfovea list (tasks|models|probes|settings|experiments)\\b[`']?", "fovea.describe(\"$1\")"),
      rule("[`']?\\bfovea show RUN\\b[`']?", "run.metrics and run.spec"),
      rule("[`']?\\bfovea show\\b[`']?", "run.metrics"),
      rule("--set (train)\\.([\\w]+)=([A-Za-z][\\w-]*)", "$2=\"$3\""),
      rule("--set (\\w+)\\.([\\w]+)=([A-Za-z][\\w-]*)", "set={\"$1.$2\": \"$3\"}"),
      rule("--set ([\\w.]+)=([-+.\\w]+)", "set={\"$1\": $2}"),
      rule("--draws ([0-9]+), or draws = [0-9]+ to the sweep", "draws=$1"),
      rule("--seeds 0\\.\\.19", "seeds=range(20)"),
      rule("; --again trains it again", "; fovea.run trains it again"),
      rule("^--sort$", "sort="),
  };
  return all;
}

const std::vector<Rule>& of_spec_files() {
  static const std::vector<Rule> all{
      rule("^add (\\w+) = \\{ name = \"…\" \\}$", "add \"$1\": {\"name\": \"…\"} to the dict"),
      rule("^(add|write|drop) (\\w+) = (.*)$", "$1 \"$2\": $3"),
      rule("(, as in|^use|, or use|set) ([a-z_.]+) = (\"[^\"]*\"|[0-9.]+)", "$1 \"$2\": $3"),
      rule("\\[\\[(\\w+)\\]\\]", "\"$1\": [{…}, …]"),
      rule("\\btrue or false\\b", "True or False"),
      rule("\\((true)\\)", "(True)"),
      rule("\\((false)\\)", "(False)"),
      rule("\\ba list of tables\\b", "a list of dicts"),
      rule("must be a table\\b", "must be a dict"),
      rule("not a table\\b", "not a dict"),
      rule("make it a table\\b", "make it a dict"),
  };
  return all;
}

}  // namespace

std::string in_python(const std::string& text) {
  return with_dicts(by_rules(by_rules(text, of_commands()), of_spec_files()));
}

Error in_python(const Error& error) {
  const Place& place = error.place();
  const auto said = [&error](auto&& word, const Place& where) {
    return Error(error.kind(), word(error.problem()), word(error.remedy()), where);
  };
  const auto command = [](const std::string& text) { return by_rules(text, of_commands()); };
  const auto all = [](const std::string& text) { return in_python(text); };
  if (place.file.starts_with("--")) return said(all, {command(place.file), 0, 0});
  if (place.file == "python") return said(all, {});  // a dict without a name
  if (place.file.find_first_of("./") == std::string::npos) return said(all, {place.file, 0, 0});  // one with
  return place.line > 0 ? said(command, place) : said(all, place);
}

}  // namespace fovea::python
