// Server::State: what a server and its connections share (room serve). server.cpp and session.h of this room use it.
// Everything except the handler and watch's question runs on the thread that called run().
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <chrono>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "fovea/serve/access.h"
#include "fovea/serve/server.h"

namespace fovea {

namespace asio = boost::asio;
using asio::ip::tcp;
using ErrorCode = boost::system::error_code;

class Session;

struct Server::State {
  State(ServerOptions wanted, Handler handle);

  void accept();
  void watch();
  void check_for_stop();
  void send_event(const HttpEvent& event);

  ServerOptions options;
  Handler handler;
  int port = 0;
  std::optional<AccessCheck> gate;
  std::string frames;                          // who may show the page in a frame, as browsers are told
  std::set<std::shared_ptr<Session>> readers;  // of events
  std::list<Session*> waiting;                 // for a request, the longest first
  std::size_t connections = 0;
  std::map<std::string, std::string> newest;  // event -> data, for those who come later
  bool watching = false, ended = false;
  std::chrono::steady_clock::time_point began = std::chrono::steady_clock::now();

  asio::io_context context{1};
  tcp::acceptor acceptor;
  asio::steady_timer watch_timer, stop_timer, accept_timer;
  asio::thread_pool worker{1};  // the last member: it is done before anything it uses goes
};

}  // namespace fovea
