// Whatever is asked of the server's API is answered or refused; nothing else happens. An input is the lines of a
// request: the first its method and target, then Host, Origin, Cookie and Authorization, then the body.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "fovea/base/error/error.h"
#include "fovea/serve/access.h"
#include "fovea/serve/api.h"
#include "tests/lab/store/store_sample.h"

namespace {

using namespace fovea;

std::string_view line_of(std::string_view& rest) {
  const std::string_view line = rest.substr(0, rest.find('\n'));
  rest.remove_prefix(std::min(rest.size(), line.size() + 1));
  return line;
}

const Api& api() {
  static const testing_parts::Folder folder;
  static const Api made = [] {
    Store store(folder / "runs.db");
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
      RunRecord run = testing_parts::sample_run(seed);
      run.arrays.push_back({"attention", 200, {1, 2, 2}, {0.5f, 0.5f, 1.0f, 0.0f}});
      store.keep(run);
    }
    static Jobs jobs([](const JobOrder&, const SweepOptions&) { return SweepProgress(); });  // trains nothing
    return Api(folder / "runs.db", &jobs);
  }();
  return made;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const AccessCheck open("127.0.0.1", 8470, ""), token("0.0.0.0", 8470, "abcdefgh");
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  const std::string_view first = line_of(rest);
  const std::size_t space = first.find(' ');
  if (space == std::string_view::npos) return 0;
  HttpRequest request;
  request.method = first.substr(0, space);
  const std::string_view host = line_of(rest), origin = line_of(rest), cookie = line_of(rest);
  const Caller caller{host, origin, line_of(rest), cookie, {}};
  request.body = rest;
  try {
    read_target(first.substr(space + 1), request);
    HttpAnswer refusal;
    open.lets_in(caller, request, refusal);
    token.lets_in(caller, request, refusal);
    const HttpAnswer answer = api().answer(request);
    if (answer.status < 200 || answer.status > 599) __builtin_trap();
  } catch (const Error&) {
  }
  return 0;
}
