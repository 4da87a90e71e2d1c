// Probe `sparse-flow`: model `sparse-attention` on its task beside the flow of two numbers
// (theory/sparse_emergence.h) (room probe/exact). The Evaluator (lab/train) calls it at each evaluation; it changes
// nothing. The time of the flow is the sum of the learning rates:
//
//   loss_flow, alpha_flow   the values of the flow now
//   alpha                   weight on the positions that determine the answer
#include "fovea/data/tasks/exact/laws.h"
#include "fovea/probe/probe.h"
#include "fovea/theory/sparse_emergence.h"

namespace fovea {

namespace {

class SparseFlow final : public Probe {
 public:
  bool differs_under_hold() const override { return false; }

  void measure(const Evaluation& evaluation, Readings& readings) override {
    const SparseLaw* const law = evaluation.task.sparse_law();
    if (!law)
      throw wrong_input("probe 'sparse-flow' needs task 'sparse-emergence'", "use that task, or remove the probe");
    SparseSetting setting{law->positions(), law->width(), law->copies()};
    for (const ParameterView& view : evaluation.parameters) setting.shared |= view.name == "shared_logit";
    const double times[] = {evaluation.time};
    const SparsePoint now = evaluation.time > 0 ? sparse_flow(setting, times).front() : SparsePoint{};
    readings.number("loss_flow", sparse_loss(setting, now));
    readings.number("alpha_flow", sparse_attention(setting, now));
    double alpha = 0;
    const std::span<const float> row = evaluation.outcome.attention[0].flat();
    for (std::size_t t = row.size() - static_cast<std::size_t>(law->copies()); t < row.size(); ++t)
      alpha += static_cast<double>(row[t]);
    readings.number("alpha", alpha);
  }
};

const Register<Probe> sparse_flow_probe("sparse-flow", "attention by position, with the flow of two numbers",
                                        [] { return std::make_unique<SparseFlow>(); });

}  // namespace

}  // namespace fovea
