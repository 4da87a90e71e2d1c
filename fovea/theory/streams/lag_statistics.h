// Measures how well single earlier tokens predict the answers of a task of token streams (room theory/streams). Pure
// functions. stream_prediction.h of this room calls it, and `fovea predict` prints it. It shows which answers
// attention to one position at a time can give. Let x_{t-d} be the token d positions before a position t with a
// question, and y_t its answer. n_vo counts pairs over the N such positions; n_v and n_o are its sums:
//
//   chi2(d)  = N (sum_vo n_vo^2 / (n_v n_o) - 1)          0 if both are independent in the sample
//   phi2(d)  = chi2(d) / N                                at most |o| - 1, if the token determines the answer
//   told(d)  = phi2(d) / (|o| - 1)                        |o|: distinct answers
//   chance   = (|v| - 1) / (N - 1)                        E[told] if token and answer are independent
//   share(d) = (told(d) - chance) / (1 - chance)
//
// A share of 0 means no information, and 1 means that the token determines the answer. With C(d; v, o) =
// Cov(1[x_{t-d} = v], 1[y_t = o]), phi2 is sum_vo C^2 / (P(v) P(o)): co-occurrence as for bags, by lag.
//
// Whether a share is above chance is a separate question, because positions of one sequence can be dependent: a
// sequence may have its own rule. So the test uses one random position per sequence. With both margins given, the
// moments of chi2 under independence are exact (Haldane 1940):
//
//   E   = (r - 1)(c - 1) N / (N - 1)
//   Var = 2 N / (N - 3) (v1 - w1)(v2 - w2) + N^2 / (N - 1) w1 w2
//         v1 = (r - 1)(N - r) / (N - 1)     w1 = (N sum_v 1 / n_v - r^2) / (N - 2)     v2, w2: the same of columns
//
// A chi-squared distribution is fitted to the two moments. The cube root of Wilson and Hilferty (1931) turns the
// statistic into standard deviations of a normal distribution. A task is `hard` if no lag is `clear` such deviations
// above chance. For example, the exclusive or of two bits is determined, but by no single token.
//
// Positions count as information too: a mark that is always at one position shows, by its lag, which position asks.
#pragma once

#include <cstdint>
#include <vector>

#include "fovea/theory/streams/stream_sample.h"

namespace fovea {

struct LagOptions {
  int most = 128;          // the longest lag
  double clear = 4;        // standard deviations above chance
  int enough = 200;        // sequences with a question at a position, for this position to be tested by itself
  std::uint64_t seed = 0;  // for the random position of each sequence
};

struct Lag {
  int lag = 0;                 // 0 is the current token
  std::int64_t positions = 0;  // N
  double share = 0;
  double chance = 0;
  double deviations = 0;  // above chance
  bool clear = false;
};

struct LagStatistics {
  std::vector<Lag> lags;  // from 0 up to the longest distance of any question
  bool hard = true;
  // Answers at one position can depend on another token than the answers of all positions together. These count the
  // positions with enough sequences, and how many of them have no clear lag.
  int positions = 0, hard_positions = 0;

  std::vector<Lag> best(int count) const;  // by falling share
};

LagStatistics measure_lags(const StreamSample& sample, const LagOptions& options = {});

// A contingency table of whole numbers, with the sums that chi2 needs.
struct Contingency {
  std::int64_t count = 0;         // N
  int rows = 0, columns = 0;      // rows and columns that are not empty
  double chi2 = 0;                // the statistic
  double mean = 0, variance = 0;  // under independence, given both margins; 0 for fewer than 4 observations
  double deviations() const;      // of the statistic above the mean; 0 if nothing varies
};
struct Observation {
  int row = 0, column = 0;
};
Contingency contingency(const std::vector<Observation>& observations, int rows, int columns);

}  // namespace fovea
