// What `fovea export` writes, read by the programs that people read it with (read_back.py).
#include "fovea/io/safetensors.h"
#include "tests/cli/program.h"

namespace fovea {
namespace {

using fovea::testing::Outcome;
using fovea::testing::ProgramTest;
namespace fs = std::filesystem;

class Exports : public ProgramTest {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
    write("copying.toml",
          "task = { name = \"copy\", vocab = 6, length = 5 }\n"
          "model = { name = \"seq2seq\", hidden = 8, embedding = 8 }\n"
          "train = { steps = 20, batch = 8 }\n"
          "probe = { every = 10, names = [\"accuracy\", \"attention_points_right\"] }\n");
    for (const char* words : {"run copying.toml --quiet", "run copying.toml --quiet --seed 1",
                              "run toy-phase --quick --quiet", "run toy-uniform --quiet --set train.precision=double"})
      ASSERT_EQ(fovea(words).code, 0) << words;
    for (const std::string id : {"1", "2", "3", "4"}) write(id + ".json", fovea("show " + id + " --json --series").out);
  }

  // Exports the runs and reads them back; says what differs.
  void read_back(const std::string& format, const std::string& file, const std::vector<std::string>& ids) const {
    std::string words, shown;
    for (const std::string& id : ids) words += " " + id, shown += " " + id + ".json";
    const Outcome exported = fovea("export" + words + " --format " + format + " -o " + file);
    ASSERT_EQ(exported.code, 0) << exported.err;
    const char* python = std::getenv("FOVEA_TEST_PYTHON");
    const char* why = std::getenv("FOVEA_NO_TEST_PYTHON");
    if (!python)
      GTEST_SKIP() << (why ? why : "FOVEA_TEST_PYTHON names no Python that has the readers; ./test sees to one");
    const std::string line = "cd '" + folder_.string() + "' && '" + python +
                             "' '" FOVEA_SOURCE_DIR "/tests/cli/read_back.py' " + format + " " + file + shown +
                             " >read.out 2>read.err";
    const int status = std::system(line.c_str());
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77) GTEST_SKIP() << read(folder_ / "read.err");
    EXPECT_EQ(status, 0) << read(folder_ / "read.err");
  }
};

TEST_F(Exports, PandasReadsCsv) { read_back("csv", "runs.csv", {"1", "2", "3", "4"}); }
TEST_F(Exports, PandasReadsJsonLines) { read_back("jsonl", "runs.jsonl", {"1", "2", "3", "4"}); }
TEST_F(Exports, NumPyReadsOneRun) { read_back("npz", "one.npz", {"1"}); }
TEST_F(Exports, NumPyReadsSeveralRuns) { read_back("npz", "runs.npz", {"4", "1", "2", "3"}); }
TEST_F(Exports, SafetensorsReadsWeightsOfOneRun) { read_back("safetensors", "one.safetensors", {"1"}); }
TEST_F(Exports, SafetensorsReadsWeightsOfSeveralRuns) { read_back("safetensors", "runs.safetensors", {"2", "1", "4"}); }
TEST_F(Exports, TensorBoardReadsEvents) { read_back("tensorboard", "logs", {"1", "2", "3", "4"}); }

TEST_F(Exports, SafetensorsReadsTheWeightsOfSteps) {
  ASSERT_EQ(fovea("run copying.toml --quiet --checkpoints 0,5,20").code, 0);
  write("5.json", fovea("show 5 --json --series").out);
  read_back("checkpoints", "steps", {"5"});
}

TEST_F(Exports, WeightsOfAStepAreThoseOfARunThatEndsThere) {
  ASSERT_EQ(fovea("sweep copying.toml --quiet --jobs 1 --seeds 1,2 --checkpoints 0,5,20").code, 0);
  ASSERT_EQ(fovea("run copying.toml --quiet --seed 2 --set train.steps=5").code, 0);
  ASSERT_EQ(fovea("export 5 6 --format checkpoints -o steps").code, 0);
  ASSERT_EQ(fovea("export 6 -o last.safetensors").code, 0);
  ASSERT_EQ(fovea("export 7 -o until.safetensors").code, 0);
  const fs::path own = folder_ / "steps" / "6-copying-seed2";
  for (const auto& [step, whole] :
       {std::pair("step-05.safetensors", "until.safetensors"), {"step-20.safetensors", "last.safetensors"}}) {
    const TensorFile kept = TensorFile::read(own / step), wanted = TensorFile::read(folder_ / whole);
    ASSERT_EQ(kept.tensors().size(), wanted.tensors().size());
    for (const Tensor& tensor : wanted.tensors()) {
      ASSERT_TRUE(kept.find(tensor.name)) << tensor.name;
      EXPECT_TRUE(std::ranges::equal(kept.find(tensor.name)->bytes, tensor.bytes)) << tensor.name;
    }
    EXPECT_NE(fovea("show 6").out.find(kept.metadata().at("sha256")), std::string::npos);
  }
  EXPECT_TRUE(fs::exists(folder_ / "steps" / "5-copying-seed1" / "step-00.safetensors"));
  const Outcome none = fovea("export 1 --format checkpoints -o none");
  EXPECT_EQ(none.code, 2);
  EXPECT_NE(none.err.find("run 1 kept the weights of no step"), std::string::npos) << none.err;
  EXPECT_NE(none.err.find("train.checkpoints"), std::string::npos) << none.err;
  EXPECT_EQ(fovea("export 5 1 --format checkpoints -o none").code, 2);
  EXPECT_FALSE(fs::exists(folder_ / "none"));
  const Outcome late = fovea("run copying.toml --quiet --checkpoints 0,21");
  EXPECT_EQ(late.code, 2);
  EXPECT_NE(late.err.find("train.checkpoints has step 21, and the run has 20 steps"), std::string::npos) << late.err;
}

TEST_F(Exports, TheEndingSaysTheFormat) {
  for (const char* name : {"a.csv", "a.jsonl", "a.npz", "a.safetensors"}) {
    EXPECT_EQ(fovea(std::string("export 1 -o ") + name).code, 0) << name;
    EXPECT_GT(fs::file_size(folder_ / name), 100u) << name;
  }
  const Outcome logs = fovea("export 1 -o logs");
  EXPECT_EQ(logs.code, 2);
  EXPECT_NE(logs.err.find("--format"), std::string::npos) << logs.err;
  write("taken", "a file");
  const Outcome taken = fovea("export 1 --format tensorboard -o taken");
  EXPECT_EQ(taken.code, 2);
  EXPECT_NE(taken.err.find("names a folder"), std::string::npos) << taken.err;
}

TEST_F(Exports, WordsStandInTheOrderOfTheEmbeddingsRows) {
  const std::string small =
      "run text-classify --quick --quiet --set task.corpus=made-reviews --set train.steps=1 --set model.embedding=3 "
      "--set train.keep_weights=always --set 'probe.names=[\"evidence\"]' --set probe.evidence.examples=3";
  ASSERT_EQ(fovea(small).code, 0);
  ASSERT_EQ(fovea(small + " --seed 1").code, 0);
  ASSERT_EQ(fovea(small + " --set task.min_count=200").code, 0);
  ASSERT_EQ(fovea("run lookup --quick --quiet --set train.steps=1").code, 0);
  const Outcome written = fovea("export 5 -o words.txt");
  ASSERT_EQ(written.code, 0) << written.err;
  std::ifstream file(folder_ / "words.txt");
  std::vector<std::string> words;
  for (std::string line; std::getline(file, line);) words.push_back(line);
  // As many as the embeddings have rows; all that an example holds are among them.
  ASSERT_EQ(fovea("export 5 -o w.safetensors").code, 0);
  const TensorFile weights = TensorFile::read(folder_ / "w.safetensors");
  ASSERT_NE(weights.find("embedding.weight"), nullptr);
  EXPECT_EQ(static_cast<std::size_t>(weights.find("embedding.weight")->shape[0]), words.size());
  EXPECT_EQ(words.front(), "<unknown>");
  const auto seen = json("inspect 5 --json");
  for (const auto& word : seen["source"])
    EXPECT_NE(std::find(words.begin(), words.end(), word.get<std::string>()), words.end()) << word;
  EXPECT_EQ(fovea("export 5 6 -o both.txt").code, 0);
  EXPECT_EQ(read(folder_ / "both.txt"), read(folder_ / "words.txt"));

  const Outcome differ = fovea("export 5 7 -o differ.txt");
  EXPECT_EQ(differ.code, 2);
  EXPECT_NE(differ.err.find("runs 7 and 5 have different words"), std::string::npos) << differ.err;
  const Outcome none = fovea("export 8 -o none.txt");
  EXPECT_EQ(none.code, 2);
  EXPECT_NE(none.err.find("run 8 has no words: task \"lookup\" has none"), std::string::npos) << none.err;
  EXPECT_FALSE(fs::exists(folder_ / "differ.txt") || fs::exists(folder_ / "none.txt"));
}

TEST_F(Exports, WeightsThatWereNotKeptAreSaid) {
  ASSERT_EQ(fovea("run copying.toml --quiet --seed 2 --set train.keep_weights=never").code, 0);
  const Outcome outcome = fovea("export 1 5 --format safetensors -o w.safetensors");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err.find("weights of run 5"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("train.keep_weights"), std::string::npos) << outcome.err;
  EXPECT_FALSE(fs::exists(folder_ / "w.safetensors"));
}

}  // namespace
}  // namespace fovea
