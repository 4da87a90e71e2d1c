// Whatever an expression says, parsing it ends in one that can be evaluated over any runs, or in wrong_input.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <span>
#include <string>

#include "fovea/lab/query/expression.h"

namespace {

using namespace fovea;

RunRecord run(std::int64_t seed) {
  const double x = static_cast<double>(seed) / 4;
  RunRecord run;
  run.id = seed + 1;
  run.experiment = "copy";
  run.spec.task = {{"name", {std::string("copy"), {}}}, {"vocab", {40 + 10 * seed, {}}}, {"distinct", {true, {}}}};
  run.spec.train = {{"rate", {1e-3, {}}}};
  run.spec.seed = static_cast<std::uint64_t>(seed);
  run.state = RunState::done;
  run.steps = 20;
  run.series["accuracy"] = {{0, 10, 20}, {0, x, 2 * x}};
  run.series["loss"] = {{0, 5, 20}, {3, std::numeric_limits<double>::quiet_NaN(), 1 - x}};
  run.series["empty"] = {};
  return run;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const RunRecord runs[] = {run(0), run(1), run(2)};
  static const RunRecord* const all[] = {&runs[0], &runs[1], &runs[2]};
  try {
    const Expression expression = Expression::parse(std::string(reinterpret_cast<const char*>(data), size), {"fuzz"});
    for (const std::string& name : expression.names()) static_cast<void>(run_has(runs[0], name));
    for (std::size_t count = 0; count <= 3; ++count) static_cast<void>(expression.number(std::span(all).first(count)));
    // What is over one run needs no aggregate, whatever it says; what is a condition holds or does not.
    const double number = expression.number(runs[1]);
    if (expression.has_aggregate()) std::abort();
    if (expression.is_true(runs[1]) && number == 0) std::abort();
  } catch (const Error& error) {
    if (error.kind() != Error::Kind::wrong_input || error.location().file != "fuzz") std::abort();
  }
  return 0;
}
