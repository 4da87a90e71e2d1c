#include "fovea/lab/train/update_engine.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "fovea/lab/experiment/experiment.h"
#include "fovea/lab/train/trainer.h"

namespace fovea {
namespace {

// Answers with a gradient of 1 for each number of output.weight, and with the loss 3.
class Ones final : public UpdateEngine {
 public:
  struct Asked {
    std::map<std::string, std::string> metadata;
    std::vector<std::string> names;
  };
  std::vector<Asked> asked;
  std::map<std::string, std::string> refusal;  // of every update

  std::unique_ptr<EngineLink> link(const std::string& engine) override {
    EXPECT_EQ(engine, "torch");
    return std::make_unique<Link>(*this);
  }

 private:
  class Link final : public EngineLink {
   public:
    explicit Link(Ones& engine) : engine_(engine) {}
    TensorFile ask(std::span<const Tensor> tensors, const std::map<std::string, std::string>& metadata) override {
      Asked asked{metadata, {}};
      Index count = 0;
      for (const Tensor& tensor : tensors) {
        asked.names.push_back(tensor.name);
        if (tensor.name == "output.weight") count = tensor.shape[0] * tensor.shape[1];
      }
      engine_.asked.push_back(asked);
      if (metadata.at("do") == "open") return TensorFile::parse(safetensors({}, {}), "the answer");
      if (!engine_.refusal.empty()) return TensorFile::parse(safetensors({}, engine_.refusal), "the answer");
      const std::vector<float> ones(static_cast<std::size_t>(count), 1);
      const Tensor gradient{"gradient output.weight", "F32", {count}, std::as_bytes(std::span(ones))};
      return TensorFile::parse(safetensors({&gradient, 1}, {{"loss", "3"}}), "the answer");
    }

   private:
    Ones& engine_;
  };
};

RunSpec spec_of(const std::string& more, const std::string& intervene = "") {
  const Experiment experiment = parse_experiment(
      "task = { name = \"copy\", vocab = 9, length = 5 }\n"
      "model = { name = \"seq2seq\", hidden = 8, embedding = 8 }\n"
      "train = { steps = 3, batch = 4, rate = 0.5, optimizer = \"sgd\"" +
          more + " }\nprobe = { every = 1, names = [\"accuracy\"] }\n" + intervene,
      "engine.toml");
  return resolve(experiment, Preset::full, {}, 3);
}

RunRecord trained(const RunSpec& spec, UpdateEngine* engine) {
  TrainHooks hooks;
  hooks.engine = engine;
  return train(spec, hooks);
}

const WeightRecord& weights_of(const RunRecord& record, const std::string& name) {
  for (const WeightRecord& one : record.weights)
    if (one.name == name) return one;
  throw failure("no weights " + name, "");
}

std::vector<float> numbers(const WeightRecord& weights) {
  std::vector<float> all(weights.bytes.size() / sizeof(float));
  std::memcpy(all.data(), weights.bytes.data(), weights.bytes.size());
  return all;
}

TEST(UpdateEngine, ItsGradientsAreWhatTheOptimiserTakes) {
  Ones engine;
  const RunRecord record = trained(spec_of(", engine = \"torch\""), &engine);
  const RunRecord still = trained(spec_of(", engine = \"torch\"", "intervene = [{ freeze = \"body\" }]\n"), &engine);
  EXPECT_EQ(record.state, RunState::done);
  EXPECT_EQ(record.series.at("train_loss").values.back(), 3);
  const std::vector<float> moved = numbers(weights_of(record, "output.weight"));
  const std::vector<float> frozen = numbers(weights_of(still, "output.weight"));
  for (std::size_t i = 0; i < moved.size(); ++i) EXPECT_NEAR(moved[i], frozen[i] - 1.5f, 1e-6f);
  EXPECT_EQ(numbers(weights_of(record, "embedding.weight")), numbers(weights_of(still, "embedding.weight")));
}

TEST(UpdateEngine, IsToldOfTheRunTheBatchAndTheRules) {
  Ones engine;
  trained(spec_of(", engine = \"torch\", device = \"cuda\"",
                  "intervene = [{ hold = \"truth\", from = 1 }, { scale = 2, from = 1, until = 2 }]\n"),
          &engine);
  ASSERT_EQ(engine.asked.size(), 4u);
  EXPECT_EQ(engine.asked[0].metadata.at("device"), "cuda");
  EXPECT_NE(engine.asked[0].metadata.at("model").find("\"hidden\":8"), std::string::npos);
  const auto has = [&](std::size_t number, const std::string& name) {
    const std::vector<std::string>& names = engine.asked[number].names;
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  EXPECT_TRUE(has(1, "batch source") && has(1, "batch target lengths") && has(1, "attention.query.weight"));
  EXPECT_FALSE(has(1, "right"));
  EXPECT_TRUE(has(2, "right"));
  EXPECT_EQ(engine.asked[1].metadata.at("rules"), "[]");
  EXPECT_NE(engine.asked[2].metadata.at("rules").find("\"scale\":2.0"), std::string::npos);
  EXPECT_NE(engine.asked[3].metadata.at("rules").find("\"pattern\":\"truth\""), std::string::npos);
  EXPECT_NE(engine.asked[3].metadata.at("rules").find("\"factor\":1.0"), std::string::npos);
}

TEST(UpdateEngine, ARunThatNeedsOneIsRefusedWithoutIt) {
  try {
    trained(spec_of(", engine = \"torch\""), nullptr);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::wrong_input);
    EXPECT_NE(std::string(error.what()).find("no engine 'torch'"), std::string::npos);
  }
}

TEST(UpdateEngine, ARefusedUpdateFailsTheRunAndABadSpecRefusesIt) {
  Ones engine;
  engine.refusal = {{"error", "the memory is full"}, {"remedy", "take less"}};
  const RunRecord failed = trained(spec_of(", engine = \"torch\""), &engine);
  EXPECT_EQ(failed.state, RunState::failed);
  EXPECT_NE(failed.error.find("the memory is full"), std::string::npos);
  engine.refusal["kind"] = "wrong_input";
  EXPECT_THROW(trained(spec_of(", engine = \"torch\""), &engine), Error);
}

TEST(UpdateEngine, SettingsThatContradictItAreRefused) {
  Ones engine;
  for (const char* settings : {", device = \"cuda\"", ", engine = \"torch\", data_parallel = true",
                               ", engine = \"torch\", precision = \"bf16x3\""})
    EXPECT_THROW(trained(spec_of(settings), &engine), Error) << settings;
}

TEST(UpdateEngine, ARunWithoutOneKeepsItsHash) {
  const RunSpec plain = spec_of(""), torch = spec_of(", engine = \"torch\""),
                device = spec_of(", engine = \"torch\", device = \"cpu\"");
  EXPECT_EQ(plain.text().find("engine"), std::string::npos);
  EXPECT_NE(plain.hash(), torch.hash());
  EXPECT_NE(torch.hash(), device.hash());
}

}  // namespace
}  // namespace fovea
