#include "fovea/lab/ranks/ranks.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cstdlib>
#include <filesystem>
#include <initializer_list>
#include <thread>

#include "fovea/base/error/error.h"
#include "fovea/lab/ranks/rank_transport.h"

namespace fovea {

namespace {

constexpr const char* module = "fovea_mpi.so";

// From the words that launchers leave in the environment: Open MPI, MPICH and Slurm.
int announced(std::initializer_list<const char*> names, int otherwise) {
  for (const char* name : names)
    if (const char* const text = std::getenv(name)) return std::atoi(text);
  return otherwise;
}

// The module lies beside the program, or where it was installed: in lib/fovea beside the program's folder.
void* load() {
  std::error_code ignored;
  const std::filesystem::path folder = std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path();
  std::string why;
  for (const std::filesystem::path& place : {folder / module, folder.parent_path() / "lib" / "fovea" / module}) {
    if (!std::filesystem::exists(place, ignored)) continue;
    // Global, because MPI loads parts of its own that look for its names.
    if (void* const handle = ::dlopen(place.c_str(), RTLD_NOW | RTLD_GLOBAL)) return handle;
    why = ::dlerror();
  }
  if (why.empty())
    throw failure("this program was started as one of several processes of a job, but was built without MPI",
                  Remedy::spread_built());
  throw failure("MPI could not be loaded: " + why, Remedy::spread_loaded());
}

const RankTransport& loaded_transport() {
  using Entry = const RankTransport* (*)();
  const auto entry = reinterpret_cast<Entry>(::dlsym(load(), rank_transport_name));
  if (!entry) throw failure(std::string(module) + " is of another version of the program", "install both again");
  return *entry();
}

}  // namespace

int Ranks::announced_size() { return announced({"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"}, 1); }
int Ranks::announced_rank() {
  return announced_size() > 1 ? announced({"OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID"}, 0) : 0;
}

Ranks* Ranks::job() {
  if (announced_size() <= 1) return nullptr;
  static Ranks ranks(loaded_transport());
  if (ranks.size() != announced_size())
    throw failure(
        fmt::format("the launcher started {} processes, and MPI finds {} of them", announced_size(), ranks.size()),
        Remedy::spread_started());
  return &ranks;
}

Ranks::Ranks(const RankTransport& transport) : transport_(transport) {
  if (const char* const trouble = transport_.start(&rank_, &size_))
    throw failure(std::string("this process could not join the job: ") + trouble);
  given_up_.resize(static_cast<std::size_t>(size_));
}

Ranks::~Ranks() {
  for (int other = 1; first() && other < size_; ++other)
    if (answers(other)) transport_.send(other, end, nullptr, 0);
  transport_.finish(all_answer());
}

bool Ranks::all_answer() const { return std::ranges::find(given_up_, true) == given_up_.end(); }

void Ranks::send(int to, int kind, const std::string& bytes) {
  assert(to >= 0 && to < size_ && to != rank_);
  if (!transport_.send(to, kind, bytes.data(), bytes.size()))
    throw failure(fmt::format("a run is too large to be sent to {}: {} bytes", rank_name(to), bytes.size()),
                  "keep fewer examples (probe.keep), or train it without mpirun");
}

std::optional<Ranks::Message> Ranks::receive(std::chrono::milliseconds patience) {
  const auto until = std::chrono::steady_clock::now() + patience;
  for (;;) {
    Message message;
    const void* bytes = nullptr;
    std::size_t count = 0;
    if (transport_.receive(&message.from, &message.kind, &bytes, &count)) {
      if (count > 0) message.bytes.assign(static_cast<const char*>(bytes), count);
      return message;
    }
    if (std::chrono::steady_clock::now() >= until) return std::nullopt;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));  // whoever waits leaves the core to those who train
  }
}

void Ranks::gather(std::span<const std::byte> mine, std::span<std::byte> all) {
  assert(all.size() == mine.size() * static_cast<std::size_t>(size_));
  transport_.gather(mine.data(), all.data(), mine.size());
}

std::string rank_name(int rank) { return fmt::format("rank {}", rank); }

}  // namespace fovea
