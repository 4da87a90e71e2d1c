// Wording turns an Error into text (room base/error). The program (apps/cli/wording.h) and the Python package
// (python/src/wording.h) override its words. The page and what() use the plain words of this class. The words of all
// remedies are in base/error/remedies.inc.
#pragma once

#include <string>
#include <string_view>

#include "fovea/base/error/error.h"

namespace fovea {

class Wording {
 public:
  virtual ~Wording() = default;

  std::string problem(const Error& error) const { return at(error.location()).message(error.problem()); }
  std::string remedy(const Error& error) const { return at(error.location()).remedy(error.remedy()); }
  std::string paragraph(const Error& error) const;  // location, problem, remedy

  std::string message(const Message& message) const;
  std::string remedy(const Remedy& remedy) const;
  virtual std::string location(const Location& location) const { return location.text(); }

 protected:
  // Some locations have words of their own for what is wrong.
  virtual const Wording& at(const Location&) const { return *this; }
  // Of a remedy, with what stands for its arguments; empty: the plain ones.
  virtual std::string_view words(Remedy::Code) const { return {}; }
  // How a setting is set.
  virtual std::string setting(const std::string& name, const Value& value) const;
  virtual std::string kind(ValueKind kind) const { return name_of(kind); }
  virtual std::string literal(const Value& value) const { return value.text(); }
  virtual std::string entry(const std::string& key, const Value& value) const;
  virtual std::string tables(const std::string& key) const;
  virtual std::string coded(const Remedy& remedy) const;

 private:
  std::string argument(const Value& value) const;  // as it stands in a sentence: texts without quotes
  std::string arguments_from(const Remedy& remedy, std::size_t number) const;  // with commas between them
};

const Wording& plain_wording();

}  // namespace fovea
