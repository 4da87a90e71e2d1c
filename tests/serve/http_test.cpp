#include "fovea/serve/http.h"

#include <gtest/gtest.h>

#include "fovea/base/error/error.h"

namespace fovea {
namespace {

HttpRequest read(std::string_view target) {
  HttpRequest request;
  read_target(target, request);
  return request;
}

TEST(Target, PathAndQueryAreDecoded) {
  const HttpRequest request = read("/api/runs?where=task.vocab%20%3D%2060+and+seed%3C3&limit=5&&empty=&bare");
  EXPECT_EQ(request.path, "/api/runs");
  EXPECT_EQ(request.asked("where"), "task.vocab = 60 and seed<3");
  EXPECT_EQ(request.asked("limit"), "5");
  EXPECT_EQ(request.query.size(), 4u);
  EXPECT_EQ(request.asked("nothing"), "");
  EXPECT_EQ(read("/a%C3%A9?x=1#there").path, "/aé");
  EXPECT_EQ(read("/a%C3%A9?x=1#there").asked("x"), "1");
}

TEST(Target, WhatIsNoneIsRefused) {
  for (const char* target : {"",        "api",         "http://elsewhere/",
                             "*",       "/..",         "/../etc/passwd",
                             "/a/../b", "/./a",        "/%2e%2e/x",
                             "/..%2fx", "/%2e%2E%2Fx", "/a\\b",
                             "/a%5cb",  "/%",          "/%4",
                             "/%zz",    "/%00",        "/a%0ab",
                             "/a%0d",   "/x?y=%0",     "/x?y=%1f",
                             "/x?%=1"})
    EXPECT_THROW(read(target), Error) << target;
  EXPECT_EQ(read("/a..b/...").path, "/a..b/...");  // names that only look like it
  EXPECT_EQ(read("/x?y=..%2f").asked("y"), "../");
}

TEST(HttpAnswer, ErrorsAreJsonWhateverTheySay) {
  EXPECT_EQ(error_answer(400, "a \"b\"\n", "c").body, R"({"error":{"problem":"a \"b\"\n","remedy":"c"}})");
  EXPECT_EQ(error_answer(404, "\xff").status, 404);
}

}  // namespace
}  // namespace fovea
