#include "fovea/data/corpus/public_corpora.h"

#include <gtest/gtest.h>

#include <set>

#include "fovea/base/error/error.h"

namespace fovea {
namespace {

const std::string good = R"([[file]]
name = "a.zip"
address = ["https://host.example/a.zip"]
bytes = 10
sha256 = "1587ea43e58e82b14ff1f5425c88e17f8496bfcdb67a583dbff9eefaf9963ce3"
members = ["A"]
)";

std::string refusal(const std::string& toml) {
  try {
    parse_public_corpus(toml, "a", "a.toml");
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::wrong_input);
    return error.what();
  }
  return "nothing was refused";
}

std::string with(const std::string& part, const std::string& other) {
  std::string text = good;
  return text.replace(text.find(part), part.size(), other);
}

TEST(PublicCorpora, TheProgramsOwnAreComplete) {
  const std::vector<PublicCorpus> all = public_corpora();
  std::set<std::string> names;
  for (const PublicCorpus& corpus : all) {
    names.insert(corpus.name);
    EXPECT_FALSE(corpus.title.empty() || corpus.terms.empty() || corpus.home.empty()) << corpus.name;
    std::set<std::string> sums;
    for (const PublicCorpus::File& file : corpus.files) sums.insert(file.sha256);
    EXPECT_EQ(sums.size(), corpus.files.size()) << corpus.name;
    // What is read is one of the files, or unpacked out of one.
    if (!corpus.is_corpus()) continue;
    for (const TextSource* source :
         {&corpus.sources.train, corpus.sources.test ? &*corpus.sources.test : &corpus.sources.train}) {
      bool known = false;
      for (const PublicCorpus::File& file : corpus.files) {
        known = known || source->file == file.name;
        for (const std::string& member : file.members) known = known || member.starts_with(source->file.string());
      }
      EXPECT_TRUE(known) << corpus.name << ": " << source->file;
    }
  }
  EXPECT_EQ(names, (std::set<std::string>{"20-newsgroups", "ag-news", "imdb", "mnist", "multi30k", "sms-spam",
                                          "yelp-polarity"}));
}

TEST(PublicCorpora, AreFoundByNameHoweverItIsWritten) {
  EXPECT_EQ(find_public_corpus("IMDB").name, "imdb");
  try {
    find_public_corpus("sms-spum");
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("Did you mean 'sms-spam'"), std::string::npos) << error.what();
  }
}

TEST(PublicCorpora, WhatIsWrongInAFileIsNamed) {
  EXPECT_EQ(refusal(good + "[train]\nfile = \"A\"\nlabel = \"1\"\n"), "nothing was refused");
  const std::vector<std::pair<std::string, std::string>> wrong{
      {"title = \"none\"", "a.toml: names no file to download"},
      {with("bytes", "byte"), "a.toml:4:1: file has no setting 'byte'"},
      {with("\"1587", "\"X587"), "a.toml:1:1: the file 'a.zip' has the checksum 'X587"},
      {with("[\"https://host.example/a.zip\"]", "[]"), "has no address"},
      {with("a.zip\"\n", "../a.zip\"\n"), "'../a.zip' cannot be the name of a downloaded file"},
      {with("a.zip\"\n", "b/a.zip\"\n"), "the file 'b/a.zip' cannot have this name"},
      {with("[\"A\"]", "[\"/etc/passwd\"]"), "'/etc/passwd' cannot be the name"},
      {good + good, "two files have the name 'a.zip'"},
      {good + "[train]\nfile = \"/etc/passwd\"\n", "'/etc/passwd' cannot be the name"},
      {good + "[train]\nfile = \"A\"\nlable = \"1\"\n", "a.toml:9:1: train has no setting 'lable'"},
      {good + "[test]\nfile = \"A\"\nlabel = \"1\"\n", "has [test] and no [train]"},
      {good + "[train]\nfile = \"A.csv\"\n", "a.toml:7:2: [train] names neither a class nor a translation"},
      {good + "[trian]\nfile = \"A\"\n", "has no setting 'trian'"},
      {"train = 3\n" + good, "train must be a table, not an integer"},
      {"file = 3\n", "names no file to download"},
      {"file = [3]\n", "file must be a list of tables"},
  };
  for (const auto& [toml, part] : wrong) EXPECT_NE(refusal(toml).find(part), std::string::npos) << refusal(toml);
}

}  // namespace
}  // namespace fovea
