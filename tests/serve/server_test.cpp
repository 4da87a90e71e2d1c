#include "fovea/serve/server.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include "fovea/base/error/error.h"
#include "fovea/serve/access.h"
#include "tests/serve/peer.h"

namespace fovea {
namespace {

using testing_parts::Peer;
using namespace std::chrono_literals;

// A server on a thread of its own, which says what it was asked for.
class ServerThreads : public testing::Test {
 protected:
  void start(ServerOptions options = {}) {
    options.stop = &stop_;
    server_.emplace(std::move(options), [this](const HttpRequest& request) {
      ++asked_;
      if (request.path == "/big") return HttpAnswer{.type = "text/plain", .body = std::string(64 << 20, 'x')};
      if (request.path == "/wrong") throw wrong_input("that is wrong", "do it right");
      if (request.path == "/broken") throw std::runtime_error("broken");
      return HttpAnswer{.body = request.method + " " + request.path + " " + request.body};
    });
    thread_ = std::thread([this] { server_->run(); });
  }
  void TearDown() override {
    stop_ = true;
    if (thread_.joinable()) thread_.join();
  }

  int port() const { return server_->port(); }
  std::string head(const std::string& line, const std::string& more = {}) const {
    return fmt::format("{} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n{}\r\n", line, port(), more);
  }
  std::string ask(const std::string& bytes) const {
    const Peer peer(port());
    peer.send(bytes);
    return peer.read_all();
  }
  std::string closing(const std::string& line, const std::string& more = {}) const {
    return head(line, "Connection: close\r\n" + more);
  }
  void expect_alive() const {
    // Where limits are tight, a slow machine is late with a request: it is dropped, and asked again.
    std::string answer;
    for (int i = 0; i < 100 && answer.empty(); ++i) answer = ask(closing("GET /alive"));
    EXPECT_TRUE(answer.starts_with("HTTP/1.1 200") && answer.ends_with("GET /alive ")) << answer;
  }

  std::atomic<bool> stop_{false};
  std::atomic<int> asked_{0};
  std::optional<Server> server_;
  std::thread thread_;
};

TEST_F(ServerThreads, SeveralRequestsOfOneConnectionAreAnsweredInOrder) {
  start();
  const Peer peer(port());
  peer.send(head("GET /one") + head("GET /two?x=1") + head("HEAD /three") + closing("GET /four"));
  const std::string all = peer.read_all();
  EXPECT_LT(all.find("GET /one "), all.find("GET /two "));
  EXPECT_LT(all.find("GET /two "), all.find("GET /four "));
  EXPECT_EQ(all.find("/three"), std::string::npos);  // a HEAD has no body
  EXPECT_EQ(asked_, 4);
  EXPECT_NE(all.find("Content-Security-Policy: default-src 'none'"), std::string::npos);
}

TEST_F(ServerThreads, FramesOfOthersShowItOnlyWhereTheyAreNamed) {
  ServerOptions named;
  named.frames = {"https://slides.example", "localhost:8000"};
  start(named);
  EXPECT_NE(ask(closing("GET /one")).find("frame-ancestors https://slides.example localhost:8000\r\n"),
            std::string::npos);
  EXPECT_EQ(frame_ancestors({}), "'none'");
  for (const char* wrong : {"", "*", "a b", "a;script-src", "https://", "a/b", "'self'"})
    EXPECT_THROW(frame_ancestors({wrong}), Error) << wrong;
}

TEST_F(ServerThreads, WhatTheHandlerThrowsIsAnswered) {
  start();
  EXPECT_NE(ask(closing("GET /wrong")).find("HTTP/1.1 400"), std::string::npos);
  EXPECT_NE(ask(closing("GET /wrong")).find("do it right"), std::string::npos);
  EXPECT_NE(ask(closing("GET /broken")).find("HTTP/1.1 500"), std::string::npos);
  expect_alive();
}

TEST_F(ServerThreads, ForeignNamesAndPagesAreTurnedAwayUnheard) {
  start();
  EXPECT_NE(ask("GET / HTTP/1.1\r\nHost: example.org\r\nConnection: close\r\n\r\n").find("HTTP/1.1 403"),
            std::string::npos);
  EXPECT_NE(ask("GET / HTTP/1.0\r\n\r\n").find(" 403"), std::string::npos);
  EXPECT_NE(ask(closing("GET /x", "Origin: http://example.org\r\n")).find("HTTP/1.1 403"), std::string::npos);
  EXPECT_NE(ask(closing("DELETE /x")).find("HTTP/1.1 405"), std::string::npos);
  EXPECT_NE(ask(closing("POST /x", "Content-Length: 0\r\n")).find("HTTP/1.1 415"), std::string::npos);
  for (const char* path : {"/../x", "/%2e%2e/x", "/a%00", "//..", "/%"})
    EXPECT_NE(ask(closing(std::string("GET ") + path)).find("HTTP/1.1 400"), std::string::npos) << path;
  EXPECT_EQ(asked_, 0);
  EXPECT_NE(
      ask(closing("POST /x", "Content-Type: application/json\r\nContent-Length: 2\r\n") + "{}").find("POST /x {}"),
      std::string::npos);
}

TEST_F(ServerThreads, WhatIsNoHttpIsSaidToBeNone) {
  start();
  for (const std::string& bytes :
       {std::string("\0\0\0\0\r\n\r\n", 8), std::string("GET\r\n\r\n"), std::string("GET / HTTP/9.9\r\n\r\n"),
        std::string("GET / HTTP/1.1\r\nHost\r\n\r\n"), std::string("GET / HTTP/1.1\r\nContent-Length: -1\r\n\r\n"),
        std::string("POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx"),
        std::string("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"),
        std::string("\x16\x03\x01\x02\x00\x01\x00\r\n\r\n", 11)})
    EXPECT_NE(ask(bytes).find("HTTP/1.1 400"), std::string::npos) << bytes;
  EXPECT_NE(ask("GET / HTTP/1.1\r\nX: " + std::string(20'000, 'x')).find("HTTP/1.1 431"), std::string::npos);
  EXPECT_EQ(asked_, 0);
  expect_alive();
}

TEST_F(ServerThreads, BodiesBeyondTheLimitAreRefusedBeforeTheyAreSent) {
  start();
  const std::string type = "Content-Type: application/json\r\n";
  EXPECT_NE(ask(head("POST /x", type + "Content-Length: 1073741824\r\n")).find("HTTP/1.1 413"), std::string::npos);
  // One that sends all the same, and one that does not say how long it is.
  const Peer eager(port());
  eager.send(head("POST /x", type + "Content-Length: 1073741824\r\n"));
  const std::string megabyte(1 << 20, 'x');
  int sent = 0;
  while (sent < 1024 && eager.send(megabyte)) ++sent;
  EXPECT_LT(sent, 1024);
  const Peer endless(port());
  endless.send(head("POST /x", type + "Transfer-Encoding: chunked\r\n"));
  while (sent < 2048 && endless.send("100000\r\n" + megabyte + "\r\n")) ++sent;
  EXPECT_LT(sent, 2048);
  EXPECT_EQ(asked_, 0);
  expect_alive();
}

TEST_F(ServerThreads, SilentConnectionsMakeRoom) {
  ServerOptions options;
  options.limits.connections = 50;
  start(options);
  std::vector<Peer> silent;
  for (int i = 0; i < 400; ++i) silent.emplace_back(port());
  expect_alive();
  // Also where each has begun to speak.
  for (const Peer& peer : silent) peer.send("GET / HT");
  expect_alive();
}

TEST_F(ServerThreads, AThousandConnectionsAtOnceAreAnsweredOrClosed) {
  rlimit files{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &files), 0);
  if (files.rlim_max < 2000) GTEST_SKIP() << "this system lets a process open " << files.rlim_max << " files";
  files.rlim_cur = std::max<rlim_t>(files.rlim_cur, 2000);
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &files), 0);
  start();
  std::vector<Peer> peers;
  for (int i = 0; i < 1000; ++i) {
    peers.emplace_back(port());
    ASSERT_TRUE(peers.back().connected()) << i;
  }
  // Those that are still open speak all at once, half of them and leave, half and wait for what they get.
  for (std::size_t i = 0; i < peers.size(); ++i)
    if (peers[i].send(closing("GET /" + std::to_string(i))) && i % 2 == 0) peers[i].leave();
  std::size_t answered = 0;
  for (const Peer& peer : peers)
    if (peer.connected() && peer.read_all().find("HTTP/1.1 200") != std::string::npos) ++answered;
  EXPECT_GE(answered, 50u);
  // The last of them are let go of in a moment; until then a newcomer may find no room.
  for (int i = 0; i < 3000 && ask(closing("GET /room")).empty(); ++i) std::this_thread::sleep_for(10ms);
  expect_alive();
}

TEST_F(ServerThreads, SlowWritersAreDropped) {
  ServerOptions options;
  options.limits.request = 300ms;
  start(options);
  const Peer slow(port());
  slow.send("GET / HTTP/1.1\r\n");
  EXPECT_EQ(slow.read_all(), "");  // closed by the server, not by the test's patience
  const Peer drip(port());
  std::atomic<bool> gone{false};
  for (int i = 0; i < 3000 && !gone; ++i) {  // a byte now and then does not help
    gone = !drip.send("X");
    std::this_thread::sleep_for(10ms);
  }
  EXPECT_TRUE(gone);
  expect_alive();
}

TEST_F(ServerThreads, SlowReadersAreDropped) {
  ServerOptions options;
  options.limits.answer = 300ms;
  start(options);
  constexpr std::size_t all = std::size_t{64} << 20;
  std::size_t got = all;
  // On a slow machine the server, too, comes late: it is then given longer.
  for (auto pause = 1500ms; got >= all && pause < 60s; pause *= 2) {
    const Peer slow(port(), 4096);
    const int before = asked_;
    slow.send(closing("GET /big"));
    while (asked_ == before) std::this_thread::sleep_for(10ms);
    expect_alive();  // meanwhile
    std::this_thread::sleep_for(pause);
    got = slow.read_all().size();
  }
  EXPECT_LT(got, all);
  expect_alive();
}

TEST_F(ServerThreads, ReadersOfEventsAreToldTheNewest) {
  std::atomic<int> looks{0};
  ServerOptions options;
  options.pause = 1ms;
  options.limits.heartbeat = 20ms;
  options.watch = [&] { return HttpEvent{"count", std::to_string(++looks)}; };
  start(options);
  const Peer reader(port()), idle(port(), 4096), other(port());
  idle.send(head("GET /api/events"));  // never reads
  reader.send(head("GET /api/events"));
  EXPECT_NE(reader.read_until("event: count\ndata: ").find("text/event-stream"), std::string::npos);
  for (int more = 0; more < 20;
       ++more)  // which ones is not said: those that came while it was written to are passed over
    EXPECT_NE(reader.read_until("event: count\ndata: ").find("event: count"), std::string::npos);
  EXPECT_GE(looks, 1);
  expect_alive();
  EXPECT_NE(ask(closing("HEAD /api/events")).find(" 200 "), std::string::npos);
}

TEST_F(ServerThreads, OnlySoManyReadEvents) {
  ServerOptions options;
  options.limits.event_readers = 2;
  start(options);
  const Peer one(port()), two(port());
  for (const Peer* peer : {&one, &two}) {
    peer->send(head("GET /api/events"));
    EXPECT_NE(peer->read_until("\r\n\r\n").find(" 200 "), std::string::npos);
  }
  EXPECT_NE(ask(closing("GET /api/events")).find(" 503 "), std::string::npos);
}

TEST(Server, WhatCanNotBeIsSaidAtOnce) {
  const auto handler = [](const HttpRequest&) { return HttpAnswer(); };
  EXPECT_THROW(Server({.address = "nowhere"}, handler), Error);
  EXPECT_THROW(Server({.port = 70000}, handler), Error);
  EXPECT_THROW(Server({.address = "0.0.0.0"}, handler), Error);  // and no token
  const Server first({}, handler);
  EXPECT_THROW(Server({.port = first.port()}, handler), Error);
  EXPECT_EQ(first.page_address(), fmt::format("http://127.0.0.1:{}/", first.port()));
}

TEST(Server, EndsByItself) {
  Server server({.until = 10ms}, [](const HttpRequest&) { return HttpAnswer(); });
  server.run();
}

}  // namespace
}  // namespace fovea
