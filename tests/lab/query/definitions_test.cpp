#include "fovea/lab/query/definitions.h"

#include <gtest/gtest.h>

#include "fovea/io/toml_reader.h"

namespace fovea {
namespace {

Definitions read(const std::string& toml) { return Definitions(parse_table(toml, "x.toml")); }

constexpr const char* some = R"toml(t90 = "steps_to_90"
late = "task.vocab = 60 and seed > 1"
ratio = "slope / final"
final = "last(loss)"
slope = "final - first(loss)"
)toml";

// The same as in tests/python/ledger_test.py: the program and the scripts put definitions in alike.
TEST(Definitions, StandForTheirExpressions) {
  const Definitions definitions = read(some);
  const std::pair<const char*, const char*> cases[] = {
      {"median(t90 | late)", "median(steps_to_90 | task.vocab = 60 and seed > 1)"},
      {"median(t90 | late and seed < 4)", "median(steps_to_90 | (task.vocab = 60 and seed > 1) and seed < 4)"},
      {"2 * slope / t90", "2 * (last(loss) - first(loss)) / steps_to_90"},
      {"2 * final", "2 * last(loss)"},
      {"share(kind = 'late')", "share(kind = 'late')"},
      {"least(ratio)", "least((last(loss) - first(loss)) / last(loss))"},
  };
  for (const auto& [text, wanted] : cases) EXPECT_EQ(definitions.expand(text), wanted);
  EXPECT_EQ(Definitions().expand("median(t90 | late)"), "median(t90 | late)");
}

TEST(Definitions, AreNamedInTheOrderOfTheFile) {
  std::string names;
  for (const Definition& one : read(some).used_by("least(ratio) + 'late'")) names += one.name + " ";
  EXPECT_EQ(names, "ratio final slope ");
}

TEST(Definitions, ThatAreWrongAreRefusedWithTheirPlace) {
  const struct {
    std::string toml, position, problem, remedy;
  } cases[] = {
      {"a = \"b + 1\"\nb = \"2 * a\"", "x.toml:1:1", "the definition of 'a' uses itself, by way of 'b'",
       "its own name"},
      {"b = \"1\"\na = \"a + b\"", "x.toml:2:1", "the definition of 'a' uses itself", "its own name"},
      {"a = 3", "x.toml:1:1", "'a' must be a text, not an integer (3)", "in quotes"},
      {"a = \"median(\"", "x.toml:1:1", "a value is missing", "write a metric"},
      {"median = \"loss\"", "x.toml:1:1", "'median' has a meaning of its own", "another name"},
      {"seed = \"loss\"", "x.toml:1:1", "'seed' has a meaning of its own", "another name"},
      {"steps_to_x = \"loss\"", "x.toml:1:1", "'steps_to_x' has a meaning of its own", "another name"},
      {"T = \"loss\"", "x.toml:1:1", "'T' cannot be the name of a definition", "small letters"},
      {"\"a b\" = \"loss\"", "x.toml:1:1", "'a b' cannot be the name", "small letters"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.toml);
    try {
      read(c.toml);
      ADD_FAILURE() << "was taken, instead of: " << c.problem;
    } catch (const Error& error) {
      EXPECT_EQ(error.location().text(), c.position) << error.what();
      EXPECT_NE(error.problem().text().find(c.problem), std::string::npos) << error.what();
      EXPECT_NE(error.remedy().text().find(c.remedy), std::string::npos) << error.what();
    }
  }
}

TEST(Definitions, CannotMakeAnExpressionThatNobodyReads) {
  std::string toml = "a = \"loss\"\n";
  for (char c = 'b'; c <= 'z'; ++c)
    toml += std::string(1, c) + " = \"" + static_cast<char>(c - 1) + " + " + static_cast<char>(c - 1) + "\"\n";
  EXPECT_THROW(read(toml), Error);
  toml.clear();
  for (int i = 0; i <= 100; ++i) toml += "a" + std::to_string(i) + " = \"loss\"\n";
  EXPECT_THROW(read(toml), Error);
}

}  // namespace
}  // namespace fovea
