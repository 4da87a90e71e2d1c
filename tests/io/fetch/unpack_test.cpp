#include "fovea/io/fetch/unpack.h"

#include "tests/io/archives.h"
#include "tests/io/packed.h"
#include "tests/io/scratch_folder.h"

namespace fovea {
namespace {

namespace fs = std::filesystem;

class UnpackTest : public WithScratchFolder {
 protected:
  void SetUp() override {
    WithScratchFolder::SetUp();
    if (!can_unpack()) GTEST_SKIP() << "built without libarchive";
  }
  Unpacking of(const std::string& bytes) const { return {.archive = put("archive", bytes), .folder = to()}; }
  fs::path to() const { return folder_ / "to"; }
  static std::string read(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  // Of a tar with a good file and this member.
  std::string refusal(const std::string& member, std::vector<std::string> members = {}) const {
    Unpacking unpacking = of(gzipped(tar_member("good.txt", "good") + member + tar_end()));
    unpacking.members = std::move(members);
    return wrong_input_of([&] { unpack(unpacking); });
  }
};

TEST_F(UnpackTest, TarAndZipAreUnpacked) {
  const std::string tar = tar_member("a/", "", '5') + tar_member("a/one.txt", "one") +
                          tar_member("./a/b/two.txt", std::string(100'000, '2')) + tar_end();
  for (const std::string& bytes : {tar, gzipped(tar), zstandard(tar)}) {
    fs::remove_all(to());
    unpack(of(bytes));
    EXPECT_EQ(read(to() / "a/one.txt"), "one");
    EXPECT_EQ(read(to() / "a/b/two.txt"), std::string(100'000, '2'));
  }
  unpack(of(zip_of("z/three.txt", "three")));
  EXPECT_EQ(read(to() / "z/three.txt"), "three");
}

// Newer tars say such a name in UTF-8 in a member in front of it.
TEST_F(UnpackTest, NamesMayHaveAnyLetters) {
  const std::string record = "20 path=für/ü.txt\n";
  ASSERT_EQ(record.size(), 20u) << "a record begins with its length";
  unpack(of(tar_member("PaxHeaders/x", record, 'x') + tar_member("x", "good") + tar_end()));
  EXPECT_EQ(read(to() / "für/ü.txt"), "good");
}

TEST_F(UnpackTest, OnlyWhatIsWantedIsWritten) {
  Unpacking unpacking = of(tar_member("train/pos/1.txt", "p") + tar_member("train/unsup/1.txt", "u") +
                           tar_member("readme", "r") + tar_end());
  unpacking.members = {"train/pos/", "readme"};
  unpack(unpacking);
  EXPECT_TRUE(fs::exists(to() / "train/pos/1.txt"));
  EXPECT_TRUE(fs::exists(to() / "readme"));
  EXPECT_FALSE(fs::exists(to() / "train/unsup"));
  unpacking.members = {"train/neg/"};
  EXPECT_SAYS(wrong_input_of([&] { unpack(unpacking); }), "has no member 'train/neg/'");
}

TEST_F(UnpackTest, NothingLeadsOut) {
  for (const char* name : {"../evil", "a/../../evil", "/tmp/fovea-evil", "a/..", "..", "a\\..\\evil"})
    EXPECT_SAYS(refusal(tar_member(name, "evil")), "would be outside the folder");
  EXPECT_SAYS(refusal(tar_member("../evil", "evil"), {"good.txt"}), "would be outside the folder");
  EXPECT_SAYS(wrong_input_of([&] { unpack(of(zip_of("../evil", "evil"))); }), "would be outside the folder");
  EXPECT_SAYS(wrong_input_of([&] { unpack(of(zip_of("/evil", "evil"))); }), "would be outside the folder");
  EXPECT_FALSE(fs::exists(folder_ / "evil"));
}

TEST_F(UnpackTest, LinksAndDevicesAreRefused) {
  EXPECT_SAYS(refusal(tar_member("link", "", '2', "/etc/passwd")), "has a link, 'link'");
  EXPECT_SAYS(refusal(tar_member("link", "", '1', "good.txt")), "has a link, 'link'");
  EXPECT_SAYS(refusal(tar_member("device", "", '3')), "has 'device', which is not a regular file");
  EXPECT_SAYS(refusal(tar_member("pipe", "", '6')), "has 'pipe', which is not a regular file");
}

TEST_F(UnpackTest, BombsAreStoppedWhetherWantedOrNot) {
  const std::string zeros =
      gzipped(tar_member("good", "good") + tar_member("zeros", std::string(20'000'000, '\0')) + tar_end());
  Unpacking unpacking = of(zeros);
  unpacking.most_bytes = 1'000'000;
  EXPECT_SAYS(wrong_input_of([&] { unpack(unpacking); }), "unpacks to more than 1000000 bytes");
  unpacking.members = {"good"};
  EXPECT_SAYS(wrong_input_of([&] { unpack(unpacking); }), "unpacks to more than 1000000 bytes");
  std::string many;
  for (int i = 0; i < 101; ++i) many += tar_member("f" + std::to_string(i), "");
  unpacking = of(many + tar_end());
  unpacking.most_members = 100;
  EXPECT_SAYS(wrong_input_of([&] { unpack(unpacking); }), "has more than 100 files");
}

TEST_F(UnpackTest, ANameTwiceIsRefused) {
  EXPECT_SAYS(refusal(tar_member("good.txt", "other")), "contains 'good.txt' twice");
  EXPECT_SAYS(refusal(tar_member("a/./b", "1") + tar_member("a//b", "2")), "twice");
}

TEST_F(UnpackTest, DamagedArchivesAreNamed) {
  const std::string whole = gzipped(tar_member("a", std::string(100'000, 'a')) + tar_member("b", "b") + tar_end());
  for (const std::string& bytes :
       {std::string("no archive at all, just text"), std::string(), whole.substr(0, whole.size() / 2)})
    EXPECT_SAYS(wrong_input_of([&] { unpack(of(bytes)); }), "archive: is no archive that can be read");
}

TEST_F(UnpackTest, Latin1BecomesUtf8) {
  Unpacking unpacking = of(tar_member("a.txt", "caf\xe9 \xff") + tar_end());
  unpacking.latin1 = true;
  unpack(unpacking);
  EXPECT_EQ(read(to() / "a.txt"), "café ÿ");
}

}  // namespace
}  // namespace fovea
