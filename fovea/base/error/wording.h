// How somebody who uses the library says what it leaves open: one table each for the program, the Python package and
// the page. The page has neither commands nor calls, so its words are the plain ones, which what() has too.
#pragma once

#include <string>

#include "fovea/base/error/error.h"

namespace fovea {

class Wording {
 public:
  virtual ~Wording() = default;

  std::string problem(const Error& error) const { return at(error.place()).message(error.problem()); }
  std::string remedy(const Error& error) const { return at(error.place()).remedy(error.remedy()); }
  std::string paragraph(const Error& error) const;  // place, problem, remedy

  std::string message(const Message& message) const;
  std::string remedy(const Remedy& remedy) const;
  virtual std::string place(const Place& place) const { return place.text(); }

 protected:
  // What is wrong at some places is said in other words than at others.
  virtual const Wording& at(const Place&) const { return *this; }
  virtual std::string kind(ValueKind kind) const { return name_of(kind); }
  virtual std::string literal(const Value& value) const { return value.text(); }
  virtual std::string entry(const std::string& key, const Value& value) const;
  virtual std::string tables(const std::string& key) const;
  // The table: one case a code.
  virtual std::string coded(const Remedy& remedy) const = 0;
};

const Wording& plain_wording();

// An argument of a code as it stands in a sentence: texts without quotes. "" where there are not so many.
std::string argument(const Remedy& remedy, std::size_t number);
// All from there on, with commas between them.
std::string arguments_from(const Remedy& remedy, std::size_t number);
// What to say of find_corpus and find_public_corpus first: the nearest name as a question, or all that are known.
std::string suggestion(const Remedy& remedy);

}  // namespace fovea
