#include <gtest/gtest.h>

#include <cstring>

#include "fovea/base/error/error.h"
#include "fovea/lab/analysis/reproduce.h"
#include "tests/lab/store/store_sample.h"
#include "tests/lab/sweep/sweep_specs.h"
#include "tests/lab/train/mark.h"

namespace fovea {
namespace {

using namespace testing_parts;

class TransplantTest : public ::testing::Test {
 protected:
  static RunSpec spec_of(const std::vector<std::string>& changes, std::uint64_t seed = 0) {
    const Experiment experiment = parse_experiment(R"(
task = { name = "mark" }
model = { name = "tiny" }
train = { steps = 30, batch = 16, rate = 0.1 }
probe = { every = 1, names = ["watch"] }
)",
                                                   "transplant.toml");
    std::vector<Override> overrides;
    for (const std::string& change : changes) overrides.push_back(parse_override(change));
    return resolve(experiment, Preset::full, overrides, seed);
  }

  RunRecord run(const std::vector<std::string>& changes, std::uint64_t seed = 0) {
    return sweep_specs(store_, "marks", {spec_of(changes, seed)}, {}).at(0);
  }
  std::vector<std::byte> weights(const RunRecord& run, const std::string& name) const {
    const std::optional<TensorFile> file = store_.weights(*store_.find(run.id));
    const std::span<const std::byte> bytes = file->find(name)->bytes;
    return {bytes.begin(), bytes.end()};
  }
  std::string refusal(const std::vector<std::string>& changes) {
    try {
      run(changes, 1);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), Error::Kind::wrong_input);
      return error.what();
    }
    return "nothing was refused";
  }

  const Folder folder_;
  Store store_{folder_ / "runs.db"};
};

const std::string still = "{freeze=\"attention\"}, {freeze=\"body\"}";

TEST_F(TransplantTest, BringsAGroupAsItWasAtTheEndToTheBit) {
  const RunRecord donor = run({});
  const std::string id = std::to_string(donor.id);
  const RunRecord attention = run({"intervene=[{transplant=" + id + ", of=\"attention\"}, " + still + "]"}, 1);
  EXPECT_EQ(weights(attention, "a"), weights(donor, "a"));
  EXPECT_NE(weights(attention, "w"), weights(donor, "w"));
  const RunRecord both = run({"intervene=[{transplant=" + id + "}, " + still + "]"}, 1);
  EXPECT_EQ(weights(both, "a"), weights(donor, "a"));
  EXPECT_EQ(weights(both, "w"), weights(donor, "w"));
  const RunRecord other_place = run({"intervene=[{transplant=" + id + ", of=\"a\", to=\"w\"}, " + still + "]"}, 1);
  EXPECT_EQ(weights(other_place, "w"), weights(donor, "a"));
  EXPECT_NE(weights(other_place, "a"), weights(donor, "a"));
}

// The circuits of a transformer's layers have names of their own.
TEST_F(TransplantTest, BringsACircuitOfALayer) {
  const auto streams = [this](const std::string& intervene, std::uint64_t seed) {
    const std::string text =
        "task = { name = \"clamps\" }\nmodel = { name = \"transformer\", width = 8, mlp = 1 }\n"
        "train = { steps = 2, rate = 0.1 }\nprobe = { names = [\"loss\"], examples = 4 }\n"
        "intervene = [" +
        intervene + "]\n";
    return sweep_specs(store_, "streams", {resolve(parse_experiment(text, "x.toml"), Preset::full, {}, seed)}, {})
        .at(0);
  };
  const RunRecord donor = streams("", 0);
  const std::string id = std::to_string(donor.id);
  const RunRecord given = streams(
      "{ transplant = " + id + ", of = \"ov.1\", to = \"ov.2\" }, { transplant = " + id + ", of = \"qk.1\" }, " + still,
      1);
  for (const char* part : {"value.weight", "output.weight", "output.bias"})
    EXPECT_EQ(weights(given, std::string("layer.2.") + part), weights(donor, std::string("layer.1.") + part)) << part;
  for (const char* part : {"layer.1.query.weight", "layer.1.key.bias"})
    EXPECT_EQ(weights(given, part), weights(donor, part)) << part;
  for (const char* part : {"layer.1.value.weight", "layer.2.key.weight", "layer.2.mlp.0.weight"})
    EXPECT_NE(weights(given, part), weights(donor, part)) << part;
  EXPECT_THROW(streams("{ transplant = " + id + ", of = \"ov.1\", to = \"qk.1\" }", 1), Error);
  // What is given and frozen by the same names is at the end what it was given.
  const RunRecord frozen =
      streams("{ transplant = " + id + " }, { freeze = \"qk.2\" }, { freeze = \"layer.1.output\" }", 1);
  for (const char* part : {"layer.2.query.weight", "layer.2.key.bias", "layer.1.output.weight"})
    EXPECT_EQ(weights(frozen, part), weights(donor, part)) << part;
  for (const char* part : {"layer.1.query.weight", "layer.2.value.weight", "layer.2.output.weight"})
    EXPECT_NE(weights(frozen, part), weights(donor, part)) << part;
  try {
    streams("{ freeze = \"qk.3\" }", 1);
    ADD_FAILURE() << "there is no third layer";
  } catch (const Error& error) {
    EXPECT_NE(error.remedy().text().find("'qk.1'"), std::string::npos) << error.what();
  }
  EXPECT_THROW(streams("{ transplant = " + id + ", of = \"ov.7\" }", 1), Error);
}

TEST_F(TransplantTest, ActsAtItsStepAndAtNoOther) {
  const RunRecord donor = run({});
  const std::string id = std::to_string(donor.id);
  const std::vector<double> free = run({}, 1).series.at("weight").values;
  const std::vector<double> given =
      run({"intervene=[{transplant=" + id + ", of=\"w\", at=7}]"}, 1).series.at("weight").values;
  for (std::size_t step = 0; step < 7; ++step) EXPECT_EQ(given[step], free[step]) << step;
  EXPECT_EQ(given[7], donor.series.at("weight").values.back());
  EXPECT_NE(given[8], given[7]);
  EXPECT_NE(given[8], free[8]);
}

TEST_F(TransplantTest, ARunOfTwicePrecisionGivesToOneOfSingle) {
  const RunRecord donor = run({"train.precision=\"double\""});
  const RunRecord taker = run({"intervene=[{transplant=" + std::to_string(donor.id) + "}, " + still + "]"}, 1);
  const std::vector<std::byte> there = weights(donor, "w"), here = weights(taker, "w");
  ASSERT_EQ(there.size(), 2 * here.size());
  for (std::size_t i = 0; i < here.size() / sizeof(float); ++i) {
    double twice;
    float single;
    std::memcpy(&twice, &there[i * sizeof twice], sizeof twice);
    std::memcpy(&single, &here[i * sizeof single], sizeof single);
    EXPECT_EQ(single, static_cast<float>(twice));
  }
}

TEST_F(TransplantTest, TheSpecKeepsTheHashSoThatOneRunIsTrainedOnce) {
  const RunRecord donor = run({});
  const std::string by_number = "intervene=[{transplant=" + std::to_string(donor.id) + "}]";
  const std::string by_hash = "intervene=[{transplant=\"" + donor.spec.hash() + "\"}]";
  const RunRecord first = run({by_number}, 1), again = run({by_hash}, 1);
  EXPECT_EQ(first.id, again.id);
  EXPECT_NE(first.spec.text().find(donor.spec.hash()), std::string::npos);
}

TEST_F(TransplantTest, WhatDoesNotFitIsRefusedBeforeTraining) {
  const std::string id = std::to_string(run({}).id);
  const std::string unkept = std::to_string(run({"train.keep_weights=\"never\""}, 5).id);
  const std::string larger = std::to_string(run({"task.vocab=11"}).id);
  RunRecord of_old = *store_.find(run({}, 7).id, true);
  of_old.arithmetic = 0;
  const std::string old = std::to_string(store_.keep(of_old));
  const std::int64_t count = store_.count();
  const std::vector<std::pair<std::string, std::string>> mistakes{
      {"{transplant=99}", "there is no run 99 to take weights from"},
      {"{transplant=" + unkept + "}", "has no weights of run"},
      {"{transplant=" + old + "}", "are of arithmetic revision 0"},
      {"{transplant=" + larger + "}", "'w' of the source run is 11, and 'w' here is 10"},
      {"{transplant=" + id + ", of=\"v\"}", "this model has no parameters 'v'"},
      {"{transplant=" + id + ", of=\"v\", to=\"w\"}", "has no parameters 'v'"},
      {"{transplant=" + id + ", at=-1}", "not -1"},
      {"{transplant=" + id + ", of=\"attention\", to=\"w\"}", "cannot copy 'attention' to 'w'"},
      {"{transplant=\"my run\"}", "takes from a run, not from"},
      {"{transplant=" + id + ", of=\"w\"}, {transplant=" + id + ", of=\"w\"}", "two transplants to 'w' at step 0"}};
  for (const auto& [intervention, said] : mistakes)
    EXPECT_NE(refusal({"intervene=[" + intervention + "]"}).find(said), std::string::npos)
        << intervention << ": " << refusal({"intervene=[" + intervention + "]"});
  EXPECT_EQ(store_.count(), count);
}

}  // namespace
}  // namespace fovea
