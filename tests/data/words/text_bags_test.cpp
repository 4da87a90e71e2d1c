#include "fovea/data/words/text_bags.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>

#include "fovea/base/error/error.h"
#include "fovea/data/text/word_counts.h"

namespace fovea {
namespace {

namespace fs = std::filesystem;

class TextBags : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "fovea-bags-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return folder_ / name;
  }

  // "number: words -> outputs" of every example, by number.
  static std::map<std::int64_t, std::string> all(const BagSource& source, int threads = 1) {
    std::map<std::int64_t, std::string> examples;
    std::mutex lock;
    Team team(threads);
    source.each(team, [&](int, const BagPair& pair) {
      std::string text;
      for (const int id : pair.input) text += source.input_word(id) + " ";
      text += "->";
      for (const int id : pair.output) text += " " + source.output_word(id);
      const std::lock_guard<std::mutex> hold(lock);
      examples[pair.number] = text;
    });
    return examples;
  }

  static TextSource labelled(const fs::path& file) {
    TextSource source;
    source.file = file;
    source.text = {"2"};
    source.label = "1";
    return source;
  }
  static TextSource parallel(const fs::path& from, const fs::path& to) {
    TextSource source;
    source.file = from;
    source.target_file = to;
    return source;
  }

  static std::string complaint(const std::function<void()>& work) {
    try {
      work();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), Error::Kind::wrong_input);
      return error.what();
    }
    ADD_FAILURE() << "was taken";
    return {};
  }

  Team team_;
  fs::path folder_;
};

TEST_F(TextBags, ReadsLabelledLines) {
  const auto source = text_bags(labelled(write("a.tsv", "label\ttext\npos\tb a  a\nneg\ta\n")), team_);
  EXPECT_EQ(source->outputs_are(), BagSource::Outputs::classes);
  EXPECT_EQ(source->size(), 2);
  EXPECT_EQ(source->outputs(), 2);
  EXPECT_EQ(source->input_word(0), "a");  // the most frequent
  EXPECT_EQ(all(*source), (std::map<std::int64_t, std::string>{{0, "b a a -> pos"}, {1, "a -> neg"}}));
}

TEST_F(TextBags, CutsLabelledTextsAsClassifiersDo) {
  const auto source = text_bags(labelled(write("a.tsv", "q\tWhen is it due?\nc\tIs it \"late\"?😡\n")), team_);
  EXPECT_EQ(all(*source),
            (std::map<std::int64_t, std::string>{{0, "when is it due ? -> q"}, {1, "is it \" late \" ? 😡 -> c"}}));
  EXPECT_EQ(source->cut("Due?"), (std::vector<std::string>{"due", "?"}));
}

TEST_F(TextBags, ReadsTwoFilesLineByLine) {
  const auto source = text_bags(parallel(write("a.de", "ein Haus\nja\n"), write("a.en", "a house\nyes")), team_);
  EXPECT_EQ(source->outputs_are(), BagSource::Outputs::words);
  EXPECT_EQ(all(*source), (std::map<std::int64_t, std::string>{{0, "ein Haus -> a house"}, {1, "ja -> yes"}}));
}

TEST_F(TextBags, IsTheSameWithMoreThreads) {
  std::string lines;
  for (int n = 0; n < 40'000; ++n) lines += fmt::format("{}\tw{} w{} w{}\n", n % 3, n % 101, n % 7, n);
  const fs::path path = write("many.tsv", lines);
  Team team(3);
  const auto one = text_bags(labelled(path), team_), three = text_bags(labelled(path), team);
  EXPECT_EQ(one->size(), 40'000);
  EXPECT_EQ(one->input_word(5), three->input_word(5));
  EXPECT_EQ(all(*one), all(*three, 3));
}

TEST_F(TextBags, SaysWhatIsWrongAndWhere) {
  const auto wrong = [&](const std::string& text) {
    return complaint([&] { text_bags(labelled(write("a.tsv", text)), team_); });
  };
  EXPECT_NE(wrong("1\tgood\nbad\n").find("a.tsv:2"), std::string::npos);
  EXPECT_NE(wrong("1\ta\n1\tb\n").find("label '1'"), std::string::npos);
  std::string many;
  for (int n = 0; n < 1100; ++n) many += fmt::format("text {}\tlabel\n", n);
  EXPECT_NE(wrong(many).find("different labels"), std::string::npos);
  const std::string uneven =
      complaint([&] { text_bags(parallel(write("a.de", "ein\nzwei\n"), write("a.en", "one\n")), team_); });
  EXPECT_FALSE(uneven.empty());
}

TEST(WordCounts, KeepsTheFrequentWhenThereAreTooMany) {
  WordCounts counts(3);
  counts.add({{"a", 5}, {"b", 4}, {"c", 1}, {"d", 1}});
  EXPECT_EQ(counts.words(), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(counts.floor(), 1);
  counts.add({{"c", 6}});
  EXPECT_EQ(counts.words(), (std::vector<std::string>{"c", "a", "b"}));
}

}  // namespace
}  // namespace fovea
