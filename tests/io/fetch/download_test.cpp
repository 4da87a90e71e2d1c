#include "fovea/io/fetch/download.h"

#include <fcntl.h>
#include <sys/file.h>

#include "fovea/io/sha256.h"
#include "tests/io/fetch/web_server.h"
#include "tests/io/scratch_folder.h"

namespace fovea {
namespace {

namespace fs = std::filesystem;
using Request = WebServer::Request;
using Reply = WebServer::Reply;

std::string sha256(std::string_view bytes) {
  Sha256 sum;
  sum.add(bytes);
  return sum.hex();
}

TEST(Sha256, AgreesWithTheStandardsExamples) {
  EXPECT_EQ(sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  Sha256 million;
  for (int i = 0; i < 1000; ++i) million.add(std::string(1000, 'a'));
  EXPECT_EQ(million.hex(), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, IsTheSameHoweverTheBytesCome) {
  const std::string bytes(1000, 'x');
  for (const std::size_t piece : {1u, 7u, 55u, 56u, 63u, 64u, 65u, 129u}) {
    Sha256 sum;
    for (std::size_t at = 0; at < bytes.size(); at += piece) sum.add(std::string_view(bytes).substr(at, piece));
    EXPECT_EQ(sum.hex(), sha256(bytes)) << piece;
  }
}

class DownloadTest : public WithScratchFolder {
 protected:
  void SetUp() override {
    WithScratchFolder::SetUp();
    if (!can_download()) GTEST_SKIP() << "built without libcurl";
    manners_.pause = 0.01;
    manners_.tries = 3;
    manners_.timeout = 120;
    for (std::uint32_t i = 0; i < 300'000; ++i) bytes_ += static_cast<char>(i * 7919 >> 5 & 0xff);
  }
  fs::path file() const { return folder_ / "deep" / "file.bin"; }
  fs::path part() const { return folder_ / "deep" / "file.bin.part"; }
  Download wanted() const {
    return {server_.address("/file"), file(), static_cast<std::int64_t>(bytes_.size()), sha256(bytes_)};
  }
  void get() { download(wanted(), manners_); }
  static std::string read(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  std::string failure_of(const Download& wanted) {
    try {
      download(wanted, manners_);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), Error::Kind::failure) << error.what();
      EXPECT_FALSE(fs::exists(wanted.file));
      return error.what();
    }
    ADD_FAILURE() << "it was fetched";
    return {};
  }
  // Sends so many bytes and breaks the connection.
  void breaks_after(std::int64_t count) {
    server_.on("/file", [this, count](const Request& request, const Reply& reply) {
      reply.part_head(bytes_, request.from);
      reply.send(
          std::string_view(bytes_).substr(static_cast<std::size_t>(request.from), static_cast<std::size_t>(count)));
    });
  }

  WebServer server_;
  DownloadManners manners_;
  std::string bytes_;
};

TEST_F(DownloadTest, BringsTheWholeFileAndTellsHowFarItIs) {
  server_.gives("/file", bytes_);
  std::int64_t most = 0;
  manners_.progress = [&](std::int64_t have, std::int64_t of) {
    EXPECT_LE(have, of);
    EXPECT_GE(have, most);
    most = have;
    EXPECT_EQ(of, 300'000);
  };
  get();
  EXPECT_EQ(read(file()), bytes_);
  EXPECT_FALSE(fs::exists(part()));
  EXPECT_EQ(server_.requests().size(), 1u);
}

TEST_F(DownloadTest, GoesOnWhereAConnectionBroke) {
  breaks_after(100'000);
  get();
  EXPECT_EQ(read(file()), bytes_);
  const auto requests = server_.requests();
  ASSERT_EQ(requests.size(), 3u);
  EXPECT_EQ(requests[1].from, 100'000);
  EXPECT_EQ(requests[2].from, 200'000);
}

TEST_F(DownloadTest, BeginsAgainWhereTheServerKnowsNoRanges) {
  server_.on("/file", [this](const Request& request, const Reply& reply) {
    reply.head("200 OK", static_cast<std::int64_t>(bytes_.size()));
    reply.send(request.number == 0 ? bytes_.substr(0, 120'000) : bytes_);
  });
  get();
  EXPECT_EQ(read(file()), bytes_);
  EXPECT_EQ(server_.requests()[1].from, 120'000);
}

TEST_F(DownloadTest, AnotherPartThanTheOneAskedForIsNotTaken) {
  server_.on("/file", [this](const Request& request, const Reply& reply) {
    const std::string from = request.number == 1 ? "5" : std::to_string(request.from);
    reply.head(request.from ? "206 Partial Content" : "200 OK", static_cast<std::int64_t>(bytes_.size()) - request.from,
               request.from ? "Content-Range: bytes " + from + "-299999/300000\r\n" : "");
    reply.send(bytes_.substr(static_cast<std::size_t>(request.from), request.number == 0 ? 1000 : bytes_.npos));
  });
  get();
  EXPECT_EQ(read(file()), bytes_);
  EXPECT_EQ(server_.requests().size(), 3u);
}

TEST_F(DownloadTest, WhatHasComeIsKeptUntilAllOfItComesAnew) {
  server_.on("/file", [this](const Request& request, const Reply& reply) {
    if (request.number == 0) return reply.head("200 OK", 300'000), void(reply.send(bytes_.substr(0, 1000)));
    if (request.from == 0) return reply.head("503 Service Unavailable", 0);
    reply.head("206 Partial Content", 10, "Content-Range: bytes 5-14/300000\r\n");
    reply.send(bytes_.substr(5, 10));
  });
  EXPECT_SAYS(failure_of(wanted()), "broke off after 1000 of 300000 bytes");
  EXPECT_EQ(read(part()), bytes_.substr(0, 1000));
  EXPECT_EQ(server_.requests()[2].from, 0) << "all of it is asked for";
}

TEST_F(DownloadTest, AFileOfUnknownSizeHasABoundAllTheSame) {
  server_.gives("/file", bytes_);
  Download endless = wanted();
  endless.bytes = 0;
  endless.most_bytes = 200'000;
  EXPECT_SAYS(failure_of(endless), "sent another file: it has more than 200000 bytes");
  EXPECT_FALSE(fs::exists(part()));
}

TEST_F(DownloadTest, GivesUpWhenNothingNewComesAndKeepsWhatHasCome) {
  server_.on("/file", [this](const Request& request, const Reply& reply) {
    reply.part(bytes_.substr(0, 50'000), request.from);  // a file that was cut short at the server
  });
  EXPECT_SAYS(failure_of(wanted()), "broke off after 50000 of 300000 bytes: the server has no more of the file");
  EXPECT_EQ(read(part()), bytes_.substr(0, 50'000));
  EXPECT_EQ(server_.requests().size(), 4u);
  server_.gives("/file", bytes_);
  get();
  EXPECT_EQ(read(file()), bytes_);
  EXPECT_EQ(server_.requests().back().from, 50'000);
}

TEST_F(DownloadTest, AServerThatNeverGetsFurtherIsGivenUp) {
  server_.on("/file", [this](const Request&, const Reply& reply) {
    reply.head("200 OK", static_cast<std::int64_t>(bytes_.size()));
    reply.send(bytes_.substr(0, 1000));
  });
  EXPECT_SAYS(failure_of(wanted()), "broke off after 1000 of 300000 bytes");
  EXPECT_EQ(server_.requests().size(), 4u);
}

TEST_F(DownloadTest, WhatIsNotThereOrNotAllowedIsSaid) {
  EXPECT_SAYS(failure_of(wanted()), "/file is not there (status 404)");
  server_.on("/file", [](const Request&, const Reply& reply) { reply.head("403 Forbidden", 0); });
  EXPECT_SAYS(failure_of(wanted()), "may not be fetched (status 403)");
  EXPECT_EQ(server_.requests().size(), 2u);
  EXPECT_FALSE(fs::exists(part()));
}

TEST_F(DownloadTest, AServerInTroubleIsAskedAgain) {
  server_.on("/file", [this](const Request& request, const Reply& reply) {
    if (request.number < 2) reply.head("503 Service Unavailable", 0);
    else reply.part(bytes_, request.from);
  });
  get();
  EXPECT_EQ(read(file()), bytes_);
  fs::remove(file());
  server_.on("/file", [](const Request&, const Reply& reply) { reply.head("500 Internal Server Error", 0); });
  EXPECT_SAYS(failure_of(wanted()), "gave nothing: the server cannot give it now (status 500)");
}

TEST_F(DownloadTest, OtherBytesAreThrownAway) {
  server_.gives("/file", std::string(300'000, 'w'));
  EXPECT_SAYS(failure_of(wanted()), "sent another file than the expected one: its SHA-256 is " +
                                        sha256(std::string(300'000, 'w')) + ", not " + sha256(bytes_));
  EXPECT_FALSE(fs::exists(part()));
  EXPECT_EQ(server_.requests().size(), 1u);
}

TEST_F(DownloadTest, MoreBytesThanTheFileHasAreNotTaken) {
  server_.on("/file", [this](const Request&, const Reply& reply) {
    reply.send("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n");
    while (reply.send(bytes_)) {
    }
  });
  EXPECT_SAYS(failure_of(wanted()), "sent another file: it has more than 300000 bytes");
  EXPECT_FALSE(fs::exists(part()));
}

TEST_F(DownloadTest, AWrongBeginningOfAnEarlierStartIsFetchedOnceMore) {
  server_.gives("/file", bytes_);
  put("deep/file.bin.part", std::string(1000, '?'));
  get();
  EXPECT_EQ(read(file()), bytes_);
  ASSERT_EQ(server_.requests().size(), 2u);
  EXPECT_EQ(server_.requests()[1].from, 0);
  fs::remove(file());
  put("deep/file.bin.part", std::string(400'000, '?'));  // longer than the file
  get();
  EXPECT_EQ(read(file()), bytes_);
}

TEST_F(DownloadTest, WrongBytesThatComeInPiecesAreNotFetchedForEver) {
  server_.on("/file", [](const Request& request, const Reply& reply) {
    const std::string wrong(300'000, 'w');
    reply.part_head(wrong, request.from);
    reply.send(std::string_view(wrong).substr(static_cast<std::size_t>(request.from), 100'000));
  });
  EXPECT_SAYS(failure_of(wanted()), "sent another file");
  EXPECT_EQ(server_.requests().size(), 6u);
}

TEST_F(DownloadTest, AFileOfUnknownSizeIsFetchedAndTakenUpAgain) {
  breaks_after(200'000);
  Download unknown = wanted();
  unknown.bytes = 0;
  download(unknown, manners_);
  EXPECT_EQ(read(file()), bytes_);
  fs::rename(file(), part());  // all of it had come when the program was killed
  server_.gives("/file", bytes_);
  download(unknown, manners_);
  EXPECT_EQ(read(file()), bytes_);
}

TEST_F(DownloadTest, IsLedOnButNotForEver) {
  server_.gives("/there", bytes_);
  const auto leads_to = [&](const std::string& address) {
    server_.on("/file", [address](const Request&, const Reply& reply) {
      reply.head("302 Found", 4, "Location: " + address + "\r\n");
      reply.send("away");
    });
  };
  leads_to("/there");
  get();
  EXPECT_EQ(read(file()), bytes_);
  fs::remove(file());
  leads_to("/file");
  EXPECT_SAYS(failure_of(wanted()), "redirects more than 8 times");
  leads_to("file:///etc/hostname");
  EXPECT_SAYS(failure_of(wanted()), "redirects to an address that is not a web address");
  EXPECT_FALSE(fs::exists(part()));
}

TEST_F(DownloadTest, ASilentServerIsGivenUp) {
  server_.on("/file", [](const Request&, const Reply& reply) { reply.wait(60); });
  manners_.timeout = 1;
  manners_.tries = 1;
  EXPECT_SAYS(failure_of(wanted()), "gave nothing: no data arrived for 1 s");
}

TEST_F(DownloadTest, StopsWhenAskedAndKeepsWhatHasCome) {
  server_.on("/file", [this](const Request& request, const Reply& reply) {
    reply.part_head(bytes_, request.from);
    reply.send(bytes_.substr(0, 100'000));
    reply.wait(60);
  });
  std::atomic<bool> stop{false};
  manners_.stop = &stop;
  manners_.progress = [&](std::int64_t have, std::int64_t) { stop = have >= 100'000; };
  EXPECT_SAYS(failure_of(wanted()), "stopped after 100000 of 300000 bytes of file.bin");
  EXPECT_EQ(read(part()), bytes_.substr(0, 100'000));
  manners_.stop = nullptr;
  server_.gives("/file", bytes_);
  get();
  EXPECT_EQ(read(file()), bytes_);
  EXPECT_EQ(server_.requests().back().from, 100'000);
}

TEST_F(DownloadTest, AFullDiskIsSaid) {
  server_.gives("/file", bytes_);
  fs::create_directories(part().parent_path());
  fs::create_symlink("/dev/full", part());
  EXPECT_SAYS(failure_of(wanted()), "cannot be written: the disk is full");
}

TEST_F(DownloadTest, TwoAtATimeAreKeptApart) {
  server_.gives("/file", bytes_);
  put("deep/file.bin.part", bytes_.substr(0, 10));
  const int other = ::open(part().c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_EQ(::flock(other, LOCK_EX), 0);
  EXPECT_SAYS(failure_of(wanted()), "is being downloaded by another process");
  ::close(other);
  get();
  EXPECT_EQ(read(file()), bytes_);
}

TEST_F(DownloadTest, WhatIsNoAddressIsSaid) {
  for (const char* address : {"nonsense:", "ftp://127.0.0.1/x", "file:///etc/hostname", "http://"}) {
    Download wrong = wanted();
    wrong.address = address;
    EXPECT_SAYS(wrong_input_of([&] { download(wrong, manners_); }), "is not a web address");
  }
}

}  // namespace
}  // namespace fovea
