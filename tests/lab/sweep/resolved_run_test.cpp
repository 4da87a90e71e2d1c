// A run is read once and made once on its way from its experiment to the store. A model and an optimiser of the test's
// own count.
#include "fovea/lab/spec/resolved_run.h"

#include <gtest/gtest.h>

#include "fovea/lab/spec/assembly.h"
#include "fovea/lab/sweep/sweep.h"
#include "fovea/nn/optimizer/update_rule.h"
#include "tests/lab/store/same_record.h"
#include "tests/lab/store/store_sample.h"
#include "tests/lab/train/mark.h"

namespace fovea {
namespace {

using namespace testing_parts;

int models_built = 0, settings_stated = 0;

template <class T>
class CountedModel : public Tiny<T> {
 public:
  void build(const TaskShape& shape, ParameterSet<T>& parameters) override {
    ++models_built;
    Tiny<T>::build(shape, parameters);
  }
};

// Whoever reads the settings of a training has every optimiser state its own.
class CountedRule : public UpdateRule {
 public:
  void settings(Fields&) override { ++settings_stated; }
  int moments() const override { return 0; }
  double update(const UpdateStep&, const WeightStretch<float>&) const override { return 0; }
  double update(const UpdateStep&, const WeightStretch<double>&) const override { return 0; }
};

const RegisterModel<CountedModel> counted_model("counted", "counts how often it is built");
const Register<UpdateRule> counted_rule("counting", "counts how often settings are stated",
                                        [] { return std::make_unique<CountedRule>(); });

ResolvedRun counted_run(const std::string& precision) {
  models_built = settings_stated = 0;
  return resolve_run(mark_experiment(), Preset::full,
                     {parse_override("model.name=counted"), parse_override("train.precision=" + precision)}, 3);
}

TEST(ResolvedRun, IsReadOnceAndItsModelIsBuiltOnce) {
  for (const char* const precision : {"float", "double"}) {
    const Folder folder;
    Store store(folder / "runs.db");
    ResolvedRun run = counted_run(precision);
    const RunSpec spec = run.spec();
    const std::optional<RunRecord> kept = sweep_one(store, "marks", std::move(run), {});
    EXPECT_EQ(settings_stated, 1);
    EXPECT_EQ(models_built, 1);
    ASSERT_TRUE(kept);
    EXPECT_EQ(kept->spec.text(), spec.text());

    // As it is kept, it is the same run.
    models_built = settings_stated = 0;
    const RunRecord again = train(spec);
    EXPECT_EQ(settings_stated, 1);
    EXPECT_EQ(models_built, 1);
    EXPECT_EQ(again.hash, kept->hash);
    for (const auto& [name, series] : again.series) EXPECT_EQ(series.values, kept->series.at(name).values) << name;
  }
}

TEST(ResolvedRun, IsReadWhenItIsFirstAskedFor) {
  RunSpec broken = counted_run("float").spec();
  broken.train["stepz"] = {std::int64_t{3}, {}};
  ResolvedRun run(broken);
  EXPECT_EQ(run.spec().text(), broken.text());
  EXPECT_THROW(run.train(), Error);
  EXPECT_EQ(run.shape().classes, 2);
}

TEST(ResolvedRun, KeepsItsSettingsWithItsSpec) {
  ResolvedRun run = resolve_run(mark_experiment(), Preset::full, {parse_override("train.threads=4")}, 3);
  run.use_one_thread();
  EXPECT_EQ(run.train().threads, 1);
  EXPECT_EQ(run.spec().train.at("threads").text(), "1");
}

}  // namespace
}  // namespace fovea
