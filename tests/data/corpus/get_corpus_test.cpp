#include "fovea/data/corpus/get_corpus.h"

#include "fovea/base/file.h"
#include "fovea/io/fetch/unpack.h"
#include "fovea/io/sha256.h"
#include "tests/io/archives.h"
#include "tests/io/fetch/web_server.h"
#include "tests/io/packed.h"
#include "tests/io/scratch_folder.h"

namespace fovea {
namespace {

namespace fs = std::filesystem;

class GetCorpusTest : public WithHomeFolder {
 protected:
  void SetUp() override {
    WithHomeFolder::SetUp();
    if (!can_download() || !can_unpack()) GTEST_SKIP() << "built without libcurl or libarchive";
    how_.manners.pause = 0.01;
    how_.manners.tries = 2;
  }

  PublicCorpus::File file(const std::string& name, const std::string& bytes, std::vector<std::string> members = {}) {
    server_.gives("/" + name, bytes);
    Sha256 sum;
    sum.add(bytes);
    return {
        name, {server_.address("/" + name)}, static_cast<std::int64_t>(bytes.size()), sum.hex(), std::move(members)};
  }
  static std::string messages(int count) {
    std::string table;
    for (int i = 0; i < count; ++i) table += (i % 3 ? "ham\tsee you at " : "spam\tcall ") + std::to_string(i) + "\n";
    return table;
  }
  PublicCorpus messages_in_zip() {
    PublicCorpus wanted;
    wanted.name = "messages";
    wanted.title = "60 messages";
    wanted.home = "http://127.0.0.1/";
    wanted.files = {file("messages.zip", zip_of("Messages", messages(60)), {"Messages"})};
    wanted.sources.train.file = "Messages";
    wanted.sources.train.format = TextFormat::tsv;
    wanted.sources.train.label = "1";
    wanted.sources.train.text = {"2"};
    return wanted;
  }
  fs::path store() const { return folder_ / "home" / "data"; }

  WebServer server_;
  Getting how_;
};

TEST_F(GetCorpusTest, AnArchiveBecomesACorpusOnce) {
  const PublicCorpus wanted = messages_in_zip();
  EXPECT_FALSE(is_here(wanted, "messages"));
  const Got got = get_corpus(wanted, how_);
  EXPECT_FALSE(got.was_here);
  ASSERT_TRUE(got.added);
  EXPECT_EQ(got.added->corpus.classes, (std::vector<std::string>{"ham", "spam"}));
  EXPECT_EQ(find_corpus("messages").digest, got.added->corpus.digest);
  EXPECT_SAYS(find_corpus("messages").summary, "60 messages (got from http://127.0.0.1/, ");
  EXPECT_TRUE(is_here(wanted, "messages"));
  EXPECT_TRUE(get_corpus(wanted, how_).was_here);
  EXPECT_EQ(server_.requests().size(), 1u);
  for (const auto& entry : fs::directory_iterator(store())) EXPECT_EQ(entry.path().filename(), "messages");
  how_.replace = true;
  EXPECT_EQ(get_corpus(wanted, how_).added->corpus.digest, got.added->corpus.digest);
}

TEST_F(GetCorpusTest, FoldersOfTextsInLatin1) {
  PublicCorpus wanted;
  wanted.name = "groups";
  wanted.latin1 = true;
  std::string tar;
  for (int i = 0; i < 30; ++i)
    tar += tar_member("train/" + std::string(i % 2 ? "a/" : "b/") + std::to_string(i), "caf\xe9");
  wanted.files = {file("groups.tar.gz", gzipped(tar + tar_end()), {"train/"})};
  wanted.sources.train.file = "train";
  wanted.sources.train.format = TextFormat::folder;
  const Got got = get_corpus(wanted, how_);
  std::string text;
  each_example(got.added->corpus, Split::train, [&](const TextExample& example) { text = example.text; });
  EXPECT_EQ(text, "café");
}

TEST_F(GetCorpusTest, FilesThatAreNoTextsAreKeptAsTheyAre) {
  PublicCorpus wanted;
  wanted.name = "digits";
  wanted.files = {file("images.gz", "images"), file("labels.gz", "labels")};
  const Got got = get_corpus(wanted, how_);
  EXPECT_FALSE(got.added);
  EXPECT_EQ(got.folder, store() / "digits");
  EXPECT_TRUE(fs::exists(got.folder / "images.gz"));
  EXPECT_TRUE(get_corpus(wanted, how_).was_here);
  EXPECT_EQ(server_.requests().size(), 2u);
}

TEST_F(GetCorpusTest, AnotherThingOfThatNameIsNotTouched) {
  const PublicCorpus wanted = messages_in_zip();
  TextSource own;
  own.file = put("own.tsv", messages(90));
  own.label = "1";
  own.text = {"2"};
  const std::string digest = add_corpus("messages", {own, {}, {}, {}, 0}).corpus.digest;
  EXPECT_SAYS(wrong_input_of([&] { get_corpus(wanted, how_); }), "another corpus with the name 'messages' exists");
  EXPECT_EQ(find_corpus("messages").digest, digest);
  how_.as = "others";
  EXPECT_EQ(get_corpus(wanted, how_).added->corpus.name, "others");
  how_.as = "../others";
  EXPECT_SAYS(wrong_input_of([&] { get_corpus(wanted, how_); }), "cannot be the name of a corpus");
}

TEST_F(GetCorpusTest, FilesOfAFolderAndOfAnotherAddressAreTaken) {
  PublicCorpus wanted = messages_in_zip();
  wanted.files.front().addresses = {server_.address("/moved")};
  try {
    get_corpus(wanted, how_);
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_SAYS(error.what(), "/moved is not there (status 404)");
  }
  how_.from = folder_;
  EXPECT_SAYS(wrong_input_of([&] { get_corpus(wanted, how_); }), "messages.zip: there is no such file");
  put("messages.zip", "something else");
  EXPECT_SAYS(wrong_input_of([&] { get_corpus(wanted, how_); }), "is not the expected file: its SHA-256 is ");
  put("messages.zip", zip_of("Messages", messages(60)));
  const std::string digest = get_corpus(wanted, how_).added->corpus.digest;
  how_.from = server_.address("");
  how_.as = "mirrored";
  EXPECT_EQ(get_corpus(wanted, how_).added->corpus.digest, digest);
}

TEST_F(GetCorpusTest, TheNextAddressIsTriedWhereOneFails) {
  PublicCorpus wanted = messages_in_zip();
  wanted.files.front().addresses.insert(wanted.files.front().addresses.begin(), server_.address("/gone"));
  EXPECT_TRUE(get_corpus(wanted, how_).added);
}

TEST_F(GetCorpusTest, OneThatIsDamagedIsNotHereAndCanBeReplaced) {
  const PublicCorpus wanted = messages_in_zip();
  get_corpus(wanted, how_);
  EXPECT_TRUE(is_here(wanted, "messages"));
  write_whole(store() / "messages" / "corpus.toml", "paired = ");
  EXPECT_FALSE(is_here(wanted, "messages"));
  EXPECT_SAYS(wrong_input_of([&] { get_corpus(wanted, how_); }), "replace the other");
  how_.replace = true;
  EXPECT_TRUE(get_corpus(wanted, how_).added);
  EXPECT_TRUE(is_here(wanted, "messages"));
}

TEST_F(GetCorpusTest, WhereAllAddressesFailEachIsTold) {
  PublicCorpus wanted = messages_in_zip();
  wanted.files.front().addresses = {server_.address("/gone"), server_.address("/moved"), server_.address("/lost")};
  try {
    get_corpus(wanted, how_);
    ADD_FAILURE();
  } catch (const Error& error) {
    for (const char* const address : {"/gone", "/moved", "/lost"}) EXPECT_SAYS(error.what(), address);
    EXPECT_SAYS(error.problem().text(), "/lost is not there (status 404); and before, ");
  }
}

TEST_F(GetCorpusTest, WhatWasFetchedIsUsedWhenTheRestFails) {
  PublicCorpus wanted = messages_in_zip();
  PublicCorpus::File second = file("more.tsv", messages(3));
  second.addresses = {server_.address("/not-yet")};
  wanted.files.push_back(second);
  EXPECT_THROW(get_corpus(wanted, how_), Error);
  EXPECT_FALSE(fs::exists(store() / "messages"));
  server_.gives("/not-yet", messages(3));
  EXPECT_TRUE(get_corpus(wanted, how_).added);
  int fetched = 0;
  for (const WebServer::Request& request : server_.requests()) fetched += request.path == "/messages.zip";
  EXPECT_EQ(fetched, 1);
}

}  // namespace
}  // namespace fovea
