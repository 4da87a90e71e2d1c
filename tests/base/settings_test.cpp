#include "fovea/base/settings.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "fovea/base/error/names.h"
#include "fovea/base/error/setting_names.h"

namespace fovea {
namespace {

enum class Shape { round, square };

struct Sample {
  int vocab = 40;
  double rate = 0.5;
  bool distinct = true;
  std::string corpus = "none";
  Shape shape = Shape::round;
  std::vector<int> sizes{1, 2};
  std::optional<std::int64_t> place, side;
  double corner = 0;

  Fields fields() {
    Fields f;
    f.integer("vocab", vocab, 2, 1000, "how many words");
    f.number("rate", rate, 0, 1, "how fast");
    f.flag("distinct", distinct, "no word twice");
    f.text("corpus", corpus, "a name");
    f.choice("shape", shape, {{"round", Shape::round}, {"square", Shape::square}}, "what it looks like");
    f.integer("place", place, 0, 9, "anywhere", "where it stands");
    f.integers("sizes", sizes, 1, Fields::no_limit, "layer sizes");
    return f;
  }
};

Value value(auto data) { return {std::move(data), {"spec.toml", 3, 9}}; }

std::string error_of(const ValueTable& table) {
  Sample sample;
  try {
    sample.fields().read(table, "task 'sample'");
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::wrong_input);
    return error.what();
  }
  return "no error";
}

TEST(Fields, ReadWhatIsGivenAndKeepTheRest) {
  Sample sample;
  sample.fields().read({{"vocab", value(std::int64_t{60})},
                        {"rate", value(std::int64_t{1})},
                        {"shape", value(std::string("square"))},
                        {"sizes", value(ValueList{value(std::int64_t{7})})}},
                       "task 'sample'");
  EXPECT_EQ(sample.vocab, 60);
  EXPECT_EQ(sample.rate, 1.0);
  EXPECT_EQ(sample.shape, Shape::square);
  EXPECT_EQ(sample.sizes, std::vector<int>{7});
  EXPECT_EQ(sample.corpus, "none");
}

TEST(Fields, WriteEverythingWithItsPresentValue) {
  Sample sample;
  EXPECT_EQ((Value{sample.fields().write(), {}}).text(),
            R"({ corpus = "none", distinct = true, rate = 0.5, shape = "round", sizes = [1, 2], vocab = 40 })");
}

TEST(Fields, OneLeftOpenIsNotWrittenUntilItIsSet) {
  Sample sample;
  EXPECT_FALSE(sample.fields().write().contains("place"));
  sample.fields().read({{"place", value(std::int64_t{0})}}, "task 'sample'");
  EXPECT_EQ(sample.place, 0);
  EXPECT_EQ(sample.fields().write().at("place").text(), "0");
  EXPECT_EQ(error_of({{"place", value(std::int64_t{-1})}}),
            "spec.toml:3:9: task.place must be 0 to 9, not -1. Meaning: where it stands.");
}

TEST(Fields, AChoiceLeftOpenSaysWhatThenHolds) {
  std::optional<Shape> seal, stamp;
  Fields f;
  f.choice("seal", seal, {{"round", Shape::round}}, "its shape", "no seal");
  f.choice("stamp", stamp, {{"square", Shape::square}, {"round", Shape::round}}, "its shape");
  EXPECT_FALSE(f.all()[0].get());
  EXPECT_EQ(f.all()[0].otherwise, "no seal");
  EXPECT_EQ(f.all()[1].otherwise, "square");
}

TEST(Fields, OneThatNothingReadsBesideTheOthersIsIdleUnlessItHasItsDefault) {
  const auto idle = [](const ValueTable& table) {
    Sample sample;
    Fields f = sample.fields();
    f.number("corner", sample.corner, 0, 1, "how round a corner is");
    f.only_of("shape \"square\"", [&sample] { return sample.shape == Shape::square; });
    f.integer("side", sample.side, 0, 9, "any", "which side");
    f.only_of("shape \"square\"", [&sample] { return sample.shape == Shape::square; });
    std::optional<bool> thick;
    f.choice("line", thick, {{"thin", false}, {"thick", true}}, "how it is drawn");
    f.only_of("shape \"square\"", [&sample] { return sample.shape == Shape::square; });
    f.read(table, "task 'sample'");
    return f.idle();
  };
  EXPECT_FALSE(idle({}));
  EXPECT_FALSE(idle({{"corner", value(0.0)}}));
  EXPECT_FALSE(idle({{"corner", value(0.5)}, {"shape", value(std::string("square"))}}));
  EXPECT_FALSE(idle({{"side", value(std::int64_t{3})}})) << "it has no default to fall back to";
  EXPECT_FALSE(idle({{"line", value(std::string("thin"))}})) << "the first of its choices holds while it is open";
  EXPECT_TRUE(idle({{"line", value(std::string("thick"))}}));
  const auto corner = idle({{"corner", value(0.5)}});
  ASSERT_TRUE(corner);
  EXPECT_EQ(corner->name, "corner");
  EXPECT_EQ(corner->belongs_to, "shape \"square\"");
  EXPECT_EQ(corner->usual_text(), "0");
}

// Parts with settings of their own: "pace" is of two, "old" stands in every spec, "edges" does not.
struct Drawing {
  std::string form = "round";
  double round_pace = 1, square_pace = 2, old = 5;
  std::int64_t edges = 4;

  Fields fields() {
    std::map<std::string, Fields> parts;
    parts["dot"];
    parts["round"].number("pace", round_pace, 0, 9, "how fast it turns");
    parts["round"].number("old", old, 0, 9, "");
    parts["round"].in_every_spec();
    parts["square"].number("pace", square_pace, 0, 9, "how fast it turns");
    parts["square"].integer("edges", edges, 1, 9, "");
    Fields f;
    f.parts("form", form, parts, "what is drawn");
    return f;
  }
  std::string written(const ValueTable& table) {
    const Fields f = fields();
    f.read(table, "a drawing");
    return Value{f.write(), {}}.text();
  }
};

TEST(Fields, APartsSettingsAreReadAndWrittenWhereItIsNamed) {
  EXPECT_EQ(Drawing().written({}), "{ form = \"round\", old = 5.0, pace = 1.0 }");
  EXPECT_EQ(Drawing().written({{"form", value(std::string("square"))}}),
            "{ edges = 4, form = \"square\", old = 5.0, pace = 2.0 }");
  EXPECT_EQ(Drawing().written({{"form", value(std::string("dot"))}}), "{ form = \"dot\", old = 5.0 }");
  // "edges" comes before the name of its part.
  EXPECT_EQ(Drawing().written({{"edges", value(std::int64_t{7})}, {"form", value(std::string("square"))}}),
            "{ edges = 7, form = \"square\", old = 5.0, pace = 2.0 }");
}

TEST(Fields, ASettingOfAnotherPartIsIdle) {
  const auto idle = [](const ValueTable& table) {
    Drawing drawing;
    const Fields f = drawing.fields();
    f.read(table, "a drawing");
    return f.idle();
  };
  EXPECT_FALSE(idle({{"pace", value(3.0)}, {"form", value(std::string("square"))}}));
  const auto edges = idle({{"edges", value(std::int64_t{7})}});
  ASSERT_TRUE(edges);
  EXPECT_EQ(edges->belongs_to, "form \"square\"");
  EXPECT_EQ(edges->usual_text(), "4");
  const auto pace = idle({{"pace", value(3.0)}, {"form", value(std::string("dot"))}});
  ASSERT_TRUE(pace);
  EXPECT_EQ(pace->belongs_to, "forms \"round\" and \"square\"");
}

TEST(Fields, AnUnknownPartIsNamedWithTheNearest) {
  try {
    Drawing().written({{"form", value(std::string("squar"))}});
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(
        error.what(),
        "spec.toml:3:9: 'form' of a drawing must be dot, round or square, not \"squar\". Did you mean 'square'?");
  }
}

TEST(Fields, EveryMistakeIsNamedWithItsPlaceAndARemedy) {
  EXPECT_EQ(error_of({{"vocabb", value(std::int64_t{60})}}),
            "spec.toml:3:9: task 'sample' has no setting 'vocabb'. Did you mean 'vocab'?");
  EXPECT_EQ(error_of({{"vocab", value(std::string("many"))}}),
            "spec.toml:3:9: task.vocab must be an integer, 2 to 1000, not \"many\". Meaning: how many words.");
  EXPECT_EQ(error_of({{"vocab", value(std::int64_t{-3})}}),
            "spec.toml:3:9: task.vocab must be 2 to 1000, not -3. Meaning: how many words.");
  EXPECT_EQ(error_of({{"vocab", value(2.5)}}),
            "spec.toml:3:9: task.vocab must be an integer, 2 to 1000, not 2.5. Meaning: how many words.");
  EXPECT_EQ(error_of({{"rate", value(std::nan(""))}}),
            "spec.toml:3:9: task.rate must be 0 to 1, not nan. Meaning: how fast.");
  EXPECT_EQ(error_of({{"shape", value(std::string("sqare"))}}),
            "spec.toml:3:9: task.shape must be round or square, not \"sqare\". Did you mean 'square'?");
  EXPECT_EQ(error_of({{"sizes", value(ValueList{value(std::int64_t{0})})}}),
            "spec.toml:3:9: task.sizes must be a list of integers, each 1 or more, not [0]. Meaning: layer sizes.");
}

TEST(Fields, AnIntTooLargeForItsMemberIsRefused) {
  int member = 1;
  Fields fields;
  fields.integer("n", member, 0, Fields::no_limit, "");
  EXPECT_THROW(fields.read({{"n", value(std::int64_t{1} << 40)}}, "x"), Error);
  EXPECT_EQ(member, 1);
}

TEST(Value, TextReadsBackAsTheSameNumber) {
  EXPECT_EQ(value(1.0).text(), "1.0");
  EXPECT_EQ(value(0.1).text(), "0.1");
  EXPECT_EQ(value(1e-300).text(), "1e-300");
  EXPECT_EQ(value(std::numeric_limits<double>::infinity()).text(), "inf");
  EXPECT_EQ(value(std::string("a\"b\\\n\x01")).text(), R"("a\"b\\\n\u0001")");
}

TEST(Names, FindTheNearest) {
  const std::vector<std::string> names{"steps", "rate", "batch", "copy-permutation", "copy-subset"};
  EXPECT_EQ(nearest_name("stepz", names), "steps");
  EXPECT_EQ(nearest_name("tsep", names), "");
  EXPECT_EQ(nearest_name("Batch", names), "batch");
  EXPECT_EQ(nearest_name("copy-permutaton", names), "copy-permutation");
  EXPECT_EQ(nearest_name("subset", names), "copy-subset");
  EXPECT_EQ(nearest_name("perm", names), "copy-permutation");
  EXPECT_EQ(nearest_name("muta", names), "");  // no part begins so
  EXPECT_EQ(nearest_name("zzzzz", names), "");
  const std::vector<std::string> settings{"audit_attention", "model.hidden", "model.heads", "train.steps", "seed"};
  EXPECT_EQ(nearest_name("model.attention", settings), "audit_attention");
  EXPECT_EQ(nearest_setting("model.attention", settings), "");  // of its section only
  EXPECT_EQ(nearest_setting("model.hiden", settings), "model.hidden");
  EXPECT_EQ(nearest_setting("trian.steps", settings), "train.steps");
  EXPECT_EQ(nearest_setting("sed", settings), "seed");
  EXPECT_EQ(suggest_name("zzzzz", names).text(), "known are: steps, rate, batch, copy-permutation, copy-subset");
}

}  // namespace
}  // namespace fovea
