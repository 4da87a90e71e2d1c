#include "fovea/serve/access.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstring>

#include "fovea/base/error/error.h"

namespace fovea {

namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool same_name(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) { return lower(x) == lower(y); });
}

// In a time that does not tell how much of it was right.
bool same_secret(std::string_view a, std::string_view b) {
  unsigned different = a.size() == b.size() ? 0 : 1;
  for (std::size_t i = 0; i < a.size(); ++i)
    different |= static_cast<unsigned>(static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i % b.size()]));
  return different == 0;
}

constexpr std::string_view cookie_name = "fovea_token";

}  // namespace

bool is_loopback(std::string_view address) {
  return address == "127.0.0.1" || address == "::1" || address == "localhost";
}

std::string frame_ancestors(const std::vector<std::string>& hosts) {
  if (hosts.empty()) return "'none'";
  std::string all;
  for (const std::string& host : hosts) {
    std::string_view name = host;
    for (const std::string_view scheme : {"http://", "https://"})
      if (name.starts_with(scheme)) name.remove_prefix(scheme.size());
    const bool plain =
        std::ranges::all_of(name, [](unsigned char c) { return std::isalnum(c) || std::strchr(".-:", c); });
    if (name.empty() || !plain || name.starts_with(':'))
      throw wrong_input(fmt::format("'{}' is not a host", host),
                        "write, for example, slides.example or http://localhost:8000");
    all += (all.empty() ? "" : " ") + host;
  }
  return all;
}

AccessCheck::AccessCheck(const std::string& address, int port, std::string token) : token_(std::move(token)) {
  if (is_loopback(address)) {
    for (const char* name : {"127.0.0.1", "localhost", "[::1]"}) {
      hosts_.push_back(fmt::format("{}:{}", name, port));
      if (port == 80) hosts_.emplace_back(name);
    }
  } else if (token_.empty()) {
    throw wrong_input(
        fmt::format("other machines could reach the server on the address {}, and it has no token", address),
        Remedy::set_token());
  }
}

bool AccessCheck::lets_in(const Caller& caller, const HttpRequest& request, HttpAnswer& refusal) const {
  const auto known = [&](const std::string& host) { return same_name(host, caller.host); };
  if (caller.host.empty() || (!hosts_.empty() && std::ranges::none_of(hosts_, known))) {
    refusal = error_answer(403, "the Host of the request is not a name of this server",
                           "open it at the address that it printed");
    return false;
  }
  const bool own_page = same_name(caller.origin, fmt::format("http://{}", caller.host)) ||
                        same_name(caller.origin, fmt::format("https://{}", caller.host));
  if ((!caller.origin.empty() && !own_page) || caller.site == "cross-site") {
    // A link from elsewhere to the page itself is fine: it reads nothing and is shown to nobody but the user.
    const bool link = caller.origin.empty() && request.method == "GET" && request.path == "/";
    if (!link) {
      refusal = error_answer(403, "the request comes from the page of another site");
      return false;
    }
  }
  if (!token_.empty() && !knows_token(caller, request)) {
    refusal =
        error_answer(401, "the request has no valid token", "open the address that the server printed, with its token");
    return false;
  }
  return true;
}

std::string AccessCheck::cookie() const {
  if (token_.empty()) return {};
  return fmt::format("{}={}; Path=/; HttpOnly; SameSite=Strict", cookie_name, token_);
}

bool AccessCheck::knows_token(const Caller& caller, const HttpRequest& request) const {
  constexpr std::string_view bearer = "Bearer ";
  if (caller.authorization.starts_with(bearer)) return same_secret(caller.authorization.substr(bearer.size()), token_);
  if (const auto found = request.query.find("token"); found != request.query.end() && request.path == "/")
    return same_secret(found->second, token_);
  std::string_view rest = caller.cookie;
  while (!rest.empty()) {
    std::string_view pair = rest.substr(0, rest.find(';'));
    rest.remove_prefix(std::min(rest.size(), pair.size() + 1));
    while (pair.starts_with(' ')) pair.remove_prefix(1);
    if (pair.starts_with(cookie_name) && pair.substr(cookie_name.size()).starts_with('='))
      return same_secret(pair.substr(cookie_name.size() + 1), token_);
  }
  return false;
}

}  // namespace fovea
