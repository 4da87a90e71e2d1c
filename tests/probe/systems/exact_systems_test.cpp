#include <cmath>

#include "fovea/lab/experiment/experiment.h"
#include "fovea/lab/train/trainer.h"
#include "fovea/theory/induction_flow.h"
#include "tests/probe/evaluation_help.h"

namespace fovea {
namespace {

RunRecord exact_run(const std::string& spec) {
  return train(resolve(parse_experiment(spec, "x.toml"), Preset::full, {}, 1));
}

double exact_value(const RunRecord& run, const std::string& name, std::size_t look) {
  return run.series.at(name).values.at(look);
}

TEST(SparseFlowProbe, TheFlowStartsWhereTheModelDoesAndStaysWithIt) {
  for (const char* copies : {"1", "3"}) {
    const RunRecord run =
        exact_run(std::string("task = { name = \"sparse-emergence\", places = 8, width = 4, copies = ") + copies +
                  " }\nmodel = { name = \"sparse-attention\", shared = true }\ntrain = { steps = 40, batch = 512, "
                  "optimizer = \"sgd\", rate = 0.5 }\nprobe = "
                  "{ every = 40, examples = 2000, names = [\"loss\", \"sparse-flow\", "
                  "\"closed-form\"] }\n");
    EXPECT_DOUBLE_EQ(exact_value(run, "loss_flow", 0), 0.5);
    EXPECT_NEAR(exact_value(run, "loss", 0), 0.5, 0.03);
    EXPECT_NEAR(exact_value(run, "alpha", 0), exact_value(run, "alpha_flow", 0), 1e-6);
    EXPECT_GT(exact_value(run, "alpha_flow", 1), 1.5 * exact_value(run, "alpha_flow", 0));
    EXPECT_NEAR(exact_value(run, "alpha", 1), exact_value(run, "alpha_flow", 1), 0.04);
    EXPECT_NEAR(exact_value(run, "loss", 1), exact_value(run, "loss_flow", 1), 0.02);
    EXPECT_GT(exact_value(run, "predicted_half", 0), 1);
  }
}

TEST(SparseFlowProbe, RefusesWhatItDoesNotFollow) {
  EXPECT_THROW(
      exact_run("task = { name = \"linear-icl\" }\nmodel = { name = \"linear-attention\" }\ntrain = { steps = 0 "
                "}\nprobe = { names = [\"sparse-flow\"] }\n"),
      Error);
  EXPECT_THROW(exact_run("task = { name = \"curve\" }\nmodel = { name = \"pooling\" }\ntrain = { steps = 0 }\nprobe = "
                         "{ names = [\"closed-form\"] }\n"),
               Error);
}

// A run of 40 steps: the head does not form, and what stands beside it is known at the start.
TEST(InductionExactProbe, TimesAreThoseOfTheFlowsAndStrengthsThoseOfTheModel) {
  const std::string start =
      "task = { name = \"induction\", vocab = 32, length = 9 }\ntrain = { steps = 40, batch = 64, optimizer = \"sgd\", "
      "rate = 0.3 }\nprobe = { every = 20, names = [\"induction-exact\"] }\nmodel = { name = \"induction-exact\"";
  const RunRecord free = exact_run(start + " }\n");
  InductionContext context{8, 32};
  context.level = std::log(8) / 2;
  EXPECT_NEAR(exact_value(free, "event_loss", 2), context.level, 1e-12);
  EXPECT_NEAR(exact_value(free, "everywhere_time", 0), induction_time(context), 1e-3);
  context.first_layer = InductionContext::FirstLayer::causal;
  EXPECT_NEAR(exact_value(free, "causal_time", 0), induction_time(context), 1e-3);
  EXPECT_NEAR(exact_value(free, "sign_time", 0), induction_sign_time(context), 1e-9);
  EXPECT_EQ(exact_value(free, "copy_strength", 0), 0);
  EXPECT_GT(exact_value(free, "copy_strength", 2), 0.3);
  EXPECT_GT(exact_value(free, "match_strength", 2), 0.01);
  EXPECT_GT(exact_value(free, "previous_logit", 2), 0);
  const RunRecord frozen = exact_run(start + ", copy = 6, frozen = [\"output\"] }\n");
  EXPECT_NEAR(exact_value(frozen, "copy_strength", 2), 6, 1e-5);
  context.level = induction_halfway(context, 6);
  EXPECT_NEAR(exact_value(frozen, "event_loss", 0), context.level, 1e-5);
  EXPECT_NEAR(exact_value(frozen, "causal_time", 0), induction_time(context, {.start_copy = 6, .copy = true}), 1e-3);
  EXPECT_THROW(exact_run("task = { name = \"induction\" }\nmodel = { name = \"transformer\" }\ntrain = { steps = 0 "
                         "}\nprobe = { names = [\"induction-exact\"] }\n"),
               Error);
  EXPECT_THROW(exact_run("task = { name = \"induction\", vocab = 6, length = 9 }\nmodel = { name = "
                         "\"induction-exact\" }\ntrain = { steps = 0 }\nprobe = { names = [\"induction-exact\"] }\n"),
               Error);
}

TEST(MaxMarginProbe, ReadsTheMapBesideTheSolution) {
  for (const char* const form : {"merged", "separate"}) {
    const RunRecord run =
        exact_run(std::string("task = { name = \"max-margin\" }\nmodel = { name = "
                              "\"logistic-attention\", form = \"") +
                  form +
                  "\" }\ntrain = { steps = 300, batch = 6, optimizer = \"sgd\", rate = 0.1, normalize = "
                  "true, precision = \"double\" }\nprobe = { every = 100, at = [1], names = "
                  "[\"max-margin\"] }\n");
    const bool merged = std::string(form) == "merged";
    if (merged) {
      EXPECT_EQ(exact_value(run, "map_length", 0), 0);
      EXPECT_NEAR(exact_value(run, "map_length", 1), 0.1, 1e-6);
      EXPECT_NEAR(exact_value(run, "alignment", 1), exact_value(run, "alignment_first_step", 1), 1e-5);
    }
    EXPECT_GT(exact_value(run, "alignment", 4), merged ? 0.9 : 0.4);
    EXPECT_LT(exact_value(run, "alignment", 4), 1);
    EXPECT_GT(exact_value(run, "largest_weight", 4), 0.9);
    EXPECT_NEAR(exact_value(run, "solution_margin", 4), 1, 1e-6);
    EXPECT_GT(exact_value(run, "map_rank", 4), 1);
    EXPECT_LE(exact_value(run, "map_rank", 4), 10);
  }
  EXPECT_THROW(
      exact_run("task = { name = \"linear-icl\" }\nmodel = { name = \"linear-attention\" }\ntrain = { steps = 0 "
                "}\nprobe = { names = [\"max-margin\"] }\n"),
      Error);
}

TEST(SpansProbe, ReadsTheMassOfEachSpan) {
  const std::string of = "task = { name = \"spans\", vocab = 5, span_length = 2 }\nmodel = { name = ";
  const RunRecord run =
      exact_run(of +
                "\"position-heads\" }\ntrain = { steps = 0 }\nprobe = { examples = 4, names = "
                "[\"spans\"] }\nintervene = [{ hold = \"previous\", of = \"layer.1.head.2\" }, { hold = "
                "\"first\", of = \"layer.1.head.3\" }]\n");
  EXPECT_NEAR(exact_value(run, "span_2_l1_h1", 0), 1.0 / 3, 1e-3);
  EXPECT_NEAR(exact_value(run, "span_1_least", 0), 1.0 / 3, 1e-3);
  EXPECT_EQ(exact_value(run, "span_1_l1_h2_held", 0), 1) << "the token before the last is of the newest span";
  EXPECT_EQ(exact_value(run, "span_1_most_held", 0), 1);
  EXPECT_EQ(exact_value(run, "span_1_least_held", 0), 0);
  EXPECT_EQ(exact_value(run, "span_1_heads_held", 0), 1);
  EXPECT_EQ(exact_value(run, "span_3_l1_h3_held", 0), 1);
  EXPECT_EQ(exact_value(run, "span_2_heads_held", 0), 0);
  EXPECT_NO_THROW(
      exact_run(of + "\"transformer\", width = 8 }\ntrain = { steps = 0 }\nprobe = { names = [\"spans\"] }\n"));
  EXPECT_THROW(
      exact_run(
          "task = { name = \"markov-icl\", length = 10 }\nmodel = { name = \"position-heads\" }\ntrain = { steps = 0 "
          "}\nprobe = { names = [\"spans\"] }\n"),
      Error);
}

// b and c are given. The first product is learned first, and the cost then removes it.
TEST(RaceProbe, ReadsBothErrorsAndTheFirstFadesAsPredicted) {
  const std::string start =
      "task = { name = \"race-product\" }\nprobe = { every = 200, names = [\"loss\", \"race\", \"closed-form\"] }\n"
      "train = { steps = 12000, batch = 1, optimizer = \"sgd\", rate = 1, precision = \"double\" }\n";
  const RunRecord run = exact_run(start + "model = { name = \"race-product\", given = true }\n");
  const double faded = exact_value(run, "rung_faded", 0);
  EXPECT_LT(exact_value(run, "context_error", 1), 0.1 * faded);
  EXPECT_GT(exact_value(run, "weights_error", 1), 0.1 * exact_value(run, "weights_error", 0));
  EXPECT_NEAR(exact_value(run, "context_error", 60), faded, 0.01 * faded);
  EXPECT_LT(exact_value(run, "weights_error", 60), 1e-3 * exact_value(run, "weights_error", 0));
  const RunRecord free = exact_run(start + "model = { name = \"race-product\", given = true, cost = 0 }\n");
  EXPECT_LT(exact_value(free, "context_error", 60), 1e-6);
  EXPECT_NEAR(exact_value(free, "loss", 1),
              (exact_value(free, "context_error", 1) + 0.1) * exact_value(free, "weights_error", 1), 1e-5);
  EXPECT_THROW(exact_run("task = { name = \"product\" }\nmodel = { name = \"product\" }\ntrain = { steps = 0 "
                         "}\nprobe = { names = [\"race\"] }\n"),
               Error);
}

// With fresh examples, from a query that is small, position and meaning grow as their slopes say.
TEST(OverlapsProbe, StartAtChanceAndGrowAsTheLandscapeSays) {
  const auto grown = [](const std::string& noise) {
    return exact_run(
        "task = { name = \"position-or-meaning\", width = 100, samples = 0, positional = 0.1, noise = " + noise +
        " }\nmodel = { name = \"rank-one-attention\", start = 0.005 }\ntrain = { steps = 60, batch = 800, "
        "optimizer = \"sgd\", rate = 0.1, normalize = true, stop_when = \"position > 0.1 or meaning > 0.1\" "
        "}\nprobe = { every = 1, examples = 200, names = [\"loss\", \"overlaps\", \"closed-form\"] }\n");
  };
  const RunRecord low = grown("0.4"), high = grown("1.6");
  EXPECT_LT(exact_value(low, "position", 0), 0.002);
  EXPECT_LT(exact_value(low, "meaning", 0), 0.002);
  EXPECT_GT(low.series.at("position").values.back(), 0.1);
  EXPECT_LT(low.series.at("meaning").values.back(), 0.1);
  EXPECT_GT(high.series.at("meaning").values.back(), 0.1);
  EXPECT_LT(high.series.at("position").values.back(), 0.1);
  EXPECT_GT(exact_value(low, "predicted_slope_ratio", 0), 1);
  EXPECT_LT(exact_value(high, "predicted_slope_ratio", 0), 1);
  EXPECT_NEAR(exact_value(low, "loss", 0), exact_value(low, "rung_start", 0), 0.2 * exact_value(low, "rung_start", 0));
  EXPECT_THROW(exact_run("task = { name = \"sparse-emergence\" }\nmodel = { name = \"sparse-attention\" }\ntrain = { "
                         "steps = 0 }\nprobe = { names = [\"overlaps\"] }\n"),
               Error);
}

// With more examples than entries of the map, descent comes to the one map of least squares.
TEST(LeastSquaresProbe, DescentEndsWhereTheFitIs) {
  const RunRecord run = exact_run(
      "task = { name = \"task-diversity\", width = 6, samples = 10 }\nmodel = { name = \"linear-attention\", heads = "
      "1, "
      "start = 0.1 }\ntrain = { steps = 200, batch = 360, optimizer = \"sgd\", rate = 3 }\nprobe = { every = 200, "
      "examples "
      "= 20000, names = [\"loss\", \"closed-form\", \"least-squares\"] }\n");
  const double fit = exact_value(run, "fit_error", 1);
  EXPECT_EQ(fit, exact_value(run, "fit_error", 0));
  EXPECT_NEAR(exact_value(run, "loss", 1), fit, 0.05 * fit);
  EXPECT_NEAR(exact_value(run, "loss", 0), exact_value(run, "rung_start", 0), 0.06);
  EXPECT_GT(fit, exact_value(run, "rung_least", 0));
  EXPECT_GT(exact_value(run, "fit_error_with_squares", 0), exact_value(run, "rung_least", 0));
  EXPECT_NE(exact_value(run, "fit_error_with_squares", 0), fit);
  EXPECT_THROW(
      exact_run("task = { name = \"linear-icl\" }\nmodel = { name = \"linear-attention\" }\ntrain = { steps = 0 "
                "}\nprobe = { names = [\"least-squares\"] }\n"),
      Error);
}

TEST(ParentsProbe, FindsTheTreeWhereAttentionIsGiven) {
  const RunRecord run = exact_run(
      "task = { name = \"causal-tree\" }\nmodel = { name = \"disentangled\" }\ntrain = { steps = 0 }\n"
      "probe = { examples = 20, names = [\"parents\"] }\nintervene = [{ hold = \"truth\" }]\n");
  EXPECT_EQ(exact_value(run, "parent_points_right_held", 0), 1);
  EXPECT_EQ(exact_value(run, "parent_weight_held", 0), 1);
  EXPECT_EQ(exact_value(run, "parent_predicted", 0), 1);
  EXPECT_NEAR(exact_value(run, "parent_weight", 0), exact_value(run, "parent_chance", 0), 1e-6);
  EXPECT_LT(exact_value(run, "parent_points_right", 0), 1);
  EXPECT_THROW(exact_run("task = { name = \"markov-icl\" }\nmodel = { name = \"disentangled\" }\ntrain = { steps = 0 "
                         "}\nprobe = { names = [\"parents\"] }\n"),
               Error);
}

}  // namespace
}  // namespace fovea
