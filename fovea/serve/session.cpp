#include "fovea/serve/session.h"

#include <fmt/format.h>

#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <utility>

#include "fovea/base/error/wording.h"

// Everything below but answer_to() runs on the thread that called Server::run().
namespace fovea {

namespace beast = boost::beast;
namespace http = boost::beast::http;

namespace {

// What a page may load: nothing from elsewhere. Scripts stand in the page itself; the engine is WebAssembly in a
// worker.
constexpr const char* content_policy =
    "default-src 'none'; script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval' blob:; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data: blob:; connect-src 'self' data: blob:; worker-src 'self' blob:; font-src data:; base-uri "
    "'none'; form-action 'none'; frame-ancestors ";

const Wording& words = plain_wording();  // the page's

std::string_view view(boost::beast::string_view text) { return {text.data(), text.size()}; }

}  // namespace

Session::Session(tcp::socket socket, Server::State& state)
    : stream_(std::move(socket)), state_(state), heartbeat_(state.context) {
  ++state_.connections;
}

Session::~Session() {
  --state_.connections;
  stop_waiting();
}

void Session::read() {
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

void Session::send_event(const std::string& name, const std::string& data) {
  pending_[name] = data;
  write_events();
}

void Session::close() {
  if (closed_) return;
  closed_ = true;
  heartbeat_.cancel();
  ErrorCode ignored;
  stream_.socket().shutdown(tcp::socket::shutdown_both, ignored);
  stream_.close();
}

void Session::stop_waiting() {
  if (place_) state_.waiting.erase(*std::exchange(place_, std::nullopt));
}

void Session::read_body() {
  if (beast::iequals(parser_->get()[http::field::expect], "100-continue")) {
    const auto text = std::make_shared<std::string>("HTTP/1.1 100 Continue\r\n\r\n");
    asio::async_write(stream_, asio::buffer(*text), [self = shared_from_this(), text](ErrorCode error, std::size_t) {
      if (!error) self->read_rest();
    });
  } else {
    read_rest();
  }
}

void Session::read_rest() {
  http::async_read(stream_, buffer_, *parser_, [self = shared_from_this()](ErrorCode error, std::size_t) {
    if (error) self->refuse(error);
    else self->handle();
  });
}

// What could not be read. A peer that went away or was late gets nothing.
void Session::refuse(ErrorCode error) {
  if (error == http::error::end_of_stream || error == http::error::partial_message || error == beast::error::timeout ||
      error.category() != http::make_error_code(http::error::bad_method).category())
    return close();
  keep_ = false;
  head_ = false;
  version_ = 11;
  if (error == http::error::body_limit)
    return write(error_answer(413, fmt::format("the request has more than {} bytes", state_.options.limits.body)));
  if (error == http::error::header_limit || error == http::error::buffer_overflow)
    return write(
        error_answer(431, fmt::format("the header of the request has more than {} bytes", state_.options.limits.head)));
  write(error_answer(400, "the request is not HTTP"));
}

void Session::handle() {
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
    HttpAnswer answer = error_answer(405, "this server takes GET, HEAD and POST");
    answer.headers.emplace_back("Allow", "GET, HEAD, POST");
    return write(answer);
  }
  // Other sites' forms cannot send JSON without asking first.
  if (request->method == "POST" && !beast::iequals(message[http::field::content_type], "application/json"))
    return write(error_answer(415, "the Content-Type of a POST must be application/json"));
  if (request->path == state_.options.events_path && request->method == "GET" && !head_) return begin_events();
  request->body = std::move(parser_->get().body());
  // The session goes to the worker and back, so that it never ends over there.
  asio::post(state_.worker, [self = shared_from_this(), request]() mutable {
    auto answer = std::make_shared<HttpAnswer>(self->answer_to(*request));
    asio::io_context& here = self->state_.context;
    asio::post(here, [self = std::move(self), answer] { self->write(*answer); });
  });
}

HttpAnswer Session::answer_to(const HttpRequest& request) const {
  try {
    return state_.handler(request);
  } catch (const Error& error) {
    std::string problem = words.problem(error);
    if (error.location().known()) problem = words.location(error.location()) + ": " + problem;
    return error_answer(error.kind() == Error::Kind::wrong_input ? 400 : 500, problem, words.remedy(error));
  } catch (const std::exception& error) {
    return error_answer(500, fmt::format("an unexpected error occurred: {}", error.what()));
  }
}

void Session::write(const HttpAnswer& answer) {
  if (closed_) return;
  auto response =
      std::make_shared<http::response<http::string_body>>(static_cast<http::status>(answer.status), version_);
  response->set(http::field::content_type, answer.type);
  for (const auto& [name, value] : answer.headers) response->set(name, value);
  response->set("X-Content-Type-Options", "nosniff");
  response->set("Referrer-Policy", "no-referrer");
  response->set("Cross-Origin-Resource-Policy", "same-origin");
  response->set("Content-Security-Policy", content_policy + state_.frames);
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

void Session::written(ErrorCode error) {
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

void Session::forget() {
  stream_.async_read_some(asio::buffer(waste_), [self = shared_from_this()](ErrorCode error, std::size_t count) {
    self->forgotten_ += count;
    if (error || self->forgotten_ > (std::size_t{64} << 20)) self->close();
    else self->forget();
  });
}

void Session::begin_events() {
  if (state_.readers.size() >= state_.options.limits.event_readers)
    return write(error_answer(503, "too many pages are open for live updates", "close some"));
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
void Session::await_end() {
  stream_.expires_never();
  stream_.async_read_some(asio::buffer(waste_), [self = shared_from_this()](ErrorCode error, std::size_t) {
    if (error) self->end_events();
    else self->await_end();
  });
}

void Session::write_events() {
  if (writing_ || closed_ || pending_.empty()) return;
  line_.clear();
  for (const auto& [name, data] : pending_) line_ += fmt::format("event: {}\ndata: {}\n\n", name, data);
  pending_.clear();
  writing_ = true;
  send_line();
}

void Session::send_line() {
  stream_.expires_after(state_.options.limits.answer);
  asio::async_write(stream_, asio::buffer(line_), [self = shared_from_this()](ErrorCode error, std::size_t) {
    self->writing_ = false;
    if (error) self->end_events();
    else self->write_events();
  });
}

void Session::beat() {
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

void Session::end_events() {
  state_.readers.erase(shared_from_this());
  close();
}

}  // namespace fovea
