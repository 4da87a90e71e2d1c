#include "fovea/lab/engine/python_engine.h"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <span>
#include <utility>

#include "fovea/base/error/error.h"

extern char** environ;

namespace fovea {

namespace {

// What the process does, with its socket as standard input. Its exit codes name what is missing.
constexpr int no_package = 71, no_torch = 72;
constexpr const char* serve = R"(import sys
path = sys.argv[1]
sys.path[:] = path.split(":") + sys.path if path else [folder for folder in sys.path if folder]
try:
    import fovea
except ImportError:
    sys.exit(71)
try:
    import torch
except ImportError:
    sys.exit(72)
from fovea.torch.engine import serve
serve(0)
)";
constexpr std::size_t most_bytes = std::size_t{1} << 36;

}  // namespace

Error python_not_started(const std::string& what, const std::string& python, int code) {
  const char* const named = std::getenv("FOVEA_PYTHON");
  if (named && python == named)
    return failure(fmt::format("FOVEA_PYTHON names '{}', which cannot be started: {}", python, std::strerror(code)),
                   "set it to a Python with the package 'fovea'");
  return failure(fmt::format("{} needs Python, and '{}' cannot be started: {}", what, python, std::strerror(code)),
                 "install Python 3.9 or later with the package 'fovea', or set FOVEA_PYTHON to one");
}

class PythonEngine::Process {
 public:
  Process(const std::string& python, const std::string& path) : python_(python) {
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
      throw failure(fmt::format("no socket for the engine: {}", std::strerror(errno)), "close other programs");
    socket_ = ends[0];
    posix_spawn_file_actions_t files;
    posix_spawnattr_t settings;
    ::posix_spawn_file_actions_init(&files);
    ::posix_spawn_file_actions_adddup2(&files, ends[1], STDIN_FILENO);
    ::posix_spawn_file_actions_adddup2(&files, STDERR_FILENO, STDOUT_FILENO);
    ::posix_spawnattr_init(&settings);
    ::posix_spawnattr_setflags(&settings, POSIX_SPAWN_SETPGROUP);
    ::posix_spawnattr_setpgroup(&settings, 0);
    const std::array<const char*, 5> words{python.c_str(), "-c", serve, path.c_str(), nullptr};
    const int error =
        ::posix_spawnp(&id_, python.c_str(), &files, &settings, const_cast<char* const*>(words.data()), environ);
    ::posix_spawnattr_destroy(&settings);
    ::posix_spawn_file_actions_destroy(&files);
    ::close(ends[1]);
    if (error == 0) return;
    ::close(socket_);
    const Error missing = python_not_started("engine 'torch'", python, error);
    throw EngineMissing(missing.problem(), missing.remedy());
  }
  ~Process() {
    ::close(socket_);
    if (!ended_) ::waitpid(id_, nullptr, 0);
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  TensorFile ask(std::span<const Tensor> tensors, const std::map<std::string, std::string>& metadata) {
    const std::string message = safetensors(tensors, metadata);
    static_assert(std::endian::native == std::endian::little);
    std::uint64_t size = message.size();
    send(&size, sizeof size);
    send(message.data(), message.size());
    receive(&size, sizeof size);
    if (size > most_bytes) throw failure("the engine's answer is no message", "report this");
    std::string answer(static_cast<std::size_t>(size), '\0');
    receive(answer.data(), answer.size());
    return TensorFile::parse(std::move(answer), "the engine's answer");
  }

 private:
  void send(const void* from, std::size_t count) {
    const auto* at = static_cast<const char*>(from);
    while (count > 0) {
      const ssize_t sent = ::send(socket_, at, count, MSG_NOSIGNAL);
      if (sent < 0 && errno == EINTR) continue;
      if (sent <= 0) refuse();
      at += sent;
      count -= static_cast<std::size_t>(sent);
    }
  }
  void receive(void* into, std::size_t count) {
    auto* at = static_cast<char*>(into);
    while (count > 0) {
      const ssize_t received = ::recv(socket_, at, count, 0);
      if (received < 0 && errno == EINTR) continue;
      if (received <= 0) refuse();
      at += received;
      count -= static_cast<std::size_t>(received);
    }
  }

  // The process is gone: why.
  [[noreturn]] void refuse() {
    int status = 0;
    if (!std::exchange(ended_, true)) ::waitpid(id_, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == no_package)
      throw EngineMissing(fmt::format("engine 'torch' needs the Python package 'fovea', which '{}' lacks", python_),
                          "install it there with pip, or set FOVEA_PYTHON to a Python that has it");
    if (WIFEXITED(status) && WEXITSTATUS(status) == no_torch)
      throw EngineMissing(fmt::format("engine 'torch' needs PyTorch, which '{}' lacks", python_),
                          "install it there: pip install torch");
    throw failure("the process of engine 'torch' ended", "run it again; its messages are above");
  }

  std::string python_;
  int socket_ = -1;
  pid_t id_ = 0;
  bool ended_ = false;
};

class PythonEngine::Link final : public EngineLink {
 public:
  Link(PythonEngine& engine, std::unique_ptr<Process> process) : engine_(engine), process_(std::move(process)) {}
  ~Link() override {
    if (!process_) return;
    const std::lock_guard lock(engine_.mutex_);
    engine_.free_.push_back(std::move(process_));
  }
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  TensorFile ask(std::span<const Tensor> tensors, const std::map<std::string, std::string>& metadata) override {
    try {
      return process_->ask(tensors, metadata);
    } catch (...) {
      process_.reset();
      throw;
    }
  }

 private:
  PythonEngine& engine_;
  std::unique_ptr<Process> process_;  // none: it failed
};

PythonEngine::PythonEngine(std::string python, std::string path) : python_(std::move(python)), path_(std::move(path)) {}
PythonEngine::~PythonEngine() = default;

std::unique_ptr<EngineLink> PythonEngine::link(const std::string&) {
  const std::unique_lock lock(mutex_);
  std::unique_ptr<Process> process;
  if (!free_.empty()) {
    process = std::move(free_.back());
    free_.pop_back();
  } else {
    process = std::make_unique<Process>(python_, path_);
  }
  return std::make_unique<Link>(*this, std::move(process));
}

}  // namespace fovea
