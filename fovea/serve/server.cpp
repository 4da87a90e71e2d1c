#include "fovea/serve/server.h"

#include <fmt/format.h>

#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <list>
#include <map>
#include <set>
#include <utility>

#include "fovea/base/wording.h"
#include "fovea/serve/access.h"

// Everything below but answer_to() and watch's question runs on the
// thread that called run().
namespace fovea {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using asio::ip::tcp;
using ErrorCode = boost::system::error_code;

namespace {

class Session;

// What a page may load: nothing from elsewhere. Scripts stand in the page itself; the engine is WebAssembly in a
// worker.
constexpr const char* content_policy =
    "default-src 'none'; script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval' blob:; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data: blob:; connect-src 'self' data: blob:; worker-src 'self' blob:; font-src data:; base-uri "
    "'none'; "
    "form-action 'none'; frame-ancestors 'none'";

const Wording& words = plain_wording();  // the page's

std::string_view view(boost::beast::string_view text) { return {text.data(), text.size()}; }

}  // namespace

struct Server::State {
  State(ServerOptions wanted, Handler handle)
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
      throw wrong_input(fmt::format("'{}' is no address of a machine", options.address),
                        "write it as numbers: 127.0.0.1, or 0.0.0.0 for all of this machine's");
    if (options.port < 0 || options.port > 65535)
      throw wrong_input(fmt::format("there is no port {}", options.port), "ports are 1 to 65535, and 0 for any");
    const AccessCheck early(options.address, options.port, options.token);  // refuses before anything is opened
    const tcp::endpoint endpoint(address, static_cast<unsigned short>(options.port));
    const auto check = [&](const char* doing) {
      if (error)
        throw failure(
            fmt::format("{} {}:{} is not possible: {}", doing, options.address, options.port, error.message()),
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
  }

  void accept();
  void watch();
  void look_for_stop();
  void tell(const HttpEvent& event);

  ServerOptions options;
  Handler handler;
  int port = 0;
  std::optional<AccessCheck> gate;
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

namespace {

using State = Server::State;

// One connection. Lives as long as something of it is under way.
class Session : public std::enable_shared_from_this<Session> {
 public:
  Session(tcp::socket socket, State& state) : stream_(std::move(socket)), state_(state), heartbeat_(state.context) {
    ++state_.connections;
  }
  ~Session() {
    --state_.connections;
    stop_waiting();
  }

  void read() {
    place_ = state_.waiting.insert(state_.waiting.end(), this);
    parser_.emplace();
    parser_->header_limit(static_cast<std::uint32_t>(state_.options.limits.head));
    parser_->body_limit(state_.options.limits.body);
    stream_.expires_after(state_.options.limits.request);
    http::async_read_header(stream_, buffer_, *parser_, [self = shared_from_this()](ErrorCode error, std::size_t) {
      self->stop_waiting();
      if (error) self->refuse(error);
      else self->read_body();
    });
  }

  void tell(const std::string& name, const std::string& data) {
    pending_[name] = data;
    write_events();
  }
  bool closed() const { return closed_; }
  void close() {
    if (closed_) return;
    closed_ = true;
    heartbeat_.cancel();
    ErrorCode ignored;
    stream_.socket().shutdown(tcp::socket::shutdown_both, ignored);
    stream_.close();
  }

 private:
  void stop_waiting() {
    if (place_) state_.waiting.erase(*std::exchange(place_, std::nullopt));
  }

  void read_body() {
    if (beast::iequals(parser_->get()[http::field::expect], "100-continue")) {
      const auto text = std::make_shared<std::string>("HTTP/1.1 100 Continue\r\n\r\n");
      asio::async_write(stream_, asio::buffer(*text), [self = shared_from_this(), text](ErrorCode error, std::size_t) {
        if (!error) self->read_rest();
      });
    } else {
      read_rest();
    }
  }

  void read_rest() {
    http::async_read(stream_, buffer_, *parser_, [self = shared_from_this()](ErrorCode error, std::size_t) {
      if (error) self->refuse(error);
      else self->handle();
    });
  }

  // What could not be read. A peer that went away or was late gets nothing.
  void refuse(ErrorCode error) {
    if (error == http::error::end_of_stream || error == http::error::partial_message ||
        error == beast::error::timeout || error.category() != http::make_error_code(http::error::bad_method).category())
      return close();
    keep_ = false;
    head_ = false;
    version_ = 11;
    if (error == http::error::body_limit)
      return write(error_answer(413, fmt::format("a request may have {} bytes", state_.options.limits.body)));
    if (error == http::error::header_limit || error == http::error::buffer_overflow)
      return write(
          error_answer(431, fmt::format("a request's first lines may have {} bytes", state_.options.limits.head)));
    write(error_answer(400, "this is not HTTP"));
  }

  void handle() {
    const auto& message = parser_->get();
    keep_ = message.keep_alive();
    version_ = message.version();
    head_ = message.method() == http::verb::head;
    auto request = std::make_shared<HttpRequest>();
    request->method = message.method() == http::verb::get || head_ ? "GET" : std::string(view(message.method_string()));
    try {
      read_target(view(message.target()), *request);
    } catch (const Error& error) {
      return write(error_answer(400, words.problem(error), words.remedy(error)));
    }
    const Caller caller{view(message[http::field::host]), view(message[http::field::origin]),
                        view(message[http::field::authorization]), view(message[http::field::cookie]),
                        view(message["Sec-Fetch-Site"])};
    HttpAnswer refusal;
    if (!state_.gate->lets_in(caller, *request, refusal)) return write(refusal);
    if (request->method != "GET" && request->method != "POST") {
      HttpAnswer answer = error_answer(405, "this server knows GET, HEAD and POST");
      answer.headers.emplace_back("Allow", "GET, HEAD, POST");
      return write(answer);
    }
    // Other sites' forms cannot send JSON without asking first.
    if (request->method == "POST" && !beast::iequals(message[http::field::content_type], "application/json"))
      return write(error_answer(415, "what is posted must be of the type application/json"));
    if (request->path == state_.options.events_path && request->method == "GET" && !head_) return begin_events();
    request->body = std::move(parser_->get().body());
    asio::post(state_.worker, [self = shared_from_this(), request] {
      auto answer = std::make_shared<HttpAnswer>(self->answer_to(*request));
      asio::post(self->state_.context, [self, answer] { self->write(*answer); });
    });
  }

  HttpAnswer answer_to(const HttpRequest& request) const {
    try {
      return state_.handler(request);
    } catch (const Error& error) {
      std::string problem = words.problem(error);
      if (error.place().known()) problem = words.place(error.place()) + ": " + problem;
      return error_answer(error.kind() == Error::Kind::wrong_input ? 400 : 500, problem, words.remedy(error));
    } catch (const std::exception& error) {
      return error_answer(500, fmt::format("something unforeseen went wrong: {}", error.what()));
    }
  }

  void write(const HttpAnswer& answer) {
    if (closed_) return;
    auto response =
        std::make_shared<http::response<http::string_body>>(static_cast<http::status>(answer.status), version_);
    response->set(http::field::content_type, answer.type);
    for (const auto& [name, value] : answer.headers) response->set(name, value);
    response->set("X-Content-Type-Options", "nosniff");
    response->set("Referrer-Policy", "no-referrer");
    response->set("Cross-Origin-Resource-Policy", "same-origin");
    response->set("Content-Security-Policy", content_policy);
    if (answer.headers.empty()) response->set(http::field::cache_control, "no-store");
    if (const std::string cookie = state_.gate->cookie(); !cookie.empty() && answer.status == 200)
      response->set(http::field::set_cookie, cookie);
    response->keep_alive(keep_);
    if (!head_) response->body() = answer.body;
    response->content_length(answer.body.size());
    stream_.expires_after(state_.options.limits.answer);
    if (head_) {
      auto serializer = std::make_shared<http::response_serializer<http::string_body>>(*response);
      http::async_write_header(
          stream_, *serializer,
          [self = shared_from_this(), response, serializer](ErrorCode error, std::size_t) { self->written(error); });
      return;
    }
    http::async_write(stream_, *response,
                      [self = shared_from_this(), response](ErrorCode error, std::size_t) { self->written(error); });
  }

  void written(ErrorCode error) {
    if (error) return close();
    if (keep_) return read();
    // What the peer still sends is read and forgotten for a moment: a connection closed with something unread would
    // take the answer away from it.
    ErrorCode ignored;
    stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
    stream_.expires_after(std::chrono::seconds(2));
    buffer_.clear();
    forget();
  }

  void forget() {
    stream_.async_read_some(asio::buffer(waste_), [self = shared_from_this()](ErrorCode error, std::size_t count) {
      self->forgotten_ += count;
      if (error || self->forgotten_ > (std::size_t{64} << 20)) self->close();
      else self->forget();
    });
  }

  void begin_events() {
    if (state_.readers.size() >= state_.options.limits.event_readers)
      return write(error_answer(503, "as many pages as can be told of news are open", "close some"));
    state_.readers.insert(shared_from_this());
    writing_ = true;
    line_ =
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-store\r\nX-Content-Type-Options: "
        "nosniff\r\nConnection: close\r\n\r\n";
    await_end();
    for (const auto& [name, data] : state_.newest) pending_[name] = data;
    send_line();
    beat();
    state_.watch();
  }

  // Nothing is to come from a reader of events but its end.
  void await_end() {
    stream_.expires_never();
    stream_.async_read_some(asio::buffer(waste_), [self = shared_from_this()](ErrorCode error, std::size_t) {
      if (error) self->end_events();
      else self->await_end();
    });
  }

  void write_events() {
    if (writing_ || closed_ || pending_.empty()) return;
    line_.clear();
    for (const auto& [name, data] : pending_) line_ += fmt::format("event: {}\ndata: {}\n\n", name, data);
    pending_.clear();
    writing_ = true;
    send_line();
  }

  void send_line() {
    stream_.expires_after(state_.options.limits.answer);
    asio::async_write(stream_, asio::buffer(line_), [self = shared_from_this()](ErrorCode error, std::size_t) {
      self->writing_ = false;
      if (error) self->end_events();
      else self->write_events();
    });
  }

  void beat() {
    heartbeat_.expires_after(state_.options.limits.heartbeat);
    heartbeat_.async_wait([self = shared_from_this()](ErrorCode error) {
      if (error || self->closed_) return;
      if (!self->writing_) {
        self->writing_ = true;
        self->line_ = ": still here\n\n";
        self->send_line();
      }
      self->beat();
    });
  }

  void end_events() {
    state_.readers.erase(shared_from_this());
    close();
  }

  beast::tcp_stream stream_;
  State& state_;
  beast::flat_buffer buffer_{128 << 10};
  std::optional<http::request_parser<http::string_body>> parser_;
  asio::steady_timer heartbeat_;
  bool keep_ = false, head_ = false, writing_ = false, closed_ = false;
  unsigned version_ = 11;
  std::map<std::string, std::string> pending_;          // event -> its newest data
  std::string line_;                                    // in writing
  std::optional<std::list<Session*>::iterator> place_;  // among those waiting
  std::array<char, 4096> waste_;
  std::size_t forgotten_ = 0;
};

}  // namespace

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
      if (event) tell(*event);
      watch_timer.expires_after(options.pause);
      watch_timer.async_wait([this](ErrorCode error) {
        watching = false;
        if (!error) watch();
      });
    });
  });
}

void Server::State::tell(const HttpEvent& event) {
  newest[event.name] = event.data;
  for (const auto& reader : std::set(readers)) reader->tell(event.name, event.data);
}

void Server::State::look_for_stop() {
  const bool asked = options.stop && options.stop->load();
  const bool late = options.until && std::chrono::steady_clock::now() - began >= *options.until;
  if (asked || late) {
    ended = true;
    context.stop();
    return;
  }
  stop_timer.expires_after(std::chrono::milliseconds(50));
  stop_timer.async_wait([this](ErrorCode error) {
    if (!error) look_for_stop();
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
  state_->look_for_stop();
  state_->context.run();
}

}  // namespace fovea
