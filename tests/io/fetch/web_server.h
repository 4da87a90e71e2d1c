// A web server on this machine alone, as well or badly behaved as a test wants it. It answers one request at a time.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace fovea {

class WebServer {
 public:
  struct Request {
    std::string path;
    std::int64_t from = 0;  // the first byte that is asked for
    int number = 0;         // how many came before it
  };
  class Reply {
   public:
    Reply(int socket, const std::atomic<bool>& over) : socket_(socket), over_(over) {}
    // False once the other side has gone.
    bool send(std::string_view bytes) const {
      while (!bytes.empty()) {
        const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent <= 0) return false;
        bytes.remove_prefix(static_cast<std::size_t>(sent));
      }
      return true;
    }
    void head(const std::string& status, std::int64_t length, const std::string& more = {}) const {
      send("HTTP/1.1 " + status + "\r\nContent-Length: " + std::to_string(length) + "\r\nConnection: close\r\n" + more +
           "\r\n");
    }
    // As servers answer that know ranges.
    void part(const std::string& bytes, std::int64_t from) const {
      part_head(bytes, from), send(bytes.substr(at(from)));
    }
    void part_head(const std::string& bytes, std::int64_t from) const {
      const auto size = static_cast<std::int64_t>(bytes.size());
      if (from == 0) return head("200 OK", size);
      if (from >= size) return head("416 Range Not Satisfiable", 0);
      head("206 Partial Content", size - from,
           "Content-Range: bytes " + std::to_string(from) + "-" + std::to_string(size - 1) + "/" +
               std::to_string(size) + "\r\n");
    }
    // Says nothing for so long, or until the server ends or the other side has gone.
    bool wait(double seconds) const {
      const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
      while (!over_ && std::chrono::steady_clock::now() < end) {
        pollfd gone{socket_, POLLRDHUP, 0};
        if (::poll(&gone, 1, 5) > 0) return false;
      }
      return !over_;
    }

   private:
    static std::size_t at(std::int64_t from) { return static_cast<std::size_t>(from); }

    int socket_;
    const std::atomic<bool>& over_;
  };
  using Answer = std::function<void(const Request&, const Reply&)>;

  WebServer() : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    ::setenv("no_proxy", "127.0.0.1", 1);
    sockaddr_in here{};
    here.sin_family = AF_INET;
    here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof here;
    if (::bind(socket_, reinterpret_cast<const sockaddr*>(&here), size) != 0 || ::listen(socket_, 16) != 0 ||
        ::getsockname(socket_, reinterpret_cast<sockaddr*>(&here), &size) != 0)
      std::abort();
    port_ = ntohs(here.sin_port);
    thread_ = std::thread([this] { serve(); });
  }
  WebServer(const WebServer&) = delete;
  WebServer& operator=(const WebServer&) = delete;
  ~WebServer() {
    over_ = true;
    thread_.join();
    ::close(socket_);
  }

  std::string address(const std::string& path) const { return "http://127.0.0.1:" + std::to_string(port_) + path; }
  void on(const std::string& path, Answer answer) {
    const std::lock_guard lock(mutex_);
    answers_[path] = std::move(answer);
  }
  void gives(const std::string& path, const std::string& bytes) {
    on(path, [bytes](const Request& request, const Reply& reply) { reply.part(bytes, request.from); });
  }
  std::vector<Request> requests() const {
    const std::lock_guard lock(mutex_);
    return requests_;
  }

 private:
  void serve() {
    while (!over_) {
      pollfd ready{socket_, POLLIN, 0};
      if (::poll(&ready, 1, 10) <= 0) continue;
      const int peer = ::accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC);
      if (peer < 0) continue;
      answer(peer);
      ::close(peer);
    }
  }

  void answer(int peer) {
    std::string text;
    while (text.find("\r\n\r\n") == text.npos) {
      pollfd ready{peer, POLLIN, 0};
      char buffer[4096];
      if (::poll(&ready, 1, 60'000) <= 0) return;
      const ssize_t got = ::recv(peer, buffer, sizeof buffer, 0);
      if (got <= 0) return;
      text.append(buffer, static_cast<std::size_t>(got));
    }
    Request request;
    const std::size_t begin = text.find(' ') + 1;
    request.path = text.substr(begin, text.find(' ', begin) - begin);
    if (const std::size_t range = text.find("Range: bytes="); range != text.npos)
      request.from = std::strtoll(text.c_str() + range + 13, nullptr, 10);
    Answer answer;
    {
      const std::lock_guard lock(mutex_);
      request.number = static_cast<int>(requests_.size());
      requests_.push_back(request);
      if (const auto found = answers_.find(request.path); found != answers_.end()) answer = found->second;
    }
    const Reply reply(peer, over_);
    if (answer) return answer(request, reply);
    const std::string page = "<html>there is no such page</html>";
    reply.head("404 Not Found", static_cast<std::int64_t>(page.size()));
    reply.send(page);
  }

  int socket_;
  int port_ = 0;
  std::atomic<bool> over_{false};
  mutable std::mutex mutex_;
  std::map<std::string, Answer> answers_;
  std::vector<Request> requests_;
  std::thread thread_;
};

}  // namespace fovea
