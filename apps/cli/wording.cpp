#include "apps/cli/wording.h"

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
