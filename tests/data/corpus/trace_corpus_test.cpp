// Traces of memory accesses of one's own: read, refused, kept, and read again.
#include "fovea/data/corpus/trace_corpus.h"

#include "fovea/base/file.h"
#include "tests/io/scratch_folder.h"

namespace fovea {
namespace {

class TraceCorpusTest : public WithHomeFolder {
 protected:
  AddedCorpus add(const std::string& bytes, BadLine bad = BadLine::stop) {
    return add_trace("app", put("app.csv", bytes), bad);
  }
  static std::string times(int count, const std::string& line) {
    std::string text;
    for (int i = 0; i < count; ++i) text += line;
    return text;
  }
  static std::vector<TracedAccess> accesses_of(const Corpus& corpus) {
    std::vector<TracedAccess> all;
    each_access(corpus, [&](const TracedAccess& access) { all.push_back(access); });
    return all;
  }
};

TEST_F(TraceCorpusTest, IsKeptWholeAndReadAgain) {
  const AddedCorpus added =
      add("\xEF\xBB\xBFpc,address\r\n0x401000,0x7ffd00001040\r\n 4198400 ; 140724603457664\n"
          "\"0x401004\"\t\"0xFFFFFFFFFFFFFFFF\"\n" +
          times(45, "7,0\n") + " \n\n");
  std::vector<TracedAccess> wanted{
      {0x401000, 0x7ffd00001040}, {4198400, 140724603457664}, {0x401004, 0xffffffffffffffff}};
  wanted.resize(48, {7, 0});
  EXPECT_EQ(added.reports.at(0).header, (std::vector<std::string>{"pc", "address"}));
  const Corpus corpus = find_corpus("app");
  EXPECT_EQ(accesses_of(corpus), wanted);
  ASSERT_TRUE(corpus.trace);
  EXPECT_EQ(corpus.trace->counters, 3);  // 4198400 is 0x401000
  EXPECT_EQ(corpus.trace->pages, 3);
  EXPECT_EQ(corpus.digest, added.corpus.digest);
  EXPECT_EQ(corpus.count(Split::train), 40);
  EXPECT_SAYS(wrong_input_of([&] { each_example(corpus, Split::train, {}); }), "has memory accesses, not texts");
  EXPECT_SAYS(wrong_input_of([&] { accesses_of(find_corpus("made-reviews")); }), "has texts, not memory accesses");
}

TEST_F(TraceCorpusTest, IsPartedInItsOrder) {
  std::string bytes;
  for (int i = 0; i < 105; ++i) bytes += "1," + std::to_string(64 * i) + "\n";
  EXPECT_EQ(add(bytes).corpus.examples, (std::array<std::int64_t, 3>{85, 10, 10}));
  const TraceSummary summary = summarise_trace(find_corpus("app"));
  EXPECT_EQ(summary.steps, (TraceSummary::Counts{{1, 104}}));
  EXPECT_EQ(summary.counters.front(), (std::pair<std::uint64_t, std::int64_t>{1, 105}));
}

TEST_F(TraceCorpusTest, SaysThatTheLineBeforeABadOneWasAHeader) {
  const std::string words = wrong_input_of([&] { add("label\ttext\npos\tgood\n"); });
  EXPECT_SAYS(words, "app.csv:2: 'pos' is not a whole number. The line before was read as a header. Write 4096");
  EXPECT_EQ(wrong_input_of([&] { add("pc,address\n1,64\npos,1\n"); }).find("header"), std::string::npos);
}

TEST_F(TraceCorpusTest, RefusesBadLinesByFileAndLineAndKeepsNothing) {
  const auto refused = [&](const std::string& line) {
    const std::string complaint = wrong_input_of([&] { add("0x1,0x40\n" + line + "\n0x1,0x80\n"); });
    EXPECT_SAYS(complaint, "app.csv:2:");
    EXPECT_THROW(find_corpus("app"), Error);
    EXPECT_TRUE(std::filesystem::is_empty(home_folder() / "data")) << line;
    return complaint;
  };
  EXPECT_SAYS(refused("0x1,here"), "'here' is not a whole number");
  EXPECT_SAYS(refused("0x1,0x"), "'0x' is not a whole number");
  EXPECT_SAYS(refused("0x1,7fff"), "'7fff' is not a decimal number. If it is hexadecimal, write 0x7fff");
  EXPECT_SAYS(refused("0x1,1e6"), "'1e6' is not a decimal number");
  EXPECT_SAYS(refused("0x1,64.0"), "'64.0' is not a whole number");
  EXPECT_SAYS(refused("0x1,-64"), "'-64' is negative");
  EXPECT_SAYS(refused("0x1"), "has a counter, '0x1', and no address");
  EXPECT_SAYS(refused("0x1,"), "has a counter, '0x1', and no address");
  EXPECT_SAYS(refused(",0x40"), "has no counter");
  EXPECT_SAYS(refused("1,64,read"), "has 3 columns");
  EXPECT_SAYS(refused("1;64\tread"), "has 3 columns");
  EXPECT_SAYS(refused("1,12345678901234567890"), "'12345678901234567890' has 20 digits");
  EXPECT_SAYS(refused("1,0x10000000000000000"), "has 17 digits");
  EXPECT_SAYS(refused("1,\xff"), "UTF-8");
  EXPECT_SAYS(refused("1," + std::string(5000, '1')), "longer than");
  EXPECT_SAYS(refused("pc,address"), "'pc' is not a whole number");  // a header comes first
  EXPECT_SAYS(refused(" \n"), "is empty. Write COUNTER,ADDRESS on each line");
  for (const char* const none : {"", "\n\n", "pc,address\n"})
    EXPECT_SAYS(wrong_input_of([&] { add(none); }), "app.csv: has no access");
  EXPECT_SAYS(wrong_input_of([&] { add(times(45, "1,64\n")); }),
              "app.csv: has 45 accesses, and training needs at least 46");
  EXPECT_TRUE(std::filesystem::is_empty(home_folder() / "data"));
}

TEST_F(TraceCorpusTest, SkipsBadLinesIfAsked) {
  const AddedCorpus added = add("1,64\n1,here\n1,-1\n\n\n" + times(45, "1,128\n") + "\n", BadLine::skip);
  EXPECT_EQ(added.corpus.count(Split::train), 38);
  EXPECT_EQ(added.reports.at(0).skipped, 4);
  EXPECT_SAYS(added.reports.at(0).complaints.at(1), "app.csv:3: '-1' is negative");
  EXPECT_EQ(added.reports.at(0).complaints.at(1).find("skip"), std::string::npos) << "they are, already";
  EXPECT_SAYS(added.reports.at(0).complaints.at(2), "app.csv:4: is empty");
  EXPECT_SAYS(wrong_input_of([&] { add_trace("other", put("b.csv", "x,1\ny,2\n"), BadLine::skip); }),
              "no line can be read. The first error: ");
}

TEST_F(TraceCorpusTest, OneIsMade) {
  const Corpus corpus = find_corpus("made-accesses");
  EXPECT_EQ(std::ssize(accesses_of(corpus)),
            corpus.count(Split::train) + corpus.count(Split::validation) + corpus.count(Split::test));
  EXPECT_EQ(corpus.trace->counters, 2);
  EXPECT_EQ(corpus.trace->pages, 12);
}

TEST_F(TraceCorpusTest, NoticesWhenWhatIsKeptWasChanged) {
  add(times(46, "1,64\n"));
  write_whole(home_folder() / "data" / "app" / "trace.csv.zst", "0x1,0x40\n0x1,0xc0\n");
  EXPECT_SAYS(wrong_input_of([] { accesses_of(find_corpus("app")); }), "has other accesses than were added");
  write_whole(home_folder() / "data" / "app" / "trace.csv.zst", "0x1,0x4");
  EXPECT_SAYS(wrong_input_of([] { accesses_of(find_corpus("app")); }), "has other accesses");
}

}  // namespace
}  // namespace fovea
