// Command `fovea serve` (folder apps/cli), which main.cpp makes by name. It runs a local web server (serve/server.h)
// with the API (serve/api.h).
#include <fmt/format.h>

#include <cstdio>
#include <random>

#include "apps/cli/bounds.h"
#include "apps/cli/command.h"
#include "apps/cli/interrupt.h"
#include "apps/cli/notice.h"
#include "fovea/base/error/error.h"
#include "fovea/lab/store/store.h"
#include "fovea/serve/access.h"
#include "fovea/serve/api.h"
#include "fovea/serve/bets.h"
#include "fovea/serve/server.h"

namespace fovea::cli {

namespace {

std::string fresh_token() {
  std::random_device device;
  std::string token;
  for (int i = 0; i < 4; ++i) token += fmt::format("{:08x}", device());
  return token;
}

class Serve : public Command {
 public:
  void options(CLI::App& app) override {
    app.add_option("--port", port_, "port to listen on (default: 8470; 0: any free one)")
        ->check(between(0, 65535))
        ->type_name("N");
    app.add_option("--address", options_.address,
                   "address of this machine to listen on (default: 127.0.0.1, which no other machine can reach)")
        ->type_name("ADDRESS");
    app.add_option("--token", options_.token,
                   "token that a visitor must give (default: none on 127.0.0.1, else a random one)")
        ->check([](const std::string& token) {
          const bool plain =
              token.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") ==
              std::string::npos;
          return plain && token.size() >= 8 ? "" : "must be 8 characters or more, each a letter, a digit, '-' or '_'";
        })
        ->type_name("WORD");
    app.add_option("--allow-frame", options_.frames, "a host whose pages may show this page in a frame (default: none)")
        ->type_name("HOST");
    app.add_option("--for", seconds_, "stop after this many seconds")->check(between(0.001, 1e9))->type_name("SECONDS");
    app.footer(
        "Shows the store's runs as a live page in a browser. The page can start and stop trainings. Ctrl-C ends the\n"
        "server and stops the trainings that the page started. They continue from their\n"
        "checkpoints when they are started again.\n"
        "\n"
        "Examples:\n"
        "  fovea serve\n"
        "  fovea serve --port 0 --for 3600\n"
        "  fovea serve --allow-frame https://slides.example\n"
        "  fovea serve --address 0.0.0.0   for other machines; prints a link with a token");
  }

  int run() override {
    options_.port = port_;
    if (!is_loopback(options_.address) && options_.token.empty()) options_.token = fresh_token();
    if (seconds_) options_.until = std::chrono::milliseconds(static_cast<std::int64_t>(*seconds_ * 1000));
    options_.stop = interrupt_flag();
    Jobs jobs(Store::default_file());
    Bets bets;
    Api api(Store::default_file(), &jobs, &bets);
    options_.watch = [&api] { return api.news(); };
    Server server(options_, [&api](const HttpRequest& request) { return api.answer(request); });
    fmt::print("{}\n", server.page_address());
    std::fflush(stdout);
    notice("open that address in a browser. Ctrl-C ends the server.");
    server.run();
    return 0;
  }

 private:
  ServerOptions options_;
  int port_ = 8470;
  std::optional<double> seconds_;
};

const Register<Command> serve_command("serve", "show the store as a live page in a browser",
                                      [] { return std::make_unique<Serve>(); });

}  // namespace

}  // namespace fovea::cli
