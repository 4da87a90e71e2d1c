// An experiment with a key of each kind, and what must be refused.
#pragma once

#include <gtest/gtest.h>

#include "tests/lab/train/mark.h"

namespace fovea::testing_parts {

inline constexpr const char* whole = R"toml(title = "The mark"
idea = "Two sentences. They are here."
system = "tests"
order = 7
task = { name = "mark", vocab = 12 }
model = { name = "tiny" }
train = { steps = 40, rate = 0.1 }
probe = { every = 10, names = ["watch"], watch = { scale = 2 } }
intervene = [ { hold = "uniform", until = 20 } ]
sweep = { seed = "0..3", "task.vocab" = [12, 20] }

[quick]
train.steps = 5
"sweep.seed" = "0..1"

[[claim]]
says = "the mark is found"
metric = "share(on_mark > 0.5)"
where = "task.vocab = 20"
at_least = 0.9
form = "full"

[[figure]]
kind = "lines"
metric = "loss"
)toml";

inline Experiment experiment() { return parse_experiment(whole, "mark.toml"); }

inline std::string minimal(const std::string& rest) {
  return "task = { name = \"mark\" }\nmodel = { name = \"tiny\" }\n" + rest;
}

// Runs `work`, which must be refused, and checks the three parts of what is said.
template <class Work>
void refused(Work&& work, const std::string& position, const std::string& problem, const std::string& remedy) {
  try {
    work();
    ADD_FAILURE() << "was taken, instead of: " << problem;
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::wrong_input);
    EXPECT_EQ(error.location().text(), position) << error.what();
    EXPECT_NE(error.problem().text().find(problem), std::string::npos) << error.what();
    EXPECT_NE(error.remedy().text().find(remedy), std::string::npos) << error.what();
  }
}

}  // namespace fovea::testing_parts
