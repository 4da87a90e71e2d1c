// The same spec and seed give the same bits from every build for one instruction set: by g++ or clang, with any C library
// and any Highway. tests/cli/same_bits.txt has a digest of each run's exported rows for each set. With
// FOVEA_WRITE_BITS=1 this test rewrites the file. Its commit gives the reason for other numbers, and raises
// arithmetic_revision (fovea/base/version.h).
#include <map>

#include "fovea/io/digest.h"
#include "tests/cli/program.h"

namespace fovea {
namespace {

using fovea::testing::Outcome;
using fovea::testing::ProgramTest;

const std::string kept_file = FOVEA_SOURCE_DIR "/tests/cli/same_bits.txt";

// Each kind of model, and tasks that draw tokens, texts, images, points and addresses.
const char* const trainings[] = {"copy-permutation", "copy-heads",     "keyword-lstm",   "text-words",
                                 "digits-general",   "glimpse-plain",  "induction",      "linear-icl",
                                 "causal-tree",      "clamps-product", "toy-logistic",   "unigram-keyword",
                                 "sparse-emergence", "feature-free",   "prefetch-pages", "pooling-two-spaces"};

class SameBits : public ProgramTest {
 protected:
  // "" where this processor lacks the set.
  std::string digest_of(const std::string& set, const std::string& experiment) const {
    const std::string launcher = "FOVEA_SIMD=" + set;
    const Outcome trained =
        fovea("run " + experiment + " --quick --quiet --json --set train.steps=12 --set probe.every=4", launcher);
    EXPECT_EQ(trained.code, 0) << experiment << ": " << trained.err;
    if (trained.code != 0) return {};
    const auto run = nlohmann::json::parse(trained.out);
    std::string used = run.at("machine");
    std::ranges::transform(used, used.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (!used.ends_with(", " + set)) return {};
    const Outcome exported = fovea("export " + std::to_string(run.at("run").get<int>()) + " -o rows.csv");
    EXPECT_EQ(exported.code, 0) << exported.err;
    Digest digest;
    std::istringstream rows(read(folder_ / "rows.csv"));
    int count = -1;  // without the header
    for (std::string row; std::getline(rows, row); ++count)
      digest.add(row.substr(row.find(',')));  // without the number
    EXPECT_GT(count, 3) << experiment;
    return digest.hex();
  }
};

TEST_F(SameBits, AreThoseOfEveryBuildForAnInstructionSet) {
  std::map<std::pair<std::string, std::string>, std::string> kept, found;
  std::istringstream lines(read(kept_file));
  for (std::string set, experiment, digest; lines >> set >> experiment >> digest;) kept[{set, experiment}] = digest;
  std::size_t compared = 0;
  for (const std::string set : {"avx3", "avx2", "sse4"}) {
    for (const std::string experiment : trainings) {
      const std::string digest = digest_of(set, experiment);
      if (digest.empty()) break;
      found[{set, experiment}] = digest;
      EXPECT_EQ(digest, (kept[{set, experiment}])) << experiment << " with " << set;
      ++compared;
    }
  }
  EXPECT_GE(compared, std::size(trainings)) << "no instruction set was tested";
  if (!std::getenv("FOVEA_WRITE_BITS")) return;
  std::ofstream out(kept_file);
  for (const auto& [key, digest] : kept)
    if (!found.contains(key)) found[key] = digest;
  for (const auto& [key, digest] : found)
    if (!digest.empty()) out << key.first << ' ' << key.second << ' ' << digest << '\n';
}

}  // namespace
}  // namespace fovea
