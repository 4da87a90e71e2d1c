// Command `fovea watch` (folder apps/cli), which main.cpp makes by name. It shows runs that other processes train
// (lab/store/live_runs.h). Reads the store, and asks trainings for fresh checkpoints.
#include <fmt/format.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <set>

#include "apps/cli/command.h"
#include "apps/cli/interrupt.h"
#include "apps/cli/run_text.h"
#include "fovea/lab/store/live_runs.h"
#include "fovea/view/terminal/watch_text.h"

namespace fovea::cli {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds patience(3);  // between two runs of a sweep nothing is trained for a moment
constexpr std::size_t most_watched = 20;     // of those that ended

// The whole screen, as it was before when this goes; keys are read as they are hit.
class Screen {
 public:
  Screen() {
    keys_ = ::tcgetattr(STDIN_FILENO, &before_) == 0;
    if (keys_) {
      termios raw = before_;
      raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
      ::tcsetattr(STDIN_FILENO, TCSANOW, &raw);
    }
    put("\x1b[?1049h\x1b[?25l");
  }
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;
  ~Screen() {
    put("\x1b[?25h\x1b[?1049l");
    if (keys_) ::tcsetattr(STDIN_FILENO, TCSANOW, &before_);
  }

  static int height() {
    winsize size{};
    return ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 2 ? size.ws_row : 24;
  }

  void draw(const std::vector<std::string>& lines) {
    std::string text = "\x1b[H";
    for (const std::string& line : lines) text += line + "\x1b[K\r\n";
    put(text + "\x1b[J\x1b[2mq: end\x1b[0m");
  }

  // True if q was hit meanwhile.
  bool wait(std::chrono::milliseconds time) const {
    pollfd keyboard{STDIN_FILENO, POLLIN, 0};
    const int wanted = keys_ ? 1 : 0;
    if (::poll(&keyboard, static_cast<nfds_t>(wanted), static_cast<int>(time.count())) <= 0) return false;
    char key = 0;
    return ::read(STDIN_FILENO, &key, 1) == 1 && (key == 'q' || key == 'Q');
  }

 private:
  static void put(const std::string& text) {
    std::fputs(text.c_str(), stdout);
    std::fflush(stdout);
  }
  termios before_{};
  bool keys_ = false;
};

class Watch : public Command {
 public:
  void options(CLI::App& app) override {
    app.add_flag("--once", once_, "print the current state and exit (the default if the output is not a terminal)");
    app.footer(
        "Shows the runs that other processes train on this machine, with this store. While you watch, a run writes a\n"
        "checkpoint about every second if writing is fast, and every 30 seconds otherwise. The command\n"
        "shows the checkpoint. The results of the run do not change. The command ends when no run is in training any "
        "more. q "
        "and Ctrl-C also end the command; the runs continue.\n"
        "\n"
        "Examples:\n"
        "  fovea watch\n"
        "  fovea watch --once");
  }

  int run() override {
    const Store store(Store::default_file(), Store::Mode::read_only);
    LiveRuns live(store);
    if (live.poll().empty()) {
      fmt::print("Nothing is being trained. Begin a run or a sweep in another terminal, then watch it here.\n");
      return 0;
    }
    if (once_ || ::isatty(STDOUT_FILENO) == 0) print_once(live);
    else watch(live);
    return 0;
  }

 private:
  // Those just begun have a moment to show themselves.
  static void print_once(LiveRuns& live) {
    const std::atomic<bool>* const stop = interrupt_flag();
    const Clock::time_point give_up = Clock::now() + patience;
    std::vector<LiveRun> runs = live.poll();
    const auto hidden = [&runs] { return std::ranges::any_of(runs, [](const LiveRun& run) { return !run.seen; }); };
    while (hidden() && Clock::now() < give_up && !*stop) {
      ::usleep(100'000);
      std::vector<LiveRun> now = live.poll();
      if (now.empty()) break;
      runs = std::move(now);
    }
    for (const std::string& line : watch_lines(runs, 0, Terminal::of(STDOUT_FILENO))) fmt::print("{}\n", line);
  }

  static void watch(LiveRuns& live) {
    const std::atomic<bool>* const stop = interrupt_flag();
    std::set<std::string> seen;
    bool asked = false;
    {
      Screen screen;
      Clock::time_point last = Clock::now();
      while (!asked && !*stop && Clock::now() - last < patience) {
        const std::vector<LiveRun> runs = live.poll();
        if (!runs.empty()) last = Clock::now();
        for (const LiveRun& run : runs) seen.insert(run.hash);
        screen.draw(watch_lines(runs, Screen::height() - 1, Terminal::of(STDOUT_FILENO)));
        asked = screen.wait(std::chrono::milliseconds(500));
      }
    }
    if (!asked && !*stop) print_ended(seen);
  }

  static void print_ended(const std::set<std::string>& seen) {
    const Store store(Store::default_file(), Store::Mode::read_only);
    std::vector<RunRecord> ended;
    for (const std::string& hash : seen) {
      std::optional<RunRecord> run = store.find_done(hash);
      if (!run) run = store.find_undone(hash);
      if (run && ended.size() < most_watched) ended.push_back(std::move(*run));
    }
    std::ranges::sort(ended, {}, &RunRecord::id);
    fmt::print("Nothing is being trained any more.\n");
    if (!ended.empty()) print_runs(ended, {});
  }

  bool once_ = false;
};

const Register<Command> watch_command("watch", "watch runs in training: loss, accuracy, attention",
                                      [] { return std::make_unique<Watch>(); });

}  // namespace

}  // namespace fovea::cli
