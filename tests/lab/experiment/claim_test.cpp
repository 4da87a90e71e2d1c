// Claims with a title: what a file says of them, and what is refused.
#include "fovea/lab/experiment/claim.h"

#include <cmath>

#include "tests/lab/experiment/experiment_scene.h"

namespace fovea {
namespace {

using namespace testing_parts;

const std::string whole_claim = R"toml([define]
t90 = "steps_to_90"
subsets = "task.vocab > 5"

[[claim]]
name = "subsets-first"
title = "Subsets are learned first."
says = "The median seed reaches 90 % within 40 steps."
metric = "median(t90 | subsets)"
where = "subsets"
at_most = 40
null = { value = inf, means = "never reached" }
rivals = [{ name = "shuffled labels", value = 80 }, { name = "a table", value = 1.5 }]
expect = "refuted"
control = "any"
source = "[12], section 4"

[[claim]]
name = "any"
title = "Some seed learns."
says = "One seed at least reaches 90 %."
metric = "count(t90 < infinity)"
at_least = 1
null = { value = 0, means = "none" }
)toml";

// The claim with one line in place of that of its key; an empty one leaves the key out.
std::string with_line(const std::string& key, const std::string& line) {
  std::string text = whole_claim;
  const std::size_t begin = text.find("\n" + key + " =") + 1, end = text.find('\n', begin);
  return minimal(text.replace(begin, end - begin, line));
}

TEST(Claim, OfTheWholeSchemaIsRead) {
  const Experiment experiment = parse_experiment(minimal(whole_claim), "x.toml");
  ASSERT_EQ(experiment.claims.size(), 2u);
  const Claim& claim = experiment.claims[0];
  EXPECT_EQ(claim.metric, "median(steps_to_90 | task.vocab > 5)");
  EXPECT_EQ(claim.where, "task.vocab > 5");
  EXPECT_EQ(claim.shown(), "Subsets are learned first.");
  ClaimText wanted;
  wanted.name = "subsets-first";
  wanted.title = "Subsets are learned first.";
  wanted.formula = "median(t90 | subsets)";
  wanted.where = "subsets";
  wanted.define = {{"t90", "steps_to_90"}, {"subsets", "task.vocab > 5"}};
  wanted.null = HUGE_VAL;
  wanted.null_means = "never reached";
  wanted.rivals = {{"shuffled labels", 80}, {"a table", 1.5}};
  wanted.refutes = true;
  wanted.control = "any";
  wanted.source = "[12], section 4";
  EXPECT_EQ(claim.text, wanted);
  EXPECT_EQ(claim.text.reference(), "[12]");
}

TEST(Claim, WithATextAloneMayUseDefinitionsToo) {
  const Claim claim =
      parse_experiment(minimal("[define]\nlate = \"seed > 3\"\n[[claim]]\nsays = \"But it is late\"\nmetric = "
                               "\"share(late)\"\nat_least = 1"),
                       "x.toml")
          .claims.at(0);
  EXPECT_EQ(claim.metric, "share(seed > 3)");
  EXPECT_EQ(claim.shown(), "But it is late");
}

TEST(Claim, ThatIsWrongIsRefusedWithItsPlace) {
  const auto many = [](int words) {
    std::string text = "One";
    for (int i = 1; i < words; ++i) text += " more";
    return text;
  };
  EXPECT_EQ(parse_experiment(with_line("title", "title = \"" + many(12) + " = %\""), "x.toml").claims.size(), 2u);
  const struct {
    std::string toml, position, problem, remedy;
  } cases[] = {
      {with_line("title", ""), "x.toml:7:1", "the claim 'subsets-first' has 'name', but no 'title'",
       "add title = \"…\" (a sentence of at most 12 words)"},
      {with_line("name", ""), "x.toml:7:1", "a claim has 'title', but no 'name'", "add name"},
      {with_line("null", ""), "x.toml:7:1", "the claim 'subsets-first' has 'name', but no 'null'",
       "add null = { means = \"…\", value = 1 } (the value of the metric if the claim is wrong)"},
      {with_line("title", "title = \"" + many(13) + "\""), "x.toml:9:1", "'title' has 13 words", "12 at most"},
      {with_line("says", "says = \"" + many(26) + "\""), "x.toml:10:1", "'says' has 26 words", "25 at most"},
      {with_line("title", "title = \"But, then, it is late.\""), "x.toml:9:1", "begins with 'But'",
       "begin with the subject"},
      {with_line("says", "says = \"They are late.\""), "x.toml:10:1", "begins with 'They'", "begin with the subject"},
      {with_line("title", "title = \"=\""), "x.toml:9:1", "'title' is empty", "write a sentence"},
      {with_line("name", "name = \"Subsets first\""), "x.toml:8:1", "'Subsets first' cannot be the name",
       "small letters"},
      {with_line("null", "null = 3"), "x.toml:14:1", "'null' must be a table", "write null = {"},
      {with_line("null", "null = { value = 3 }"), "x.toml:14:1", "'null' has no 'means'", "add means"},
      {with_line("null", "null = { means = \"x\" }"), "x.toml:14:1", "'null' has no 'value'", "add value"},
      {with_line("null", "null = { value = 40, means = \"x\" }"), "x.toml:14:1",
       "the null value 40 of the claim 'subsets-first' meets its own bound, <= 40", "if the claim is wrong"},
      {with_line("null", "null = { value = nan, means = \"x\" }"), "x.toml:14:1",
       "the null value of the claim 'subsets-first' is not a number", "if the claim is wrong"},
      {with_line("rivals", "rivals = [{ name = \"x\" }]"), "x.toml:15:11", "a rival needs a name and a value", "write"},
      {with_line("expect", "expect = \"held\""), "x.toml:16:1",
       "expect must be \"supported\" or \"refuted\", not \"held\"", "is expected"},
      {with_line("source", "source = \"a paper\""), "x.toml:18:1", "cannot be 'a paper'", "docs/reference/sources.md"},
      {with_line("source", ""), "x.toml:7:1", "is expected to be refuted, and has no source", "add the source"},
      {with_line("control", ""), "x.toml:7:1", "is expected to be refuted, and has no control", "add control"},
      {with_line("control", "control = \"none\""), "x.toml:7:1", "no claim 'none' to be the control", "of this file"},
      {with_line("control", "control = \"subsets-first\""), "x.toml:7:1", "cannot be the control", "of the same form"},
      {with_line("subsets", "subsets = \"task.vocab > 5\"\nunused = \"2\""), "x.toml:6:1",
       "no claim uses the definition of 'unused'", "remove the definition"},
      {minimal(whole_claim + whole_claim.substr(whole_claim.find("[[claim]]"))), "x.toml:27:1",
       "two claims have the name 'subsets-first'", "rename"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.toml);
    refused([&] { parse_experiment(c.toml, "x.toml"); }, c.position, c.problem, c.remedy);
  }
}

TEST(Claim, IsNoPartOfASpec) {
  const auto hash = [](const std::string& toml) {
    return resolve(parse_experiment(toml, "x.toml"), Preset::full, {}, 3).hash();
  };
  EXPECT_EQ(hash(minimal(whole_claim)), hash(minimal("")));
}

}  // namespace
}  // namespace fovea
