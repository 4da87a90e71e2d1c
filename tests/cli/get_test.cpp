#include <csignal>

#include "fovea/io/fetch/download.h"
#include "fovea/io/fetch/unpack.h"
#include "fovea/io/sha256.h"
#include "tests/cli/program.h"
#include "tests/io/fetch/web_server.h"

namespace fovea {
namespace {

namespace fs = std::filesystem;
using fovea::testing::Outcome;
using fovea::testing::ProgramTest;
using fovea::testing::says;

class GetTest : public ProgramTest {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
    if (!can_download() || !can_unpack()) GTEST_SKIP() << "built without libcurl or libarchive";
    for (int i = 0; i < 20'000; ++i)
      messages_ += (i % 3 ? "ham\tsee you at " : "spam\tcall ") + std::to_string(i) + "\n";
    Sha256 sum;
    sum.add(messages_);
    write("messages.toml",
          "title = \"many messages\"\nterms = \"none\"\nhome = \"nowhere\"\n[[file]]\n"
          "name = \"messages.tsv\"\naddress = [\"" +
              server_.address("/messages.tsv") + "\"]\nbytes = " + std::to_string(messages_.size()) + "\nsha256 = \"" +
              sum.hex() + "\"\n[train]\nfile = \"messages.tsv\"\nlabel = \"1\"\ntext = [\"2\"]\n");
  }

  std::int64_t half() const { return static_cast<std::int64_t>(messages_.size() / 2); }

  // Gets half of it, ends the program by a signal, and starts it again.
  void interrupted_by(int signal) {
    server_.on("/messages.tsv", [this](const WebServer::Request& request, const WebServer::Reply& reply) {
      reply.part_head(messages_, request.from);
      reply.send(messages_.substr(0, static_cast<std::size_t>(half())));
      reply.wait(60);
    });
    const pid_t child = start("data get messages.toml", "first");
    const fs::path part = home_ / "data" / ".getting-messages" / "messages.tsv.part";
    EXPECT_TRUE(wait_until([&] {
      std::error_code missing;
      const auto size = fs::file_size(part, missing);
      return !missing && static_cast<std::int64_t>(size) == half();
    }));
    ::kill(child, signal);
    const Outcome first = end_of(child, "first");
    if (signal == SIGINT) {
      EXPECT_EQ(first.code, 1);
      EXPECT_TRUE(says(first.err, "stopped after " + std::to_string(half()) + " of "));
      EXPECT_TRUE(says(first.err, "the same command continues from it"));
    } else {
      EXPECT_EQ(first.code, 128 + signal);
    }
    EXPECT_EQ(static_cast<std::int64_t>(fs::file_size(part)), half());

    server_.gives("/messages.tsv", messages_);
    const auto resumed = json("data get messages.toml --json");
    EXPECT_EQ(server_.requests().back().from, half());
    const auto whole = json("data get messages.toml --as whole --json");
    EXPECT_EQ(server_.requests().back().from, 0);
    EXPECT_EQ(resumed["digest"], whole["digest"]);
    EXPECT_EQ(resumed["files"][0]["read"], 20'000);
    EXPECT_FALSE(fs::exists(part));
  }

  WebServer server_;
  std::string messages_;
};

TEST_F(GetTest, GoesOnAfterAnInterruption) { interrupted_by(SIGINT); }
TEST_F(GetTest, GoesOnAfterAKill) { interrupted_by(SIGKILL); }

TEST_F(GetTest, AsAPersonMeetsIt) {
  const Outcome list = fovea("data get");
  EXPECT_EQ(list.code, 0) << list.err;
  EXPECT_TRUE(says(list.out, "imdb"));
  EXPECT_TRUE(says(list.out, "84.1 MB"));
  server_.gives("/messages.tsv", messages_);
  const Outcome got = fovea("data get messages.toml");
  EXPECT_EQ(got.code, 0) << got.err;
  EXPECT_TRUE(
      says(got.out, "Added 'messages': 16000 for training, 2000 for validation, 2000 for the test, in 2 classes."));
  EXPECT_TRUE(says(got.out, "Terms: none; see nowhere"));
  EXPECT_TRUE(says(fovea("data get messages.toml").out, "'messages' is already installed"));

  const auto wrong = [&](const std::string& words, const std::string& part, int code) {
    const Outcome outcome = fovea("data get " + words);
    EXPECT_EQ(outcome.code, code) << words;
    EXPECT_TRUE(says(outcome.err, part));
    EXPECT_EQ(outcome.out, "") << words;
  };
  wrong("sms-spum", "Did you mean 'sms-spam'?", 2);
  wrong("nowhere.toml", "nowhere.toml: there is no such file", 2);
  wrong("messages.toml --as .hidden", "cannot be the name of a corpus", 2);
  wrong("sms-spam --from " + server_.address("/none"), "/none/smsspamcollection.zip is not there (status 404)", 1);
  wrong("sms-spam --from nowhere", "nowhere/smsspamcollection.zip: there is no such file", 2);
  server_.gives("/wrong/smsspamcollection.zip", std::string(203'415, 'x'));
  wrong("sms-spam --from " + server_.address("/wrong"), "sent another file than the expected one", 1);
}

TEST_F(GetTest, AWrongColumnIsAMistakeOfTheDescription) {
  write("messages.tsv", messages_);
  std::string description = read(folder_ / "messages.toml");
  description.replace(description.find("label = \"1\""), 11, "label = \"7\"");
  write("messages.toml", description);
  const Outcome refused = fovea("data get messages.toml --from .");
  EXPECT_EQ(refused.code, 2);
  EXPECT_TRUE(says(refused.err, "fovea: messages.toml: ./messages.tsv:1: has no column 7; its first line is "));
}

}  // namespace
}  // namespace fovea
