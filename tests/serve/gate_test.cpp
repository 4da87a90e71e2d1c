#include <gtest/gtest.h>

#include "fovea/base/error/error.h"
#include "fovea/serve/access.h"

namespace fovea {
namespace {

int status(const AccessCheck& gate, const Caller& caller, const std::string& target = "/api/runs",
           const std::string& method = "GET") {
  HttpRequest request;
  request.method = method;
  read_target(target, request);
  HttpAnswer refusal;
  return gate.lets_in(caller, request, refusal) ? 200 : refusal.status;
}

TEST(AccessCheck, OnTheLoopbackTheHostMustBeIt) {
  const AccessCheck gate("127.0.0.1", 8470, "");
  for (const char* host : {"127.0.0.1:8470", "localhost:8470", "LOCALHOST:8470", "[::1]:8470"})
    EXPECT_EQ(status(gate, {.host = host}), 200) << host;
  for (const char* host :
       {"", "127.0.0.1", "127.0.0.1:8471", "example.org", "example.org:8470", "127.0.0.1:8470.example.org"})
    EXPECT_EQ(status(gate, {.host = host}), 403) << host;
}

TEST(AccessCheck, PagesOfOtherSitesAreTurnedAway) {
  const AccessCheck gate("127.0.0.1", 8470, "");
  const std::string host = "127.0.0.1:8470";
  EXPECT_EQ(status(gate, {.host = host, .origin = "http://127.0.0.1:8470"}), 200);
  for (const char* origin :
       {"http://example.org", "null", "http://127.0.0.1", "http://127.0.0.1:9999", "http://localhost:8470"})
    EXPECT_EQ(status(gate, {.host = host, .origin = origin}), 403) << origin;
  EXPECT_EQ(status(gate, {.host = host, .site = "cross-site"}), 403);
  EXPECT_EQ(status(gate, {.host = host, .site = "cross-site"}, "/"), 200);  // a link to the page
  EXPECT_EQ(status(gate, {.host = host, .site = "cross-site"}, "/", "POST"), 403);
  EXPECT_EQ(status(gate, {.host = host, .site = "same-origin"}), 200);
}

TEST(AccessCheck, ElsewhereATokenIsNeeded) {
  EXPECT_THROW(AccessCheck("0.0.0.0", 8470, ""), Error);
  const AccessCheck gate("0.0.0.0", 8470, "abcdefgh");
  const std::string host = "machine.example:8470";
  EXPECT_EQ(status(gate, {.host = host}), 401);
  EXPECT_EQ(status(gate, {.host = host}, "/?token=abcdefgh"), 200);
  EXPECT_EQ(status(gate, {.host = host}, "/?token=abcdefgi"), 401);
  EXPECT_EQ(status(gate, {.host = host}, "/?token="), 401);
  EXPECT_EQ(status(gate, {.host = host}, "/api/runs?token=abcdefgh"), 401);  // only the page is opened so
  EXPECT_EQ(status(gate, {.host = host, .authorization = "Bearer abcdefgh"}), 200);
  EXPECT_EQ(status(gate, {.host = host, .authorization = "Bearer abcdefghabcdefgh"}), 401);
  EXPECT_EQ(status(gate, {.host = host, .cookie = "a=b; fovea_token=abcdefgh"}), 200);
  EXPECT_EQ(status(gate, {.host = host, .cookie = "fovea_token=abc"}), 401);
  EXPECT_EQ(status(gate, {.host = host, .origin = "http://example.org", .cookie = "fovea_token=abcdefgh"}), 403);
  EXPECT_NE(gate.cookie().find("HttpOnly"), std::string::npos);
}

}  // namespace
}  // namespace fovea
