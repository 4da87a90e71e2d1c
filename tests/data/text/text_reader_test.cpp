#include "fovea/data/text/text_reader.h"

#include <sys/stat.h>

#include <vector>

#include "tests/io/packed.h"
#include "tests/io/scratch_folder.h"

namespace fovea {
namespace {

struct Read {
  std::vector<std::string> texts, others;  // others: labels or targets
  std::vector<int> lines;
  ReadReport report;
};

Read read(const TextSource& source) {
  TextReader reader(source);
  Read all;
  for (TextExample example; reader.next(example);) {
    all.texts.emplace_back(example.text);
    all.others.emplace_back(example.label.empty() ? example.target : example.label);
    all.lines.push_back(example.location.line);
  }
  all.report = reader.report();
  EXPECT_EQ(all.report.read, static_cast<std::int64_t>(all.texts.size()));
  return all;
}

class TextReaderTest : public WithScratchFolder {
 protected:
  TextSource table(const std::string& name, const std::string& bytes, std::vector<std::string> text = {"2"},
                   const std::string& label = "1") const {
    TextSource source;
    source.file = put(name, bytes);
    source.text = std::move(text);
    source.label = label;
    return source;
  }
  static std::string complaint(const TextSource& source) {
    return wrong_input_of([&] { read(source); });
  }
};
using Texts = std::vector<std::string>;

TEST_F(TextReaderTest, TsvTakesQuotesAsLetters) {
  const Read all = read(table("a.tsv", "ham\the said \"go\nspam\t\"win\"\r\n\nham\tok"));
  EXPECT_EQ(all.texts, (Texts{"he said \"go", "\"win\"", "ok"}));
  EXPECT_EQ(all.others, (Texts{"ham", "spam", "ham"}));
  EXPECT_EQ(all.lines, (std::vector<int>{1, 2, 4}));
  EXPECT_TRUE(all.report.header.empty());
}

TEST_F(TextReaderTest, TakesATableInMemory) {
  const std::string bytes = "label,text\nham,\"one, two\"\nspam,three\nham,four\nspam,five\n";
  TextSource source;
  source.file = "what was pasted";
  source.table = bytes;
  source.format = TextFormat::csv;
  source.text = {"2"};
  source.label = "1";
  const Read all = read(source);
  EXPECT_EQ(all.texts, (Texts{"one, two", "three", "four", "five"}));
  EXPECT_EQ(all.report.header, (Texts{"label", "text"}));
  source.table = "ham,one\nspam\n";
  EXPECT_SAYS(complaint(source), "what was pasted:2: has no text: it is expected in column 2");
}

TEST_F(TextReaderTest, CsvUnquotes) {
  const Read all = read(table("a.csv",
                              "\"3\",\"a \"\"b\"\", c\nd\"\r\n"
                              "4,\\\"x\\ y\r\n"
                              "\"\",z\n"
                              "4,\"\\\\\"\"quoted\\\\\"\n",
                              {"2"}, ""));
  EXPECT_EQ(all.texts, (Texts{"a \"b\", c\nd", "\\\"x\\ y", "z", "\\\\\"quoted\\\\"}));
  EXPECT_EQ(all.lines, (std::vector<int>{1, 3, 4, 5}));
}

TEST_F(TextReaderTest, SeveralColumnsAreJoined) {
  const Read all = read(table("a.csv", "1,Title,Text\n2,,Only\n", {"2", "3"}, "1"));
  EXPECT_EQ(all.texts, (Texts{"Title Text", "Only"}));
}

TEST_F(TextReaderTest, ColumnsGoByName) {
  const std::string bytes = "id,class,text\n1,pos,good\n2,neg,bad\n";
  const Read all = read(table("a.csv", bytes, {}, "class"));
  EXPECT_EQ(all.texts, (Texts{"good", "bad"}));
  EXPECT_EQ(all.others, (Texts{"pos", "neg"}));
  EXPECT_EQ(all.report.header, (Texts{"id", "class", "text"}));
  EXPECT_SAYS(complaint(table("a.csv", bytes, {"texts"}, "class")),
              "a.csv:1: has no column 'texts'; its first line is 'id', 'class', 'text'. Did you mean 'text'");
  EXPECT_SAYS(complaint(table("a.csv", bytes, {"4"}, "class")), "has no column 4");
  TextSource headless = table("a.csv", bytes, {}, "class");
  headless.header = Header::no;
  EXPECT_SAYS(complaint(headless), "without a header its columns have numbers");
}

TEST_F(TextReaderTest, ColumnsThatCanNotBeMeantAreSaid) {
  EXPECT_SAYS(complaint(table("a.csv", "label;text\nham;hi\n", {"text"}, "label")), "seem to be separated by ';'");
  EXPECT_SAYS(complaint(table("a.csv", "ham;hi\nspam;win\n", {"2"}, "1")), "seem to be separated by ';'");
  EXPECT_SAYS(complaint(table("b.tsv", "ham\thi\n", {"1", "2"}, "2")),
              "the column '2' is named as the text and as the label");
  EXPECT_SAYS(complaint(table("b.tsv", "label\ttext\nham\thi\n", {"label"}, "1")),
              "the column 'label', which is '1', is named as the text and as the label");
  EXPECT_SAYS(complaint(table("b.tsv", "ham\thi\n", {"2", "2"}, "1")),
              "the column '2' is named twice as the text. Name it once");
  EXPECT_SAYS(complaint(table("b.jsonl", "{\"text\": \"hi\"}\n", {"text", "text"}, "")), "Name it once");
  EXPECT_SAYS(complaint(table("c.csv", "text,text,label\nhi,you,ham\n", {"text"}, "label")),
              "c.csv:1: has several columns 'text'; its first line is 'text', 'text', 'label'. Name it by number");
  EXPECT_SAYS(complaint(table("c.csv", "how awful it was!,ham\nfine,spam\n", {}, "2")),
              "has no column 'text', and no other column is named as the text; its first line is 'how awful "
              "it was!', 'ham'. Name the column of the text by its header or by its number");
  EXPECT_SAYS(complaint(table("c.csv", "how awful it was!,ham\nfine,spam\n", {"1"}, "kind")),
              "has no column 'kind'; its first line is 'how awful it was!', 'ham'. Name it by number, from 1");
  for (const char* number : {"0", "99999999999999999999"})
    EXPECT_SAYS(
        complaint(table("c.csv", "fine,ham\nfine,spam\n", {"1"}, number)),
        std::string("has no column ") + number + "; its first line is 'fine', 'ham'. Name a column from 1 to 2");
}

TEST_F(TextReaderTest, AHeaderIsFoundWhereItReadsLikeOne) {
  EXPECT_EQ(read(table("a.tsv", "Label\tSMS\nham\thi you\nham\twin\n")).report.header, (Texts{"Label", "SMS"}));
  EXPECT_EQ(read(table("a.tsv", "x\tone\ny\ttwo\n")).texts.size(), 2u) << "too few lines to tell";
  EXPECT_EQ(read(table("a.tsv", "Class\tSMS\ny\ttwo\n")).texts.size(), 1u) << "its name tells";
  EXPECT_EQ(read(table("a.tsv", "ham\tSMS\nham\thi you\nspam\twin\n")).texts.size(), 3u) << "its label is a label";
  EXPECT_EQ(read(table("a.tsv", "1\tSMS\n0\thi you\n")).texts.size(), 2u) << "a number is no name";
  TextSource named = table("a.tsv", "Label\tSMS\nham\thi\n");
  named.header = Header::no;
  EXPECT_EQ(read(named).texts, (Texts{"SMS", "hi"}));
  named.header = Header::yes;
  EXPECT_EQ(read(named).texts, Texts{"hi"});
  EXPECT_EQ(read(table("b.tsv", "\xef\xbb\xbfLabel\tSMS\r\nham\thi\r\n", {"SMS"}, "Label")).texts, Texts{"hi"});
}

TEST_F(TextReaderTest, JsonlTakesNamedValues) {
  const Read all = read(table("a.jsonl",
                              "{\"text\": \"gut \\u00e4 \\\"x\\\"\", \"label\": 1, \"meta\": {\"text\": [1, {}]}}\n \n"
                              "{\"label\": true, \"text\": \"b\"}\n{\"label\":\"x\",\"text\":\"c\"}",
                              {}, "label"));
  EXPECT_EQ(all.texts, (Texts{"gut ä \"x\"", "b", "c"}));
  EXPECT_EQ(all.others, (Texts{"1", "true", "x"}));
  EXPECT_EQ(all.lines, (std::vector<int>{1, 3, 4}));
  const auto says = [&](const std::string& bytes, const char* part) {
    EXPECT_SAYS(complaint(table("b.jsonl", bytes, {}, "label")), part);
  };
  says("{\"text\": \"a\"}", "b.jsonl:1: has no key \"label\"");
  says("{\"text\": [\"a\"], \"label\": 1}", "b.jsonl:1: \"text\" is a list, not a text");
  says("{\"text\": \"a\", \"label\": 1}\n{\"text\": ", "b.jsonl:2: is not JSON near ");
  says("[1]", "is a JSON list, not an object");
  says("3", "is not a JSON object");
  says(std::string(300'000, '['), "is a JSON list, not an object");
  says("{\"text\":" + std::string(300'000, '['), "\"text\" is a list");
  says("{\"x\":" + std::string(300'000, '['), "is not JSON");
}

TEST_F(TextReaderTest, AMalformedLineStopsOrIsSkippedAndCounted) {
  TextSource source =
      table("a.tsv", "pos\tone\nneg\npos\ttwo\textra\nneg\tsch\xf6n\n\tno label\npos\t \nneg\tlast\t\npos\t" +
                         std::string(2 << 20, 'x') + "\nneg\tend\n");
  EXPECT_SAYS(complaint(source), "a.tsv:2: has no text: it is expected in column 2");
  source.bad = BadLine::skip;
  const Read all = read(source);
  EXPECT_EQ(all.texts, (Texts{"one", "last", "end"}));
  EXPECT_EQ(all.lines, (std::vector<int>{1, 7, 9}));
  EXPECT_EQ(all.report.skipped, 6);
  ASSERT_EQ(all.report.complaints.size(), 5u);
  EXPECT_SAYS(all.report.complaints[1], "a.tsv:3: has 3 columns, but the first line has 2");
  EXPECT_SAYS(all.report.complaints[2], "a.tsv:4:8: is not UTF-8");
  EXPECT_SAYS(all.report.complaints[3], "a.tsv:5: the label is empty");
  EXPECT_SAYS(all.report.complaints[4], "a.tsv:6: the text is empty");
}

TEST_F(TextReaderTest, AQuoteLeftOpenTakesOnlyItsOwnLine) {
  TextSource source =
      table("a.csv", "1,\"never closed\n2,second\n1,\"third\"\n2,\"fourth\" x\n1,\"also never\n2,\"sixth\nseventh\"\n");
  EXPECT_SAYS(complaint(source),
              "a.csv:3:4: has 't' after the closing quote of a field that begins in line 1; a comma");
  source.bad = BadLine::skip;
  const Read all = read(source);
  EXPECT_EQ(all.texts, (Texts{"second", "third", "sixth\nseventh"}));
  EXPECT_EQ(all.report.skipped, 3);
  source = table("b.csv", "1,good\n2,\"open\nto the end\n");
  EXPECT_SAYS(complaint(source), "b.csv:2:3: a quote is opened here and not closed within the file");
  source =
      table("c.csv", "1,good\n2,\"open\n" + std::string(600'000, 'x') + "\n" + std::string(600'000, 'x') + "\n3,end");
  EXPECT_SAYS(complaint(source), "c.csv:2:3: a quote is opened here and not closed within 1048576 bytes");
}

TEST_F(TextReaderTest, ParallelFilesGoLineByLine) {
  TextSource source;
  source.file = put("a.de.gz", gzipped("ein Haus\nzwei\n"));
  source.target_file = put("a.en.zst", zstandard("a house\r\ntwo"));
  const Read all = read(source);
  EXPECT_EQ(all.texts, (Texts{"ein Haus", "zwei"}));
  EXPECT_EQ(all.others, (Texts{"a house", "two"}));

  source.target_file = put("b.en", "a house\ntwo\nthree\nfour\n");
  EXPECT_SAYS(complaint(source),
              "has 2 lines, but " + (folder_ / "b.en").string() + " has 4; line 3 is the first line without a partner");
  source.file = put("c.de", "ein Haus\n\nzwei\ndrei\nvier\n");
  EXPECT_SAYS(complaint(source), "c.de:2: is empty, but line 2 of");
  source.bad = BadLine::skip;
  EXPECT_SAYS(complaint(source), "has 5 lines, but");
  EXPECT_SAYS(complaint(source), "has 4; line 2 is empty in only one of the files");
  source.target_file = put("c.en", "a house\n\ntw\xff\nthree\nfour");
  const Read kept = read(source);
  EXPECT_EQ(kept.texts, (Texts{"ein Haus", "drei", "vier"}));
  EXPECT_EQ(kept.others, (Texts{"a house", "three", "four"}));
  EXPECT_EQ(kept.report.skipped, 2);
}

TEST_F(TextReaderTest, AFolderHoldsAFolderForEachClass) {
  put("set/pos/2.txt", "good\r\nindeed\n");
  put("set/pos/10.txt.gz", gzipped("fine"));
  put("set/neg/a", "bad");
  put("set/.hidden/a", "no");
  put("set/neg/.DS_Store", "no");
  put("set/readme.txt", "no");
  TextSource source;
  source.file = folder_ / "set";
  Read all = read(source);
  EXPECT_EQ(all.texts, (Texts{"bad", "fine", "good\nindeed"}));
  EXPECT_EQ(all.others, (Texts{"neg", "pos", "pos"}));
  put("set/pos/3.txt", "\n");
  EXPECT_SAYS(complaint(source), "3.txt:1: the text is empty");
  source.bad = BadLine::skip;
  EXPECT_EQ(read(source).texts, all.texts);
  std::filesystem::create_symlink("itself", folder_ / "set/pos/itself");
  ASSERT_EQ(::mkfifo((folder_ / "set/pos/pipe").c_str(), 0600), 0);
  EXPECT_EQ(read(source).texts, all.texts);
  EXPECT_EQ(read(source).report.skipped, 3);
  source.bad = BadLine::stop;
  std::filesystem::remove(folder_ / "set/pos/3.txt");
  EXPECT_SAYS(complaint(source), "itself:1: is not a readable file");
  std::filesystem::remove(folder_ / "set/pos/itself");
  EXPECT_SAYS(complaint(source), "pipe:1: is not a readable file");
  std::filesystem::remove(folder_ / "set/pos/pipe");
  source.file = folder_ / "set/pos";
  EXPECT_SAYS(complaint(source), "has no folders");
  std::filesystem::create_directory(folder_ / "set/none");
  source.file = folder_ / "set";
  EXPECT_SAYS(complaint(source), "none: is a class without texts");
  std::filesystem::remove(folder_ / "set/none");
  put("set/caf\xe9/a.txt", "good");
  EXPECT_SAYS(complaint(source), "its name is the name of a class, and is not UTF-8");
}

TEST_F(TextReaderTest, WhatHoldsNothingIsRefused) {
  EXPECT_SAYS(complaint(table("a.tsv", "")), "a.tsv: is empty");
  EXPECT_SAYS(complaint(table("a.tsv", "\n\r\n")), "a.tsv: is empty");
  EXPECT_SAYS(complaint(table("b.csv", "text,label\n", {}, "label")), "b.csv: has no text");
  EXPECT_SAYS(complaint(table("a.jsonl", "\n", {}, "label")), "a.jsonl: has no text");
  EXPECT_SAYS(complaint(table("a.data", "x\ty")), "its name has no known ending");
  TextSource nowhere;
  nowhere.file = "/nowhere/a.tsv";
  EXPECT_SAYS(complaint(nowhere), "there is no such file");
  TextSource skipping = table("c.tsv", "ham\nspam\n", {"1"}, "2");
  EXPECT_SAYS(complaint(skipping), "has no column 2; its first line is 'ham'");
  skipping = table("d.tsv", "ham\t\nspam\t\n");
  skipping.bad = BadLine::skip;
  EXPECT_SAYS(complaint(skipping), "no line can be read. The first error: ");
  EXPECT_EQ(complaint(skipping).find(".."), std::string::npos) << "one full stop";
}

TEST_F(TextReaderTest, DamagedPackingIsNeverSkipped) {
  std::string bytes;
  for (int i = 0; i < 20'000; ++i) bytes += "a\t" + std::to_string(i * 7919 % 10'007) + "\n";
  const std::string packed = gzipped(bytes);
  TextSource source = table("a.tsv.gz", packed.substr(0, packed.size() - 100));
  source.bad = BadLine::skip;
  EXPECT_SAYS(complaint(source), "gzip data end too early");
}

}  // namespace
}  // namespace fovea
