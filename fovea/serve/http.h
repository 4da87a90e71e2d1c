// HttpRequest and HttpAnswer: requests and answers of the local web server, without sockets (room serve). The Api and
// the sessions of this room use them. Pure functions.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fovea {

struct HttpRequest {
  std::string method;                        // "GET"; HEAD comes as GET
  std::string path;                          // decoded, begins with '/'
  std::map<std::string, std::string> query;  // decoded; of a name given twice the last
  std::string body;

  // "" where the query lacks it.
  std::string asked(const std::string& name) const;
};

struct HttpAnswer {
  int status = 200;
  std::string type = "application/json";
  std::string body = {};
  std::vector<std::pair<std::string, std::string>> headers = {};
};

// {"error": {"problem": …, "remedy": …}}
HttpAnswer error_answer(int status, std::string_view problem, std::string_view remedy = {});

// "/api/runs?where=seed%20%3D%203" into path and query. Throws wrong_input for what is no such target: control
// characters, broken escapes, '..' and '.' as names, backslashes; a path is never a way to a file, and should not look
// like one either.
void read_target(std::string_view target, HttpRequest& request);

}  // namespace fovea
