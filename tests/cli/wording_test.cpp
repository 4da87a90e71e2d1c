// The words in which the program says what the library leaves open. Which they are in real use, the other tests of the
// program show.
#include "apps/cli/wording.h"

#include <gtest/gtest.h>

#include <regex>

namespace fovea::cli {
namespace {

TEST(ProgramWording, HasWordsForEveryRemedyAndNoCallOfPython) {
  const std::regex foreign(R"(\bfovea\.|\bset=|\w\(["\w]+\)|True|False)");
  int own = 0;
  for (int code = 1; code < static_cast<int>(Remedy::Code::count_); ++code) {
    const Remedy remedy(static_cast<Remedy::Code>(code), {{"train.rate", {}}, {"quick", {}}, {3, {}}});
    const std::string text = program_wording().remedy(remedy);
    EXPECT_FALSE(text.empty()) << code;
    EXPECT_FALSE(std::regex_search(text, foreign)) << code << ": " << text;
    own += text != remedy.text() ? 1 : 0;
  }
  EXPECT_GT(own, 30);
}

TEST(ProgramWording, NamesCommandsAndOptions) {
  const Wording& words = program_wording();
  EXPECT_EQ(words.remedy(Remedy::list_parts("experiments")), "see: fovea list experiments");
  EXPECT_EQ(words.remedy(Remedy::resume_run(12)), "continue it: fovea run --resume 12");
  EXPECT_EQ(words.remedy(Remedy::compare_runs(1, 2)), "see how they differ: fovea compare 1 2");
  EXPECT_EQ(words.remedy(Remedy::reproduce("copy", "quick", true)), "fovea reproduce copy --quick");
  EXPECT_EQ(words.remedy(Remedy::set_of_task("task.vocab", 60)),
            "set the sizes of the task, as in --set task.vocab=60");
  EXPECT_EQ(words.remedy(Remedy::drop_setting("train.momentum", "0")),
            "remove the setting (or --set train.momentum=0), or choose the part that has it");
  EXPECT_EQ(words.remedy(Remedy::or_skip("fill it in", "files")), "fill it in, or add --skip-bad");
  const Value probes{ValueList{{"loss", {}}, {"evidence", {}}}, {}};
  EXPECT_EQ(words.remedy(Remedy::train_again_with("probe.names", probes)),
            "train it again with --set 'probe.names=[\"loss\", \"evidence\"]'");
  EXPECT_EQ(words.remedy(Remedy(Remedy::Code::train_again_with, {{"probe.names", {}}, probes, {std::int64_t{7}, {}}})),
            "train it again: fovea show 7 --spec > run.toml; fovea run run.toml --set 'probe.names=[\"loss\", "
            "\"evidence\"]'");
  EXPECT_EQ(words.remedy(Remedy::train_others(7)),
            "train it again: fovea show 7 --spec > run.toml; fovea run run.toml --set model.attention=uniform. Instead "
            "of --set, another --seed is enough");
}

TEST(ProgramWording, NamesPlacesOfTheCommandLine) {
  const Wording& words = program_wording();
  EXPECT_EQ(words.location(Location::setting("task.vocab=1")), "--set task.vocab=1");
  EXPECT_EQ(words.location(Location::argument("show")), "--show");
  EXPECT_EQ(words.location({"a.toml", 2, 1}), "a.toml:2:1");
  EXPECT_EQ(words.paragraph(wrong_input("there is no run 3", Remedy::see_runs(), Location::setting("x=3"))),
            "--set x=3: there is no run 3. See: fovea runs.");
}

}  // namespace
}  // namespace fovea::cli
