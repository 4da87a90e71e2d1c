#include "fovea/base/error.h"

#include <utility>

namespace fovea {

namespace {

// One short paragraph: place, problem, remedy.
std::string paragraph(const std::string& problem, const std::string& remedy, const Place& place) {
  std::string text = place.known() ? place.text() + ": " : std::string();
  text += problem;
  text += '.';
  if (remedy.empty()) return text;
  text += ' ';
  const std::size_t start = text.size();
  text += remedy;
  if (text[start] >= 'a' && text[start] <= 'z') text[start] = static_cast<char>(text[start] - 'a' + 'A');
  if (text.back() != '?' && text.back() != '.') text += '.';
  return text;
}

}  // namespace

std::string Place::text() const {
  if (!known()) return {};
  if (line == 0) return file;
  std::string text = file + ':' + std::to_string(line);
  if (column > 0) text += ':' + std::to_string(column);
  return text;
}

Error::Error(Kind kind, std::string what, std::string remedy, Place place)
    : std::runtime_error(paragraph(what, remedy, place)),
      kind_(kind),
      problem_(std::move(what)),
      remedy_(std::move(remedy)),
      place_(std::move(place)) {}

Error wrong_input(std::string what, std::string remedy, Place place) {
  return {Error::Kind::wrong_input, std::move(what), std::move(remedy), std::move(place)};
}

Error failure(std::string what, std::string remedy, Place place) {
  return {Error::Kind::failure, std::move(what), std::move(remedy), std::move(place)};
}

}  // namespace fovea
