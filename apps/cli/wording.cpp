#include "apps/cli/wording.h"

#include <fmt/format.h>

namespace fovea::cli {

namespace {

constexpr std::string_view program_words[] = {
    "",  // a sentence of its own
#define REMEDY(code, plain, program, python) program,
#include "fovea/base/error/remedies.inc"
#undef REMEDY
};

class ProgramWording : public Wording {
 public:
  std::string location(const Location& location) const override {
    if (location.kind == Location::Kind::setting) return "--set " + location.file;
    if (location.kind == Location::Kind::argument) return "--" + location.file;
    return location.text();
  }

 private:
  std::string_view words(Remedy::Code code) const override { return program_words[static_cast<std::size_t>(code)]; }
  // A run is trained again from its spec: one setting alone would leave out its others.
  std::string coded(const Remedy& remedy) const override {
    const auto* const run = remedy.arguments.size() > 2 ? remedy.arguments[2].as<std::int64_t>() : nullptr;
    if (!run || remedy.code != Remedy::Code::train_again_with) return Wording::coded(remedy);
    return fmt::format("{} {}", Wording::coded(Remedy::train_anew(*run)),
                       setting(*remedy.arguments[0].as<std::string>(), remedy.arguments[1]));
  }
  // --set train.keep_weights=always, in quotes where a shell would take it apart.
  std::string setting(const std::string& name, const Value& value) const override {
    const std::string* const text = value.as<std::string>();
    const std::string words = name + "=" + (text ? *text : value.text());
    const bool plain = words.find_first_of(" \"'[]{}") == std::string::npos;
    return plain ? "--set " + words : "--set '" + words + "'";
  }
};

}  // namespace

const Wording& program_wording() {
  static const ProgramWording wording;
  return wording;
}

}  // namespace fovea::cli
