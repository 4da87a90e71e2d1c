// The house stands as fovea/rooms.txt says: a room includes only itself and the rooms above it in that list, no headers
// include each other in a circle, no room is a heap, and docs/developers/architecture.md has the same list. Comments
// are held to the width of a line, as clang-format leaves them alone: it would run the lines of an equation together.
// The files of a floor are compiled as one unit. So no constant of a file has the name of a header's.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/house/source_tree.h"

namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_files = 28;   // of a room
constexpr std::size_t most_lines = 400;  // of a file
constexpr std::ptrdiff_t most_columns = 120;

struct Room {
  std::string name, holds;
  bool operator==(const Room&) const = default;
};

std::vector<Room> rooms_matching(const fs::path& file, const std::regex& row) {
  std::ifstream in(file);
  std::vector<Room> rooms;
  for (std::string line; std::getline(in, line);) {
    std::smatch match;
    if (std::regex_match(line, match, row)) rooms.push_back({match[1], match[2]});
  }
  return rooms;
}

std::vector<Room> listed_rooms() { return rooms_matching(root / "fovea/rooms.txt", std::regex(R"(([a-z/]+) +(.*))")); }

struct File {
  std::string path, room;  // "fovea/lab/store/store.h", "lab/store"
  std::size_t lines = 0;
  std::vector<std::string> includes;  // of ours
  std::vector<std::size_t> too_wide;  // lines that are no more than a comment, from 1
};

// Whether a line is a comment that is wider than a line of code may be. A letter is one column, however many bytes.
bool is_wide_comment(const std::string& line) {
  const auto columns = std::ranges::count_if(line, [](char c) { return (c & 0xC0) != 0x80; });
  return columns > most_columns && line.find("//") == line.find_first_not_of(' ');
}

File read_file(const fs::path& path) {
  File file{fs::relative(path, root).string(), fs::relative(path.parent_path(), root / "fovea").string(), 0, {}, {}};
  const std::regex include(R"re(^\s*#\s*include\s*"((?:fovea|apps|tests|bench|python)/[^"]+)".*)re");
  std::ifstream in(path);
  for (std::string line; std::getline(in, line); ++file.lines) {
    std::smatch match;
    if (std::regex_match(line, match, include)) file.includes.push_back(match[1]);
    if (is_wide_comment(line)) file.too_wide.push_back(file.lines + 1);
  }
  return file;
}

// The constants that a line at the left margin defines, as `constexpr Index grain = 32, widest = 8;` does.
std::set<std::string> constants_in(const std::string& line) {
  static const std::regex definition(R"(^(?:inline )?(?:constexpr|const) [^(]*)");
  static const std::regex constant(R"( (\w+)(?:\[\w*\])?(?: =|\{))");
  std::set<std::string> names;
  std::smatch start;
  if (!std::regex_search(line, start, definition)) return names;
  const std::string text = start[0];
  for (std::sregex_iterator found(text.begin(), text.end(), constant), end; found != end; ++found)
    names.insert((*found)[1]);
  return names;
}

std::set<std::string> constants_of(const fs::path& file) {
  std::set<std::string> names;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) names.merge(constants_in(line));
  return names;
}

std::vector<File> read_files() {
  std::vector<File> files;
  for (const auto& entry : fs::recursive_directory_iterator(root / "fovea"))
    if (entry.path().extension() == ".h" || entry.path().extension() == ".cpp")
      files.push_back(read_file(entry.path()));
  std::ranges::sort(files, {}, &File::path);
  return files;
}

const std::vector<File>& library() {
  static const std::vector<File> files = read_files();
  return files;
}

// What `file` includes of rooms that come after its own in the list, or of the program and the tests.
std::vector<std::string> upward_includes(const File& file, const std::vector<Room>& rooms) {
  const auto level = [&](const std::string& name) { return std::ranges::find(rooms, name, &Room::name); };
  std::vector<std::string> wrong;
  for (const std::string& include : file.includes) {
    const bool ours = include.starts_with("fovea/");
    if (!ours || level(fs::path(include.substr(6)).parent_path()) > level(file.room)) wrong.push_back(include);
  }
  return wrong;
}

// The first circle of includes among the files, from a file back to itself; empty where there is none.
std::vector<std::string> circle(const std::map<std::string, std::vector<std::string>>& includes) {
  std::set<std::string> done;
  std::vector<std::string> way;
  const std::function<bool(const std::string&)> visit = [&](const std::string& file) {
    const auto before = std::ranges::find(way, file);
    if (before != way.end()) {
      way.erase(way.begin(), before);
      way.push_back(file);
      return true;
    }
    if (done.contains(file)) return false;
    way.push_back(file);
    if (const auto found = includes.find(file); found != includes.end())
      for (const std::string& next : found->second)
        if (visit(next)) return true;
    way.pop_back();
    done.insert(file);
    return false;
  };
  for (const auto& entry : includes)
    if (visit(entry.first)) return way;
  return {};
}

TEST(Rooms, AreTheFoldersThatAreThere) {
  std::set<std::string> there, listed;
  for (const File& file : library()) there.insert(file.room);
  for (const Room& room : listed_rooms()) listed.insert(room.name);
  EXPECT_EQ(there, listed);
}

TEST(Rooms, AreThoseOfTheDocument) {
  const std::vector<Room> documented =
      rooms_matching(root / "docs/developers/architecture.md", std::regex(R"(\| `([a-z/]+)` \| (.*) \|)"));
  const std::vector<Room> listed = listed_rooms();
  ASSERT_EQ(documented.size(), listed.size());
  for (std::size_t i = 0; i < listed.size(); ++i) EXPECT_EQ(documented[i], listed[i]) << listed[i].name;
}

TEST(Rooms, NoIncludeRunsUp) {
  const std::vector<Room> rooms = listed_rooms();
  ASSERT_GT(library().size(), 300u);
  for (const File& file : library())
    for (const std::string& include : upward_includes(file, rooms)) ADD_FAILURE() << file.path << " -> " << include;
}

// The library holds no room marked (tests).
TEST(Rooms, OfTestsAreIncludedByNoOther) {
  const auto of_tests = [](const Room& room) { return room.holds.ends_with("(tests)"); };
  std::vector<Room> rooms = listed_rooms();
  EXPECT_EQ(std::ranges::count_if(rooms, of_tests), 1);
  for (const Room& room : rooms)
    for (const File& file : library())
      for (const std::string& include : file.includes)
        if (of_tests(room) && file.room != room.name && include.starts_with("fovea/" + room.name + "/"))
          ADD_FAILURE() << file.path << " -> " << include;
}

TEST(Rooms, AnIncludeThatRunsUpIsSeen) {
  const File file{
      "fovea/nn/x.h", "nn", 0, {"fovea/base/error/error.h", "fovea/model/model.h", "apps/cli/command.h"}, {}};
  EXPECT_EQ(upward_includes(file, listed_rooms()),
            (std::vector<std::string>{"fovea/model/model.h", "apps/cli/command.h"}));
}

TEST(Rooms, NoHeadersIncludeEachOtherInACircle) {
  std::map<std::string, std::vector<std::string>> includes;
  for (const File& file : library())
    if (file.path.ends_with(".h")) includes[file.path] = file.includes;
  const std::vector<std::string> found = circle(includes);
  EXPECT_TRUE(found.empty()) << testing::PrintToString(found);
}

TEST(Rooms, ACircleIsSeen) {
  EXPECT_EQ(circle({{"a", {"b"}}, {"b", {"c", "d"}}, {"c", {}}, {"d", {"b"}}}),
            (std::vector<std::string>{"b", "d", "b"}));
  EXPECT_TRUE(circle({{"a", {"b", "c"}}, {"b", {"c"}}, {"c", {}}}).empty());
}

TEST(Rooms, NoCommentIsWiderThanALine) {
  for (const File& file : library())
    for (const std::size_t line : file.too_wide) ADD_FAILURE() << file.path << ':' << line;
  EXPECT_TRUE(is_wide_comment("  // " + std::string(116, 'x')));
  EXPECT_FALSE(is_wide_comment("  // " + std::string(114, 'x') + "β"));
  EXPECT_FALSE(is_wide_comment(std::string(121, 'x') + "  // what is not a comment alone"));
}

// Otherwise another file of the unit, which includes the header, uses the constant of the file. No compiler warns of it.
TEST(Rooms, NoConstantOfAFileHidesOneOfAHeader) {
  std::map<std::string, std::string> of_headers;
  for (const File& file : library())
    if (file.path.ends_with(".h"))
      for (const std::string& name : constants_of(root / file.path)) of_headers.emplace(name, file.path);
  EXPECT_GT(of_headers.size(), 40u);
  for (const File& file : library())
    if (file.path.ends_with(".cpp"))
      for (const std::string& name : constants_of(root / file.path))
        if (const auto hidden = of_headers.find(name); hidden != of_headers.end())
          ADD_FAILURE() << file.path << " defines " << name << ", as " << hidden->second << " does";
  using Names = std::set<std::string>;
  EXPECT_EQ(constants_in("inline constexpr Index rows_grain = 32, part_chunks = 4;  // rows"),
            (Names{"rows_grain", "part_chunks"}));
  EXPECT_EQ(constants_in("constexpr std::array<Name, 2> names{{"), Names{"names"});
  EXPECT_EQ(constants_in("constexpr double half(double x = 2) {"), Names{});
  EXPECT_EQ(constants_in("  const Index N = 3;"), Names{});
}

TEST(Rooms, NoFileBesideTheLibraryIsLongEither) {
  const std::set<std::string> kinds = {".h", ".cpp", ".py", ".ts", ".tsx", ".css", ".mjs"};
  std::size_t count = 0;
  for (const char* const folder :
       {"apps", "bench", "examples", "python/fovea", "python/src", "scripts", "tests", "web/src"})
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      if (!kinds.contains(entry.path().extension())) continue;
      ++count;
      std::ifstream in(entry.path());
      const auto lines = std::count(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>(), '\n');
      EXPECT_LE(static_cast<std::size_t>(lines), most_lines) << fs::relative(entry.path(), root).string();
    }
  EXPECT_GT(count, 300u);
}

TEST(Rooms, NoneIsAHeapAndNoFileIsLong) {
  struct Size {
    std::size_t files = 0, lines = 0;
  };
  std::map<std::string, Size> sizes;
  std::map<std::string, std::set<std::string>> arrows;
  for (const File& file : library()) {
    ++sizes[file.room].files;
    sizes[file.room].lines += file.lines;
    EXPECT_LE(file.lines, most_lines) << file.path;
    for (const std::string& include : file.includes) {
      const std::string other = fs::path(include.substr(6)).parent_path();
      if (other != file.room) arrows[file.room].insert(other);
    }
  }
  for (const Room& room : listed_rooms()) {
    const Size size = sizes[room.name];
    EXPECT_LE(size.files, most_files) << room.name;
    std::cout << room.name << ": " << size.files << " files, " << size.lines << " lines; includes";
    for (const std::string& other : arrows[room.name]) std::cout << ' ' << other;
    std::cout << '\n';
  }
}

}  // namespace
