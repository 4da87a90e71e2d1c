// What the documents point to is there: every file they link to or name, and every function in the file that its link
// names.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "tests/house/source_tree.h"

namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& path) {
  std::ifstream in(path);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

std::vector<fs::path> documents() {
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(root))
    if (entry.path().extension() == ".md") found.push_back(entry.path());
  for (const auto& entry : fs::recursive_directory_iterator(root / "docs"))
    if (entry.path().extension() == ".md") found.push_back(entry.path());
  std::ranges::sort(found);
  return found;
}

// The names that a text in backticks is made of: "A::b" of "A" and "b". Empty where it is no name of the code.
std::vector<std::string> names_in(const std::string& code) {
  if (!std::regex_match(code, std::regex("[\\w-]+(::\\w+)*"))) return {};
  std::vector<std::string> names;
  const std::regex name("[\\w-]+");
  for (std::sregex_iterator i(code.begin(), code.end(), name); i != std::sregex_iterator(); ++i)
    names.push_back(i->str());
  return names;
}

// What a document in `folder` points to that is not there.
std::vector<std::string> dangling(const std::string& text, const fs::path& folder) {
  std::vector<std::string> wrong;
  // [text](path), or [`name`](path), with or without a place in it.
  const std::regex link(R"re(\[(`([^`\]]*)`)?[^\]]*\]\(([^)#\s]+)(#[^)]*)?\))re");
  for (std::sregex_iterator i(text.begin(), text.end(), link); i != std::sregex_iterator(); ++i) {
    const std::string path = (*i)[3], code = (*i)[2];
    if (path.find("://") != std::string::npos || path.starts_with("mailto:")) continue;
    const fs::path file = folder / path;
    if (!fs::exists(file)) {
      wrong.push_back(path);
      continue;
    }
    if (file.extension() != ".h" && file.extension() != ".cpp") continue;
    const std::string source = text_of(file);
    for (const std::string& name : names_in(code))
      if (!std::regex_search(source, std::regex("\\b" + name + "\\b"))) wrong.push_back(path + " has no " + name);
  }
  // `fovea/nn/loss.h`; NAME stands for any.
  const std::regex named(R"re(`((?:fovea|apps|tests|bench|python|cmake|scripts)/[\w./-]*)`)re");
  for (std::sregex_iterator i(text.begin(), text.end(), named); i != std::sregex_iterator(); ++i)
    if (const std::string path = (*i)[1]; path.find("NAME") == std::string::npos && !fs::exists(root / path))
      wrong.push_back(path);
  return wrong;
}

TEST(Documents, PointToWhatIsThere) {
  ASSERT_GT(documents().size(), 30u);
  for (const fs::path& document : documents())
    for (const std::string& target : dangling(text_of(document), document.parent_path()))
      ADD_FAILURE() << fs::relative(document, root).string() << ": " << target;
}

TEST(Documents, WhatIsNotThereIsSeen) {
  const std::string text =
      "[`lstm_step`](../fovea/nn/reference/lstm.cpp) [`lstm_stop`](../fovea/nn/reference/lstm.cpp) [x](../fovea/no.h)\n"
      "[page](glossary.md#data) [web](https://example.org/no) `fovea/nn/loss.h` `fovea/nn/lost.h` "
      "`fovea/NAME.h`";
  EXPECT_EQ(dangling(text, root / "docs"), (std::vector<std::string>{"../fovea/nn/reference/lstm.cpp has no lstm_stop",
                                                                     "../fovea/no.h", "fovea/nn/lost.h"}));
}

}  // namespace
