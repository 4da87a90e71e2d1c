#include "fovea/serve/server.h"

#include <fmt/format.h>

#include <boost/asio/post.hpp>
#include <utility>

#include "fovea/base/error/error.h"
#include "fovea/serve/server_state.h"
#include "fovea/serve/session.h"

namespace fovea {

Server::State::State(ServerOptions wanted, Handler handle)
    : options(std::move(wanted)),
      handler(std::move(handle)),
      acceptor(context),
      watch_timer(context),
      stop_timer(context),
      accept_timer(context) {
  ErrorCode error;
  const std::string name = options.address == "localhost" ? "127.0.0.1" : options.address;
  const auto address = asio::ip::make_address(name, error);
  if (error)
    throw wrong_input(fmt::format("'{}' is not an address of a machine", options.address),
                      "write numbers: 127.0.0.1, or 0.0.0.0 for all addresses of this machine");
  if (options.port < 0 || options.port > 65535)
    throw wrong_input(fmt::format("there is no port {}", options.port),
                      "choose a port from 1 to 65535, or 0 for any free port");
  const AccessCheck early(options.address, options.port, options.token);  // refuses before anything is opened
  const tcp::endpoint endpoint(address, static_cast<unsigned short>(options.port));
  const auto check = [&](const char* doing) {
    if (error == boost::system::errc::address_not_available)
      throw wrong_input(fmt::format("{} is not an address of this machine", options.address),
                        "write an address of this machine, or 0.0.0.0 for all");
    if (error)
      throw failure(fmt::format("{} {}:{} is not possible: {}", doing, options.address, options.port, error.message()),
                    Remedy::take_port());
  };
  acceptor.open(endpoint.protocol(), error);
  check("Opening");
  acceptor.set_option(tcp::acceptor::reuse_address(true), error);
  acceptor.bind(endpoint, error);
  check("Listening on");
  acceptor.listen(asio::socket_base::max_listen_connections, error);
  check("Listening on");
  port = acceptor.local_endpoint().port();
  gate.emplace(options.address, port, options.token);
  frames = frame_ancestors(options.frames);
}

void Server::State::accept() {
  acceptor.async_accept([this](ErrorCode error, tcp::socket socket) {
    if (ended) return;
    if (error) {  // out of file descriptors, most likely: some will be given back
      accept_timer.expires_after(std::chrono::milliseconds(50));
      accept_timer.async_wait([this](ErrorCode cancelled) {
        if (!cancelled) accept();
      });
      return;
    }
    // Who has said nothing for longest makes room, so that connections held open keep nobody out.
    if (connections >= options.limits.connections && !waiting.empty()) waiting.front()->close();
    if (connections <= options.limits.connections) std::make_shared<Session>(std::move(socket), *this)->read();
    accept();
  });
}

void Server::State::watch() {
  if (watching || !options.watch || readers.empty()) return;
  watching = true;
  asio::post(worker, [this] {
    std::optional<HttpEvent> event;
    try {
      event = options.watch();
    } catch (const std::exception&) {  // the store may be in the middle of being made or moved; the next look tells
    }
    asio::post(context, [this, event = std::move(event)] {
      if (event) send_event(*event);
      watch_timer.expires_after(options.pause);
      watch_timer.async_wait([this](ErrorCode error) {
        watching = false;
        if (!error) watch();
      });
    });
  });
}

void Server::State::send_event(const HttpEvent& event) {
  newest[event.name] = event.data;
  for (const auto& reader : std::set(readers)) reader->send_event(event.name, event.data);
}

void Server::State::check_for_stop() {
  const bool asked = options.stop && options.stop->load();
  const bool late = options.until && std::chrono::steady_clock::now() - began >= *options.until;
  if (asked || late) {
    ended = true;
    context.stop();
    return;
  }
  stop_timer.expires_after(std::chrono::milliseconds(50));
  stop_timer.async_wait([this](ErrorCode error) {
    if (!error) check_for_stop();
  });
}

Server::Server(ServerOptions options, Handler handler)
    : state_(std::make_unique<State>(std::move(options), std::move(handler))) {}

Server::~Server() {
  state_->worker.stop();
  state_->worker.join();
  for (const auto& reader : std::exchange(state_->readers, {})) reader->close();
}

int Server::port() const { return state_->port; }

std::string Server::page_address() const {
  const std::string& address = state_->options.address;
  const std::string host = address.find(':') == std::string::npos ? address : fmt::format("[{}]", address);
  const std::string& token = state_->options.token;
  return fmt::format("http://{}:{}/{}", host, state_->port, token.empty() ? "" : "?token=" + token);
}

void Server::run() {
  state_->began = std::chrono::steady_clock::now();
  state_->accept();
  state_->check_for_stop();
  state_->context.run();
}

}  // namespace fovea
