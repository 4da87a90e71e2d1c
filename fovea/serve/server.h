// Server: a small HTTP/1.1 server for one user's machine, on Boost.Beast (room serve). apps/cli/serve.cpp runs it
// with an Api as handler. It touches sockets only.
//
// One thread does all reading and writing. One other calls the handler, a request at a time. What a peer can take is
// bounded: connections, sizes, and the times for a request to arrive and for an answer to be taken. A late peer is
// dropped. Readers of events get the newest event of each name when they are ready for it. Missed events are not
// kept, so a slow reader costs nothing.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fovea/serve/http.h"

namespace fovea {

struct ServerLimits {
  std::size_t connections = 400;  // beyond them the one that has been silent for longest is closed
  std::size_t event_readers = 64;
  std::size_t head = 16 << 10;  // bytes of a request's first lines
  std::size_t body = 1 << 20;
  std::chrono::milliseconds request{20'000};  // from the last answer, or the connection, until a request has arrived
  std::chrono::milliseconds answer{60'000};   // until an answer, or an event, has been taken
  std::chrono::milliseconds heartbeat{15'000};
};

struct HttpEvent {
  std::string name, data;  // one line each
};

struct ServerOptions {
  std::string address = "127.0.0.1";
  int port = 0;                          // 0: one that is free
  std::string token = {};                // empty: none, which only the loopback may have
  std::vector<std::string> frames = {};  // hosts whose pages may show this one in a frame: "https://slides.example"
  std::string events_path = "/api/events";
  ServerLimits limits = {};

  // Called every `pause` while somebody reads events, on the handler's thread: what there is to tell, if anything.
  std::function<std::optional<HttpEvent>()> watch = {};
  std::chrono::milliseconds pause{500};

  const std::atomic<bool>* stop = nullptr;              // ends run() within a moment
  std::optional<std::chrono::milliseconds> until = {};  // ends run() after so long
};

class Server {
 public:
  using Handler = std::function<HttpAnswer(const HttpRequest&)>;

  // Listens at once. Throws failure where the address cannot be had, wrong_input where it is none or wants a token.
  // Errors the handler throws are answered: wrong_input by 400, others by 500.
  Server(ServerOptions options, Handler handler);
  ~Server();

  int port() const;
  std::string page_address() const;  // "http://127.0.0.1:8000/", with the token if there is one
  void run();

  struct State;

 private:
  std::unique_ptr<State> state_;
};

}  // namespace fovea
