#include "fovea/lab/store/run_lock.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <vector>

#include "fovea/base/error/error.h"
#include "tests/lab/store/store_sample.h"

namespace fovea {
namespace {

using testing_parts::Folder;
namespace fs = std::filesystem;

TEST(RunLock, OneAtATime) {
  const Folder folder;
  const fs::path running = folder / "running";
  EXPECT_FALSE(RunLock::held(running, "aa"));
  {
    const auto lock = RunLock::take(running, "aa");
    ASSERT_TRUE(lock);
    EXPECT_FALSE(lock->after_a_kill());
    EXPECT_TRUE(RunLock::held(running, "aa"));
    EXPECT_FALSE(RunLock::held(running, "bb"));
    EXPECT_FALSE(RunLock::take(running, "aa"));
    EXPECT_TRUE(RunLock::take(running, "bb"));
    EXPECT_EQ(RunLock::holder(running, "aa").find("process " + std::to_string(::getpid()) + " on "), 0u);
  }
  EXPECT_FALSE(RunLock::held(running, "aa"));
  EXPECT_TRUE(fs::is_empty(running));
  EXPECT_TRUE(RunLock::take(running, "aa"));
}

TEST(RunLock, MovesWithItsOwner) {
  const Folder folder;
  auto lock = RunLock::take(folder.path(), "aa");
  ASSERT_TRUE(lock);
  RunLock other = std::move(*lock);
  lock.reset();
  EXPECT_TRUE(RunLock::held(folder.path(), "aa"));
  other = std::move(*RunLock::take(folder.path(), "bb"));
  EXPECT_FALSE(RunLock::held(folder.path(), "aa"));
  EXPECT_TRUE(RunLock::held(folder.path(), "bb"));
}

TEST(RunLock, BecomesThatOfAnotherRun) {
  const Folder folder;
  auto lock = RunLock::take(folder.path(), "aa");
  ASSERT_TRUE(lock);
  ASSERT_TRUE(lock->move_to("bb"));
  EXPECT_FALSE(RunLock::held(folder.path(), "aa"));
  EXPECT_TRUE(RunLock::held(folder.path(), "bb"));
  EXPECT_FALSE(RunLock::take(folder.path(), "bb"));
  EXPECT_EQ(RunLock::holder(folder.path(), "bb").find("process " + std::to_string(::getpid()) + " on "), 0u);
  const auto other = RunLock::take(folder.path(), "aa");
  ASSERT_TRUE(other);
  EXPECT_FALSE(other->after_a_kill());
  EXPECT_FALSE(lock->move_to("aa"));  // somebody has it
  EXPECT_TRUE(RunLock::held(folder.path(), "bb"));
  std::ofstream(folder / "cc") << "process 1 on a host";  // a killed process left it
  EXPECT_FALSE(lock->move_to("cc"));
  EXPECT_TRUE(RunLock::take(folder.path(), "cc")->after_a_kill());
  lock.reset();
  EXPECT_FALSE(fs::exists(folder / "bb"));
}

TEST(RunLock, GoesWithAKilledProcess) {
  const Folder folder;
  int channel[2];
  ASSERT_EQ(::pipe(channel), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const auto lock = RunLock::take(folder.path(), "aa");
    [[maybe_unused]] const auto told = ::write(channel[1], lock ? "y" : "n", 1);
    ::pause();
    ::_exit(0);
  }
  char answer = 0;
  ASSERT_EQ(::read(channel[0], &answer, 1), 1);
  EXPECT_EQ(answer, 'y');
  EXPECT_TRUE(RunLock::held(folder.path(), "aa"));
  EXPECT_FALSE(RunLock::take(folder.path(), "aa"));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_FALSE(RunLock::held(folder.path(), "aa"));
  const auto lock = RunLock::take(folder.path(), "aa");
  ASSERT_TRUE(lock);
  EXPECT_TRUE(lock->after_a_kill());
}

// Many processes that take it, let go and remove its file: never two at once.
TEST(RunLock, ExcludesWhoeverComes) {
  const Folder folder;
  constexpr int processes = 4, each = 300;
  std::vector<pid_t> children;
  for (int i = 0; i < processes; ++i) {
    children.push_back(::fork());
    if (children.back() != 0) continue;
    for (int taken = 0; taken < each;) {
      const auto lock = RunLock::take(folder / "locks", "aa");
      if (!lock) continue;
      ++taken;
      const fs::path mine = folder / "mine";
      const int file = ::open(mine.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
      if (file < 0) ::_exit(1);  // somebody else is in here
      ::close(file);
      ::unlink(mine.c_str());
    }
    ::_exit(0);
  }
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
}

TEST(RunLock, ManyAtOnceRaiseTheLimitOfOpenFiles) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  if (before.rlim_max < 200) GTEST_SKIP() << "this machine lets a process open few files";
  rlimit low = before;
  low.rlim_cur = 64;
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &low), 0);
  {
    const Folder folder;
    std::vector<RunLock> locks;
    for (int i = 0; i < 150; ++i) {
      auto lock = RunLock::take(folder.path(), std::to_string(i));
      ASSERT_TRUE(lock);
      locks.push_back(std::move(*lock));
    }
  }
  ::setrlimit(RLIMIT_NOFILE, &before);
}

TEST(RunLock, AFolderThatCanNotBeMadeIsSaid) {
  const Folder folder;
  std::ofstream(folder / "running") << "a file";
  try {
    RunLock::take(folder / "running", "aa");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::failure);
    EXPECT_NE(std::string(error.what()).find((folder / "running").string()), std::string::npos);
  }
}

}  // namespace
}  // namespace fovea
