// Session: one connection of the server, with requests and answers one after another, or events until its end (room
// serve). server.cpp of this room creates it. It reads and writes its socket and Server::State, on the thread of
// Server::run(). Only the server's handler, which has the store and the files, is called on the worker thread.
#pragma once

#include <array>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <cstddef>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "fovea/serve/server_state.h"

namespace fovea {

// Lives as long as something of it is under way.
class Session : public std::enable_shared_from_this<Session> {
 public:
  Session(tcp::socket socket, Server::State& state);
  ~Session();

  void read();
  void send_event(const std::string& name, const std::string& data);
  bool closed() const { return closed_; }
  void close();

 private:
  void stop_waiting();
  void read_body();
  void read_rest();
  void refuse(ErrorCode error);
  void handle();
  HttpAnswer answer_to(const HttpRequest& request) const;
  void write(const HttpAnswer& answer);
  void written(ErrorCode error);
  void forget();
  void begin_events();
  void await_end();
  void write_events();
  void send_line();
  void beat();
  void end_events();

  boost::beast::tcp_stream stream_;
  Server::State& state_;
  boost::beast::flat_buffer buffer_{128 << 10};
  std::optional<boost::beast::http::request_parser<boost::beast::http::string_body>> parser_;
  asio::steady_timer heartbeat_;
  bool keep_ = false, head_ = false, writing_ = false, closed_ = false;
  unsigned version_ = 11;
  std::map<std::string, std::string> pending_;          // event -> its newest data
  std::string line_;                                    // in writing
  std::optional<std::list<Session*>::iterator> place_;  // among those waiting
  std::array<char, 4096> waste_;
  std::size_t forgotten_ = 0;
};

}  // namespace fovea
