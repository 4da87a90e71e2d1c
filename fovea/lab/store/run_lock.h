// RunLock: the lock of a run, so that one process at a time trains it (room lab/store). Sweeps take it. The store and
// `fovea watch` read it.
//
// A run in training has a file running/HASH beside the store, locked by the process that trains it. The lock is the
// kernel's and ends with the process, however that ends, so no lock is ever stale. A file that exists and is not
// locked means that its process was killed. Processes that share a store are on one machine (SQLite's WAL needs
// that), and so are their locks.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace fovea {

class RunLock {
 public:
  // Nothing where somebody else trains the run: another process, or another RunLock of this one. Makes the folder.
  // Throws failure where the file cannot be made.
  static std::optional<RunLock> take(const std::filesystem::path& folder, const std::string& hash);
  static std::vector<std::string> left(const std::filesystem::path& folder);  // the runs of killed processes
  static bool held(const std::filesystem::path& folder, const std::string& hash);
  static std::string holder(const std::filesystem::path& folder, const std::string& hash);  // "process 12 on hostname"

  RunLock(RunLock&& other) noexcept;
  RunLock& operator=(RunLock&& other) noexcept;
  // Becomes the lock of another run in the same folder, and lets go of its own. Returns false, unchanged, if another
  // process has or left the lock of that run.
  bool move_to(const std::string& hash);
  ~RunLock();  // lets go of the run, and removes the file

  bool after_a_kill() const { return after_a_kill_; }  // the process that trained it before did not come to its end

 private:
  RunLock(std::filesystem::path file, int descriptor) : file_(std::move(file)), descriptor_(descriptor) {}

  std::filesystem::path file_;
  int descriptor_ = -1;
  bool after_a_kill_ = false;
};

}  // namespace fovea
