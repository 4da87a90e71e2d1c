// Location: the file, line and column, the setting or the argument that an error is about (room base/error). Error and
// Value carry it; the readers of specs and files create it.
#pragma once

#include <string>
#include <utility>

namespace fovea {

struct Location {
  enum class Kind {
    file,      // of a file: its path, and line and column where they are known
    setting,   // a setting given beside the spec: "task.vocab=60", or its name alone
    argument,  // an argument of what was asked for, by its name: "sort"
    spec,      // a spec that a program made: its name; its lines mean nothing to a person
  };

  std::string file;
  int line = 0;  // line and column count from 1; 0 means unknown
  int column = 0;
  Kind kind = Kind::file;

  static Location setting(std::string words) { return {std::move(words), 0, 0, Kind::setting}; }
  static Location argument(std::string name) { return {std::move(name), 0, 0, Kind::argument}; }

  bool known() const { return !file.empty(); }

  // "copy.toml:3:9", "copy.toml", "task.vocab=60", or ""
  std::string text() const {
    if (!known() || line == 0 || kind == Kind::spec) return file;
    const std::string text = file + ':' + std::to_string(line);
    return column > 0 ? text + ':' + std::to_string(column) : text;
  }
};

}  // namespace fovea
