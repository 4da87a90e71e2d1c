// Which of the earlier tokens tell something of the answers of a task of token streams, each by itself: what a model's
// attention can find one place at a time. With x_{t-d} the token d places before an asked place t and y_t the answer
// there, n_vo counts over the N asked places that have such a token, n_v and n_o its sums by row and by column:
//
//   chi2(d)  = N (sum_vo n_vo^2 / (n_v n_o) - 1)          0 where both are independent in the sample
//   phi2(d)  = chi2(d) / N                                at most |o| - 1, where the token decides the answer
//   told(d)  = phi2(d) / (|o| - 1)                        |o|: answers seen
//   chance   = (|v| - 1) / (N - 1)                        E[told] where token and answer are independent
//   share(d) = (told(d) - chance) / (1 - chance)
//
// so that a share of 0 tells nothing and one of 1 all. With C(d; v, o) = Cov(1[x_{t-d} = v], 1[y_t = o]), phi2 is
// sum_vo C^2 / (P(v) P(o)): it is what co-occurrence is for bags, by lag.
//
// Whether a share stands clear of chance is another question, since the places of one sequence need not be independent
// of each other: a sequence may have a rule of its own. So it is judged by one asked place a sequence, drawn at random.
// With both margins given, the moments of chi2 under independence are exact (Haldane 1940):
//
//   E   = (r - 1)(c - 1) N / (N - 1)
//   Var = 2 N / (N - 3) (v1 - w1)(v2 - w2) + N^2 / (N - 1) w1 w2
//         v1 = (r - 1)(N - r) / (N - 1)     w1 = (N sum_v 1 / n_v - r^2) / (N - 2)     v2, w2: the same of columns
//
// A chi-squared distribution is fitted to the two, and the statistic is given as the standard deviations of a normal
// one by the cube root of Wilson and Hilferty (1931). A task is `hard` where no lag is `clear` such deviations above
// chance, as where an answer is the exclusive or of two bits: it is determined, but by no token alone.
//
// What is told by the place counts too: if a mark always stands at one place, its lag tells which place is asked.
#pragma once

#include <cstdint>
#include <vector>

#include "fovea/theory/streams/stream_sample.h"

namespace fovea {

struct LagOptions {
  int most = 128;          // the longest lag that is looked at
  double clear = 4;        // standard deviations above chance
  int enough = 200;        // sequences that ask at a place, for it to be judged by itself
  std::uint64_t seed = 0;  // of the place that is drawn from each sequence
};

struct Lag {
  int lag = 0;              // 0 is the current token
  std::int64_t places = 0;  // N
  double share = 0;
  double chance = 0;
  double deviations = 0;  // above chance
  bool clear = false;
};

struct LagStatistics {
  std::vector<Lag> lags;  // from 0 up, as far as any asked place has such a token
  bool hard = true;
  // Answers at one place of the sequences may be told where those of all together are told by another: of the places
  // that ask in enough sequences, how many there are, and at how many of them no lag is clear.
  int places = 0, hard_places = 0;

  std::vector<Lag> best(int count) const;  // by falling share
};

LagStatistics measure_lags(const StreamSample& sample, const LagOptions& options = {});

// A contingency table of whole numbers, as far as chi2 needs it.
struct Contingency {
  std::int64_t count = 0;         // N
  int rows = 0, columns = 0;      // those that are not empty
  double chi2 = 0;                // the statistic
  double mean = 0, variance = 0;  // of it under independence, given both margins; 0 of fewer than 4 observations
  double deviations() const;      // of the statistic above the mean; 0 where nothing can vary
};
struct Observation {
  int row = 0, column = 0;
};
Contingency contingency(const std::vector<Observation>& observations, int rows, int columns);

}  // namespace fovea
