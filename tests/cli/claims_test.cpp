// Every claim of the shipped toy experiments holds, and is seen to fail once its number is changed.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <cmath>
#include <filesystem>

#include "fovea/lab/analysis/reproduce.h"

namespace fovea {
namespace {

TEST(Claims, FailWhenTheirNumbersAreChanged) {
  std::string pattern = (std::filesystem::temp_directory_path() / "fovea-claims-XXXXXX").string();
  const std::filesystem::path folder = ::mkdtemp(pattern.data());
  {
    Store store(folder / "runs.db");
    for (const char* name : {"toy-uniform", "toy-mistaken", "toy-lowloss", "toy-phase"}) {
      const Reproduction done = reproduce(store, find_experiment(name), Preset::quick, {}, {});
      ASSERT_FALSE(done.claims.empty()) << name;
      for (const ClaimResult& claim : done.claims) EXPECT_TRUE(claim.held) << name << ": " << claim.claim;
      for (std::size_t i = 0; i < done.experiment.claims.size(); ++i) {
        const double off = 1e-3 + 0.01 * std::abs(done.claims.at(i).value);
        Experiment changed = done.experiment;
        Claim& claim = changed.claims[i];
        if (claim.at_least) claim.at_least = done.claims[i].value + off;
        if (claim.at_most) claim.at_most = claim.at_least ? *claim.at_least + off : done.claims[i].value - off;
        const ClaimResult result = check_claims(changed, Preset::quick, done.runs).at(i);
        EXPECT_FALSE(result.held) << name << ": " << claim.says << " still holds with " << result.wanted;
      }
    }
  }
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace fovea
