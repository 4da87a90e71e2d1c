// The house stands as docs/architecture.md says: floors include only what lies under them, and the page and the tree
// agree.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;
const fs::path root = FOVEA_SOURCE_DIR;

// The floors in the order of the page's table, lowest first.
std::vector<std::string> documented_floors() {
  std::ifstream page(root / "docs/architecture.md");
  std::vector<std::string> floors;
  const std::regex row(R"(^\| `(\w+)/` \|.*)");
  for (std::string line; std::getline(page, line);) {
    std::smatch match;
    if (std::regex_match(line, match, row)) floors.push_back(match[1]);
  }
  return floors;
}

TEST(Floors, ThePageNamesTheFoldersThatAreThere) {
  std::vector<std::string> there;
  for (const auto& entry : fs::directory_iterator(root / "fovea"))
    if (entry.is_directory()) there.push_back(entry.path().filename());
  std::vector<std::string> said = documented_floors();
  std::sort(there.begin(), there.end());
  std::sort(said.begin(), said.end());
  EXPECT_EQ(there, said);
}

// Includes of `file` that go up: to a later floor, or from the library to the program or the tests.
std::vector<std::string> upward_includes(const fs::path& file, const std::string& floor,
                                         const std::vector<std::string>& floors) {
  const auto level = [&](const std::string& name) {
    return std::find(floors.begin(), floors.end(), name) - floors.begin();
  };
  std::vector<std::string> wrong;
  std::ifstream in(file);
  const std::regex include(R"(^\s*#\s*include\s*"(\w+)/(\w+).*)");
  for (std::string line; std::getline(in, line);) {
    std::smatch match;
    if (!std::regex_match(line, match, include)) continue;
    const bool ours = match[1] == "fovea" || match[1] == "apps" || match[1] == "tests" || match[1] == "bench";
    if (ours && (match[1] != "fovea" || level(match[2]) > level(floor))) wrong.push_back(file.string() + ": " + line);
  }
  return wrong;
}

TEST(Floors, NoIncludeRunsUp) {
  const std::vector<std::string> floors = documented_floors();
  ASSERT_GE(floors.size(), 8u);
  int files = 0;
  for (const std::string& floor : floors) {
    for (const auto& entry : fs::recursive_directory_iterator(root / "fovea" / floor)) {
      if (!entry.is_regular_file()) continue;
      ++files;
      for (const std::string& wrong : upward_includes(entry.path(), floor, floors)) ADD_FAILURE() << wrong;
    }
  }
  EXPECT_GT(files, 30);
}

TEST(Floors, AnIncludeThatRunsUpIsSeen) {
  const fs::path file = fs::temp_directory_path() / "fovea-floors-test.h";
  std::ofstream(file) << "#include \"fovea/base/error.h\"\n#include \"fovea/model/model.h\"\n";
  EXPECT_EQ(upward_includes(file, "nn", documented_floors()).size(), 1u);
  fs::remove(file);
}

}  // namespace
