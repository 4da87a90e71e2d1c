// The library speaks for no program: no text in it names a command or an option of `fovea`. Those are the program's own
// texts, and its column of the table of remedies.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "tests/house/source_tree.h"

namespace {

namespace fs = std::filesystem;

std::string read(const fs::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

struct Literal {
  std::size_t line;
  std::string text;  // as it stands in the source; neighbours that the compiler joins are joined
};

// The string literals of C++; comments and characters are passed over.
std::vector<Literal> literals(const std::string& source) {
  static const std::regex token(R"re(//[^\n]*|/\*[^]*?\*/|'(?:[^'\\\n]|\\.)+'|R"(\w*)\(|"((?:[^"\\\n]|\\.)*)")re");
  std::vector<Literal> found;
  std::size_t end = std::string::npos, line = 1, counted = 0, from = 0;
  std::smatch match;
  while (std::regex_search(source.begin() + static_cast<std::ptrdiff_t>(from), source.end(), match, token)) {
    const std::size_t begin = from + static_cast<std::size_t>(match.position());
    from = begin + static_cast<std::size_t>(match.length());
    std::string text = match[2].str();
    if (match[1].matched) {  // a raw one, up to its own end
      const std::string close = ')' + match[1].str() + '"';
      const std::size_t stop = source.find(close, from);
      text = source.substr(from, stop - from);
      from = stop + close.size();
    } else if (!match[2].matched) {
      continue;
    }
    for (; counted < begin; ++counted) line += source[counted] == '\n' ? 1 : 0;
    const bool joined = end != std::string::npos && source.find_first_not_of(" \n", end) == begin;
    if (joined) found.back().text += text;
    else found.push_back({line, text});
    end = from;
  }
  return found;
}

// The file of each command registers it by its name.
std::set<std::string> commands() {
  static const std::regex registration(R"re(Register<Command>\s+\w+\(\s*"([\w-]+)")re");
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(root / "apps/cli")) {
    const std::string source = read(entry.path());
    std::smatch match;
    if (std::regex_search(source, match, registration)) names.insert(match[1]);
  }
  return names;
}

// An option, or a command; "" where the text names neither. Properties of style sheets begin as options do.
std::string named_by(std::string text, const std::set<std::string>& commands) {
  static const std::regex property(R"(var\(--[\w-]+\)|--[\w-]+:)"), option(R"(--[a-z]+)"), command(R"(fovea ([\w-]+))");
  text = std::regex_replace(text, property, "");
  std::smatch match;
  if (std::regex_search(text, match, option)) return match[0];
  for (std::sregex_iterator at(text.begin(), text.end(), command), last; at != last; ++at)
    if (commands.contains((*at)[1])) return (*at)[0];
  return {};
}

TEST(Literals, OfTheLibraryNameNoCommandAndNoOption) {
  const std::set<std::string> known = commands();
  ASSERT_GT(known.size(), 15u);
  std::size_t count = 0;
  for (const auto& entry : fs::recursive_directory_iterator(root / "fovea")) {
    if (entry.path().extension() != ".h" && entry.path().extension() != ".cpp") continue;
    for (const Literal& literal : literals(read(entry.path()))) {
      ++count;
      const std::string named = named_by(literal.text, known);
      EXPECT_EQ(named, "") << fs::relative(entry.path(), root).string() << ':' << literal.line << ": " << literal.text;
    }
  }
  EXPECT_GT(count, 3000u);
}

// The table has the words of the program and of Python beside the plain ones, so that one row says a remedy. The
// library takes the plain column, of which tests/base/error/wording_test.cpp holds the same, and each of the others
// one.
TEST(Literals, OfRemediesAreTakenByWhoeverSaysThem) {
  static const std::regex use(R"re(#define REMEDY\(code, plain, program, python\) (\w+),\n#include "([^"]+)")re");
  const std::string table = "fovea/base/error/remedies.inc";
  std::map<std::string, std::string> columns;
  for (const char* const folder : {"fovea", "apps", "python/src"})
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      const std::string path = fs::relative(entry.path(), root).string();
      EXPECT_TRUE(entry.path().extension() != ".inc" || path == table || path == "fovea/base/old_names.inc") << path;
      if (entry.path().extension() != ".h" && entry.path().extension() != ".cpp") continue;
      const std::string source = read(entry.path());
      if (source.find("remedies.inc\"") == std::string::npos) continue;
      std::smatch match;
      EXPECT_TRUE(std::regex_search(source, match, use) && match[2] == table) << path;
      columns[path] = match[1];
    }
  EXPECT_EQ(columns, (std::map<std::string, std::string>{{"apps/cli/wording.cpp", "program"},
                                                         {"fovea/base/error/message.h", "code"},
                                                         {"fovea/base/error/wording.cpp", "plain"},
                                                         {"python/src/wording.cpp", "python"}}));
}

TEST(Literals, ThatNameThemAreSeen) {
  const std::set<std::string> known = commands();
  EXPECT_EQ(named_by("see: fovea runs", known), "fovea runs");
  EXPECT_EQ(named_by("set a token with --token", known), "--token");
  EXPECT_EQ(named_by("written by fovea {}", known), "");
  EXPECT_EQ(named_by("--fig-ink:#1c2128;color:var(--fig-ink)", known), "");
  const std::vector<Literal> found =
      literals("// \"--a\"\nf('\"', \"b\"\n  \"\\\"c\");  /* \"--d\" */ g(R\"(e \"f\")\", R\"x(g)\"h)x\");\n");
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].line, 2u);
  EXPECT_EQ(found[0].text, "b\\\"c");
  EXPECT_EQ(found[1].text, "e \"f\"");
  EXPECT_EQ(found[2].text, "g)\"h");
}

}  // namespace
