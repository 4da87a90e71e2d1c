#include "fovea/data/corpus/corpus.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <map>
#include <utility>

#include "fovea/base/file.h"
#include "fovea/data/corpus/corpus_summary.h"
#include "tests/io/scratch_folder.h"

namespace fovea {
namespace {

class CorpusTest : public WithHomeFolder {
 protected:
  TextSource table(const std::string& name, const std::string& bytes) const {
    TextSource source;
    source.file = put(name, bytes);
    source.text = {"2"};
    source.label = "1";
    return source;
  }
  static std::string reviews(int count) {
    std::string bytes;
    for (int i = 0; i < count; ++i)
      bytes += std::string(i % 3 == 0 ? "bad" : "good") + "\ttext \"" + std::to_string(i) + "\" of ä\n";
    return bytes;
  }
  static int drafts() {
    int count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(home_folder() / "data"))
      count += entry.path().filename().string().starts_with(".");
    return count;
  }
  static std::vector<std::string> texts_of(const Corpus& corpus, Split split) {
    std::vector<std::string> texts;
    each_example(corpus, split, [&](const TextExample& e) {
      texts.push_back(std::string(e.label) + ":" + std::string(e.text) + "|" + std::string(e.target));
    });
    return texts;
  }
};

TEST_F(CorpusTest, IsKeptWholeAndFoundAgain) {
  CorpusSources sources{table("a.tsv", reviews(300)), {}, {}, {0.1, 0.2}, 5};
  const AddedCorpus added = add_corpus("mine", sources);
  EXPECT_EQ(added.corpus.classes, (std::vector<std::string>{"bad", "good"}));
  EXPECT_EQ(added.corpus.count(Split::train), 210);
  EXPECT_EQ(added.corpus.count(Split::validation), 30);
  EXPECT_EQ(added.corpus.count(Split::test), 60);
  std::filesystem::remove(folder_ / "a.tsv");  // no longer needed
  const Corpus corpus = find_corpus("mine");
  EXPECT_EQ(corpus.digest, added.corpus.digest);
  EXPECT_EQ(corpus.examples, added.corpus.examples);
  EXPECT_EQ(corpus.classes, added.corpus.classes);
  std::map<std::string, int> seen;
  for (const Split split : {Split::train, Split::validation, Split::test})
    for (const std::string& text : texts_of(corpus, split)) ++seen[text];
  EXPECT_EQ(seen.size(), 300u);
  EXPECT_EQ(seen.count("bad:text \"0\" of ä|"), 1u);
  const auto everything = std::filesystem::directory_iterator(home_folder() / "data");
  EXPECT_EQ(std::distance(everything, {}), 1) << "no draft is left behind";
}

TEST_F(CorpusTest, ItsDigestIsOfItsContent) {
  CorpusSources sources{table("a.tsv", reviews(100)), {}, {}, {}, 0};
  const std::string digest = add_corpus("one", sources).corpus.digest;
  EXPECT_EQ(add_corpus("two", sources).corpus.digest, digest);
  sources.seed = 1;
  EXPECT_NE(add_corpus("three", sources).corpus.digest, digest) << "other splits";
  sources = {table("a.tsv", reviews(101)), {}, {}, {}, 0};
  EXPECT_NE(add_corpus("four", sources).corpus.digest, digest);
}

TEST_F(CorpusTest, GivenSplitsStayAsTheyAre) {
  CorpusSources sources{table("a.tsv", reviews(50)), table("b.tsv", reviews(7)), table("c.tsv", reviews(8)), {}, 0};
  const Corpus corpus = add_corpus("mine", sources).corpus;
  EXPECT_EQ(corpus.examples, (std::array<std::int64_t, 3>{50, 7, 8}));
  EXPECT_EQ(texts_of(corpus, Split::validation)[1], "good:text \"1\" of ä|");
}

TEST_F(CorpusTest, PairsAreKeptToo) {
  TextSource pairs;
  std::string source, target;
  for (int i = 0; i < 40; ++i) {
    source += "quelle " + std::to_string(i) + "\n";
    target += "source " + std::to_string(i) + "\n";
  }
  pairs.file = put("a.de", source);
  pairs.target_file = put("a.en", target);
  const Corpus corpus = add_corpus("pairs", {pairs, {}, {}, {}, 0}).corpus;
  EXPECT_TRUE(corpus.paired);
  EXPECT_EQ(corpus.examples, (std::array<std::int64_t, 3>{32, 4, 4}));
  const CorpusSummary summary = summarise(find_corpus("pairs"), 5, 3);
  ASSERT_EQ(summary.sides.size(), 2u);
  EXPECT_EQ(summary.sides[1].commonest.front(), (std::pair<std::string, std::int64_t>{"source", 32}));
  EXPECT_EQ(summary.sides[0].words, 64);
  ASSERT_EQ(summary.samples.size(), 3u);
}

TEST_F(CorpusTest, BadDataAreRefusedAndNothingIsLeft) {
  const auto refusal = [&](const CorpusSources& sources) {
    return wrong_input_of([&] { add_corpus("mine", sources); });
  };
  EXPECT_SAYS(refusal({table("a.tsv", "x\tone\nx\ttwo\n"), {}, {}, {}, 0}), "all 2 texts have the label 'x'");
  EXPECT_SAYS(refusal({table("a.tsv", reviews(50)), table("b.tsv", "good\tx\nugly\ty\n"), {}, {}, 0}),
              "b.tsv:2: the label 'ugly' is not in the training data");
  EXPECT_SAYS(refusal({table("a.tsv", ""), {}, {}, {}, 0}), "a.tsv: is empty");
  EXPECT_SAYS(refusal({table("a.tsv", "x\tone\ny\ttwo\n"), {}, {}, {}, 0}), "a.tsv: no example is left for validation");
  EXPECT_SAYS(refusal({table("a.tsv", "x\tone\ny\xff\ttwo\n"), {}, {}, {}, 0}), "a.tsv:2:2: is not UTF-8");
  EXPECT_FALSE(std::filesystem::exists(home_folder() / "data" / "mine"));
  EXPECT_TRUE(std::filesystem::is_empty(home_folder() / "data"));
  EXPECT_SAYS(wrong_input_of([&] { add_corpus("../x", {table("a.tsv", reviews(50)), {}, {}, {}, 0}); }),
              "cannot be the name of a corpus");
  EXPECT_SAYS(wrong_input_of([&] { add_corpus("made-reviews", {table("a.tsv", reviews(50)), {}, {}, {}, 0}); }),
              "is taken by a corpus of the program");
  EXPECT_SAYS(wrong_input_of([] { find_corpus("made-review"); }), "there is no corpus 'made-review'");
}

TEST_F(CorpusTest, IsReplacedOnlyWhenAsked) {
  const CorpusSources sources{table("a.tsv", reviews(50)), {}, {}, {}, 0};
  const CorpusSources others{table("b.tsv", reviews(70)), {}, {}, {}, 0};
  add_corpus("mine", sources);
  EXPECT_SAYS(wrong_input_of([&] { add_corpus("mine", others); }), "a corpus with the name 'mine' exists");
  EXPECT_EQ(find_corpus("mine").count(Split::train), 40);
  add_corpus("mine", others, true);
  EXPECT_EQ(find_corpus("mine").count(Split::train), 56);
}

TEST_F(CorpusTest, ADamagedOneIsRefused) {
  add_corpus("mine", {table("a.tsv", reviews(50)), {}, {}, {}, 0});
  const std::filesystem::path home = home_folder() / "data" / "mine";
  std::filesystem::copy_file(home / "validation.jsonl.zst", home / "train.jsonl.zst",
                             std::filesystem::copy_options::overwrite_existing);
  EXPECT_SAYS(wrong_input_of([] { texts_of(find_corpus("mine"), Split::train); }), "examples, but 40 were added");
  add_corpus("others", {table("b.tsv", reviews(48) + "good\tx\nbad\ty\n"), {}, {}, {}, 0});
  std::filesystem::copy_file(home.parent_path() / "others" / "train.jsonl.zst", home / "train.jsonl.zst",
                             std::filesystem::copy_options::overwrite_existing);
  EXPECT_SAYS(wrong_input_of([] { texts_of(find_corpus("mine"), Split::train); }),
              "train.jsonl.zst: has other texts than were added. Add the corpus 'mine' again");
  std::ofstream(home / "train.jsonl.zst") << "{";
  EXPECT_SAYS(wrong_input_of([] { texts_of(find_corpus("mine"), Split::train); }), "Add the corpus 'mine' again");
  std::ofstream(home / "corpus.toml") << "paired = ";
  EXPECT_SAYS(wrong_input_of([] { find_corpus("mine"); }), "corpus.toml: is damaged");
  const std::vector<Corpus> all = all_corpora();
  const auto mine = std::ranges::find(all, "mine", &Corpus::name);
  ASSERT_NE(mine, all.end());
  EXPECT_SAYS(mine->summary, "corpus.toml: is damaged");
  EXPECT_NE(std::ranges::find(all, "others", &Corpus::name), all.end()) << "the others are listed all the same";
}

TEST_F(CorpusTest, WhatKilledProcessesLeftIsCleared) {
  const CorpusSources sources{table("a.tsv", reviews(5000)), {}, {}, {}, 0};
  const pid_t child = ::fork();
  if (child == 0) {
    add_corpus("killed", sources, false, [](std::int64_t, std::int64_t) { ::raise(SIGKILL); });
    ::_exit(0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(drafts(), 1);
  EXPECT_THROW(find_corpus("killed"), Error);
  add_corpus("mine", sources);
  EXPECT_EQ(drafts(), 0);
  remove_corpus("mine");
  EXPECT_SAYS(wrong_input_of([] { find_corpus("mine"); }), "there is no corpus 'mine'");
  EXPECT_SAYS(wrong_input_of([] { remove_corpus("mine"); }), "there is no corpus 'mine'");
  EXPECT_SAYS(wrong_input_of([] { remove_corpus("made-reviews"); }), "is a part of the program");
}

// As two programs that add at the same time.
TEST_F(CorpusTest, OneThatIsAddedMeanwhileStays) {
  const CorpusSources sources{table("a.tsv", reviews(2000)), {}, {}, {}, 0};
  const CorpusSources others{table("b.tsv", reviews(50)), {}, {}, {}, 0};
  EXPECT_SAYS(wrong_input_of([&] {
                bool meanwhile = true;
                add_corpus("mine", sources, false, [&](std::int64_t, std::int64_t of) {
                  if (of > 0 && std::exchange(meanwhile, false)) add_corpus("mine", others);
                });
              }),
              "a corpus with the name 'mine' exists");
  EXPECT_EQ(find_corpus("mine").count(Split::train), 40);
}

// A process that is not seen from here has a number that belongs to nobody, and holds its draft.
TEST_F(CorpusTest, WhatALivingProcessOfAnotherContainerAddsStays) {
  const CorpusSources sources{table("a.tsv", reviews(50)), {}, {}, {}, 0};
  add_corpus("mine", sources, false, [&, first = true](std::int64_t, std::int64_t) mutable {
    if (!std::exchange(first, false)) return;
    char host[256] = {};
    ::gethostname(host, sizeof host - 1);
    const std::filesystem::path home = home_folder() / "data";
    const std::string nobody = std::to_string(std::numeric_limits<int>::max());
    const std::filesystem::path left = home / (std::string(".left.") + host + "-" + nobody + "-1");
    const std::filesystem::path held = home / (std::string(".held.") + host + "-" + nobody + "-1");
    std::filesystem::create_directories(left);
    std::filesystem::create_directories(held);
    const int holds = ::open(held.c_str(), O_RDONLY | O_DIRECTORY);
    ASSERT_EQ(::flock(holds, LOCK_EX), 0);
    add_corpus("others", sources);
    EXPECT_FALSE(std::filesystem::exists(left));
    EXPECT_TRUE(std::filesystem::exists(held));
    ::close(holds);
  });
  add_corpus("third", sources);
  EXPECT_EQ(drafts(), 0);
}

TEST_F(CorpusTest, IsStoppedWhicheverFileIsRead) {
  const CorpusSources sources{
      table("a.tsv", reviews(50)), table("b.tsv", reviews(50)), table("c.tsv", reviews(50)), {}, 0};
  int asked = 0;
  add_corpus("mine", sources, false, [&](std::int64_t, std::int64_t) { ++asked; });
  EXPECT_EQ(asked, 4) << "the training texts must be read twice";
  for (int when = 0; when < asked; ++when) {
    EXPECT_THROW(add_corpus("others", sources, false,
                            [&, k = 0](std::int64_t, std::int64_t) mutable {
                              if (k++ == when) throw std::runtime_error("stopped");
                            }),
                 std::runtime_error);
    EXPECT_THROW(find_corpus("others"), Error);
    EXPECT_EQ(drafts(), 0);
  }
}

TEST_F(CorpusTest, LabelsMayHaveAnyLetter) {
  add_corpus("mine", {table("a.tsv", reviews(50) + "a\x7f\"\\b\tx\na\x7f\"\\b\ty\n"), {}, {}, {}, 0});
  const std::vector<std::string> classes = find_corpus("mine").classes;
  EXPECT_NE(std::find(classes.begin(), classes.end(), "a\x7f\"\\b"), classes.end());
}

TEST_F(CorpusTest, AFileNeedNotHaveANameInUtf8) {
  add_corpus("mine", {table("a\xff.tsv", reviews(50)), {}, {}, {}, 0});
  EXPECT_SAYS(find_corpus("mine").summary, "a\uFFFD.tsv");
}

TEST_F(CorpusTest, OnlyWhatIsWholeIsListed) {
  add_corpus("mine", {table("a.tsv", reviews(50)), {}, {}, {}, 0});
  const std::filesystem::path home = home_folder() / "data";
  std::filesystem::copy(home / "mine", home / ".mine.elsewhere-1-1");
  for (const Corpus& corpus : all_corpora()) EXPECT_FALSE(corpus.name.starts_with('.'));
  std::filesystem::create_directories(home / "pictures");
  EXPECT_SAYS(wrong_input_of([&] { add_corpus("pictures", {table("a.tsv", reviews(50)), {}, {}, {}, 0}); }),
              "a corpus with the name 'pictures' exists");
  remove_corpus("pictures");
  EXPECT_FALSE(std::filesystem::exists(home / "pictures"));
  EXPECT_SAYS(wrong_input_of([] { remove_corpus("../data"); }), "cannot be the name of a corpus");
}

TEST_F(CorpusTest, MadeOnesAreThere) {
  const std::vector<Corpus> all = all_corpora();
  ASSERT_GE(all.size(), 2u);
  for (const Corpus& corpus : all) {
    if (corpus.trace) continue;  // trace_corpus_test.cpp
    for (const Split split : {Split::train, Split::validation, Split::test})
      EXPECT_EQ(static_cast<std::int64_t>(texts_of(corpus, split).size()), corpus.count(split));
  }
}

}  // namespace
}  // namespace fovea
