// Probe `prediction`: the prediction of the task (docs/reference/prediction.md), as numbers at step 0 (room probe).
// The Evaluator (lab/train) calls it. Claims compare these numbers with the training.
#include "fovea/theory/prediction/prediction.h"

#include "fovea/probe/probe.h"

namespace fovea {

namespace {

class PredictionProbe : public Probe {
 public:
  void settings(Fields& fields) override {
    fields.integer("draws", draws_, 100, 1 << 24, "examples to predict from, if the task draws them at random");
    fields.number("start_spread", start_spread_, 0, 100,
                  "classes: spread of the random scores of words at the start of the flow; 0: no scores");
  }

  void prepare(const TaskShape& shape, bool, std::uint64_t seed) override {
    if (shape.kind != Kind::labelled_tokens && shape.kind != Kind::token_pairs)
      throw wrong_input("probe 'prediction' needs words, and the task gives " + kind_name(shape.kind),
                        "remove the probe");
    if (start_spread_ > 0 && shape.kind != Kind::labelled_tokens)
      throw wrong_input("start_spread of probe 'prediction' needs words that indicate a class, and the task gives " +
                            kind_name(shape.kind),
                        "remove start_spread");
    seed_ = seed;
  }

  bool differs_under_hold() const override { return false; }
  void measure(const Evaluation& evaluation, Readings& readings) override {
    if (!evaluation.first) return;
    Team alone;
    PredictionOptions options;
    options.start_spread = start_spread_;
    options.start_seed = seed_;
    const Prediction prediction = predict(*task_bags(evaluation.task, draws_), alone, options);
    readings.number("predicted_signal", prediction.signal);
    readings.number("predicted_signal_error", prediction.error);
    // Infinity: never.
    readings.number("predicted_time_to_knowledge_half", prediction.course.knowledge_half);
    readings.number("predicted_time_to_attention_half", prediction.course.attention_half);
    readings.number("predicted_time_to_correct_90", prediction.course.correct_90);
    if (!prediction.course.accuracy.empty())
      readings.number("predicted_time_to_accuracy_90", prediction.course.accuracy_90);
    if (!prediction.course.auc.empty()) readings.number("predicted_time_to_auc_95", prediction.course.auc_95);
  }

 private:
  int draws_ = 4000;
  double start_spread_ = 0;
  std::uint64_t seed_ = 0;
};

const Register<Probe> prediction("prediction", "predictions of the task before training: signal, times of the stages",
                                 [] { return std::make_unique<PredictionProbe>(); });

}  // namespace

}  // namespace fovea
