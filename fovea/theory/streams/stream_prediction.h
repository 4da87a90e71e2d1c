// Predictions of a task of token streams before a model is trained (room theory/streams). Pure functions. `fovea
// predict` and the probes `induction-exact` and `induction-flow` call it. They are the loss plateaus of its ladder,
// and the earlier tokens that predict answers, each by itself. If all answers follow an earlier copy of the current
// token, they include the time at which an induction head forms by its flow.
//
// The height of a rung over the asked places of B validation examples, or the last of each. l_b is the sum over those
// of example b of -log p(answer), or of its mean where answers are distributions, and n_b how many they are:
//
//   nats  = sum_b l_b / sum_b n_b
//   error = sqrt(B / (B - 1) sum_b (l_b - nats n_b)^2) / sum_b n_b        examples are independent, positions are not
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fovea/data/task.h"
#include "fovea/theory/induction_flow.h"
#include "fovea/theory/streams/lag_statistics.h"

namespace fovea {

struct StreamOptions {
  std::int64_t sequences = 0;  // that lags are counted in; 0: 20 000, or as many as have two million positions
  int batches = 32;            // of validation, for the ladder
  int batch = 64;              // examples of each
  bool last = false;           // heights are of the last answer of each example, as those of probe ladder may be
  LagOptions lags = {};
  double rate = 0;             // of plain descent, if that is how the task is trained; 0: it is not known
  InductionClamps given = {};  // to the model that is trained
};

struct RungHeight {
  std::string name;
  double nats = 0;   // infinity where the rung gives an answer no chance
  double error = 0;  // standard error; NaN of a single example
};

// Times of the induction flow where each token has a memory of its own, with nothing given and with what is given in
// its place; and where one memory serves all.
struct InductionTimes {
  InductionContext context;
  double time = 0, shared = 0;
  double with_previous = 0;  // layer 1 attends to the previous token
  double with_match = 0;     // layer 2 attends to the right position
};

// Where all sequences ask once, at one position, and the tokens before it all differ: the flow with a causal first
// layer, of one memory for all tokens, as model `induction-exact` is trained by plain descent.
struct CausalTimes {
  InductionContext context;  // T: positions before the query; level: the loss of the event
  double time = 0;
  double everywhere = 0;  // by the flow whose first layer reads T positions at every one
  double longer = 0;      // time of a context of 2 T; NaN where the tokens are too few
  double rate = 0;        // of the options
};

struct StreamPrediction {
  std::int64_t sequences = 0, asked = 0;  // that lags are counted in, and answers in these
  std::int64_t examples = 0;              // of validation, for the ladder
  bool last = false;                      // heights are of the last answer of each example
  std::vector<RungHeight> rungs;          // from the least information to the most; empty where there is no ladder
  LagStatistics lags;
  std::optional<InductionTimes> induction;
  std::optional<CausalTimes> causal;
};

// Throws wrong_input where the task does not give token streams or asks nothing.
StreamPrediction predict_stream(const Task& task, const StreamOptions& options = {});

// The context of the flow, if every answer of the sample is the token after an earlier copy of the current token. Of
// the t positions up to the asking one, c are after such copies. log T is the mean of log t / c, V is the number of
// tokens, and `asking` is the number of tokens that ask in the sample.
std::optional<InductionContext> induction_context(const StreamSample& sample);

// The loss at which a head has formed: half of log T, or halfway to the lowest loss if the output memory is frozen.
double induction_event(const InductionContext& context, const InductionClamps& given);

}  // namespace fovea
