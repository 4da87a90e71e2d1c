// The other end of a connection, as well or badly behaved as a test wants it.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <string>
#include <string_view>
#include <utility>

namespace fovea::testing_parts {

class Peer {
 public:
  explicit Peer(int port, int receive_buffer = 0) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    if (receive_buffer > 0)
      ::setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &receive_buffer, static_cast<socklen_t>(sizeof receive_buffer));
    sockaddr_in there{};
    there.sin_family = AF_INET;
    there.sin_port = htons(static_cast<std::uint16_t>(port));
    there.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connected_ = ::connect(socket_, reinterpret_cast<const sockaddr*>(&there), sizeof there) == 0;
  }
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;
  Peer(Peer&& other) noexcept : socket_(std::exchange(other.socket_, -1)), connected_(other.connected_) {}
  ~Peer() {
    if (socket_ >= 0) ::close(socket_);
  }

  bool connected() const { return connected_; }
  void leave() {
    ::close(std::exchange(socket_, -1));
    connected_ = false;
  }

  // False once the other side has gone.
  bool send(std::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }

  // Reads until `wanted` has come, the other side has closed, or five minutes are over.
  std::string read_until(std::string_view wanted) const {
    std::string all;
    const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(5);
    while (wanted.empty() || all.find(wanted) == std::string::npos) {
      pollfd ready{socket_, POLLIN, 0};
      if (std::chrono::steady_clock::now() > end || ::poll(&ready, 1, 300'000) <= 0) return all + "(nothing more came)";
      char buffer[1 << 16];
      const ssize_t count = ::recv(socket_, buffer, sizeof buffer, 0);
      if (count <= 0) break;
      all.append(buffer, static_cast<std::size_t>(count));
    }
    return all;
  }
  std::string read_all() const { return read_until(""); }

 private:
  int socket_;
  bool connected_ = false;
};

}  // namespace fovea::testing_parts
