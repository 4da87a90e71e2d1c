// Reads the keys and values of an experiment file (room lab/experiment). The readers of this room and lab/analysis
// (findings, kept results) call it. All functions throw wrong_input with the value's location.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>

#include "fovea/base/error/error.h"
#include "fovea/base/error/value.h"

namespace fovea {

// What a key of a table does with its value.
using Keys = std::map<std::string, std::function<void(const Value&)>>;

void read_keys(const ValueTable& table, const std::string& owner, const Keys& keys);
// The same. `otherwise`: what to do about a key that is near none, in place of a list of all keys.
void read_keys(const ValueTable& table, const std::string& owner, const Remedy& otherwise, const Keys& keys);

template <class T>
const T& take(const Value& value, const std::string& key, const Message& wanted, Remedy remedy = {}) {
  const T* const x = value.as<T>();
  if (!x)
    throw wrong_input(message("'{}' must be {}, not {} ({})", key, wanted, value.kind(), value),
                      remedy.empty() ? Remedy(message("make it {}", wanted)) : std::move(remedy), value.location);
  return *x;
}

std::string take_text(const Value& value, const std::string& key);
double take_number(const Value& value, const std::string& key);

}  // namespace fovea
