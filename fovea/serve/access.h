// AccessCheck: which requests the server answers (room serve). Sessions check every request with it. A page of any
// other site can make a browser send requests to this machine, and a name of that site can be made to point here. A
// request must therefore name this server as its Host. Its Origin, if it has one, must be this server's own page. On
// addresses other than the loopback, a token is required as well.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fovea/serve/http.h"

namespace fovea {

bool is_loopback(std::string_view address);  // "127.0.0.1", "::1", "localhost"

// Hosts whose pages may show this one in a frame, as a browser is told it (frame-ancestors): 'none' without any. Throws
// wrong_input for one that is no host.
std::string frame_ancestors(const std::vector<std::string>& hosts);

// What a request says of where it comes from; empty where a header is missing.
struct Caller {
  std::string_view host = {}, origin = {}, authorization = {}, cookie = {}, site = {};  // site: Sec-Fetch-Site
};

class AccessCheck {
 public:
  // Throws wrong_input for an address that is not the loopback and no token.
  AccessCheck(const std::string& address, int port, std::string token);

  // The answer that turns the caller away, or none.
  bool lets_in(const Caller& caller, const HttpRequest& request, HttpAnswer& refusal) const;

  // What a browser keeps after it came with the token in its address once; empty without a token.
  std::string cookie() const;

 private:
  bool knows_token(const Caller& caller, const HttpRequest& request) const;

  std::vector<std::string> hosts_;  // empty: any, the token decides
  std::string token_;
};

}  // namespace fovea
