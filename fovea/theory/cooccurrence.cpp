#include "fovea/theory/cooccurrence.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "fovea/base/error/error.h"
#include "fovea/theory/sample.h"

namespace fovea {

namespace {

constexpr std::size_t most_class_counts = 10'000'000;  // a worker: 80 MB

using Counts = std::vector<std::int64_t>;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

void add(Counts& sum, const Counts& more) {
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += more[i];
}

// How often each word stands anywhere.
struct Frequencies {
  Counts inputs, outputs, by_class;

  Frequencies(const BagSource& source) : inputs(at(source.inputs())), outputs(at(source.outputs())) {
    if (source.outputs_are() == BagSource::Outputs::classes)
      by_class.resize(std::min(inputs.size(), most_class_counts / outputs.size()) * outputs.size());
  }
  void count(const BagPair& pair) {
    for (const int i : pair.input) ++inputs[at(i)];
    for (const int o : pair.output) ++outputs[at(o)];
    if (!by_class.empty())
      for (const int i : pair.input)
        if (const std::size_t row = at(i) * outputs.size(); row < by_class.size())
          ++by_class[row + at(pair.output.front())];
  }
};

// The most frequent ids, by falling frequency; equal ones by id. Ids that are never seen are left out.
std::vector<int> most_frequent(const Counts& counts, int most) {
  std::vector<int> ids(counts.size());
  std::iota(ids.begin(), ids.end(), 0);
  std::erase_if(ids, [&](int id) { return counts[at(id)] == 0; });
  const auto more = [&](int a, int b) {
    return counts[at(a)] != counts[at(b)] ? counts[at(a)] > counts[at(b)] : a < b;
  };
  const auto kept = std::min(ids.size(), at(most));
  std::partial_sort(ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(kept), ids.end(), more);
  ids.resize(kept);
  return ids;
}

std::vector<int> ranks_of(const std::vector<int>& ids, int of) {
  std::vector<int> ranks(at(of), -1);
  for (std::size_t rank = 0; rank < ids.size(); ++rank) ranks[at(ids[rank])] = static_cast<int>(rank);
  return ranks;
}

// Sums of products of counts. Whole numbers below 2^53, so any order of adding gives the same.
class Moments {
 public:
  Moments(std::size_t in, std::size_t out)
      : inputs_(in), outputs_(out), input_lengths_(in), output_lengths_(out), among_(in * in), crossed_(in * out) {
    for (auto& power : output_powers_) power.resize(out);
    input_counts_.resize(in);
    output_counts_.resize(out);
  }

  void count(const BagPair& pair, const std::vector<int>& input_ranks, const std::vector<int>& output_ranks) {
    const std::size_t in = input_counts_.size(), out = output_counts_.size();
    tally(pair.input, input_ranks, input_counts_, inputs_there_);
    tally(pair.output, output_ranks, output_counts_, outputs_there_);
    const auto length = static_cast<double>(pair.input.size());
    ++examples_;
    lengths_ += length;
    squared_lengths_ += length * length;
    said_ += static_cast<double>(pair.output.size());
    for (const int o : outputs_there_) {
      const double y = output_counts_[at(o)];
      outputs_[at(o)] += y;
      output_lengths_[at(o)] += y * length;
      double power = y;
      for (auto& sums : output_powers_) sums[at(o)] += power *= y;
    }
    for (const int i : inputs_there_) {
      const double x = input_counts_[at(i)];
      inputs_[at(i)] += x;
      input_lengths_[at(i)] += x * length;
      double* const among = among_.data() + at(i) * in;
      for (const int j : inputs_there_)
        if (j <= i) among[j] += x * input_counts_[at(j)];
      double* const crossed = crossed_.data() + at(i) * out;
      for (const int o : outputs_there_) crossed[o] += x * output_counts_[at(o)];
    }
    for (const int i : inputs_there_) input_counts_[at(i)] = 0;
    for (const int o : outputs_there_) output_counts_[at(o)] = 0;
  }

  void add(const Moments& other) {
    examples_ += other.examples_;
    lengths_ += other.lengths_;
    squared_lengths_ += other.squared_lengths_;
    said_ += other.said_;
    const auto sum = [](std::vector<double>& a, const std::vector<double>& b) {
      for (std::size_t i = 0; i < a.size(); ++i) a[i] += b[i];
    };
    sum(inputs_, other.inputs_);
    sum(outputs_, other.outputs_);
    sum(input_lengths_, other.input_lengths_);
    sum(output_lengths_, other.output_lengths_);
    sum(among_, other.among_);
    sum(crossed_, other.crossed_);
    for (std::size_t k = 0; k < 3; ++k) sum(output_powers_[k], other.output_powers_[k]);
  }

  // From sums to means and covariances; the large arrays are taken over.
  void finish(Cooccurrence& c) {
    const double n = examples_;
    const std::size_t in = c.in(), out = c.out();
    c.sampled = static_cast<std::int64_t>(examples_);
    c.input_length = lengths_ / n;
    c.output_length = said_ / n;
    c.length_variance = squared_lengths_ / n - c.input_length * c.input_length;
    c.input_mean = std::move(inputs_);
    c.output_mean = std::move(outputs_);
    for (double& mean : c.input_mean) mean /= n;
    for (double& mean : c.output_mean) mean /= n;
    c.among_inputs = std::move(among_);
    c.crossed = std::move(crossed_);
    c.input_with_length = std::move(input_lengths_);
    c.output_with_length = std::move(output_lengths_);
    for (std::size_t i = 0; i < in; ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        double& covariance = c.among_inputs[i * in + j];
        covariance = covariance / n - c.input_mean[i] * c.input_mean[j];
        c.among_inputs[j * in + i] = covariance;
      }
      for (std::size_t o = 0; o < out; ++o) {
        double& covariance = c.crossed[i * out + o];
        covariance = covariance / n - c.input_mean[i] * c.output_mean[o];
      }
      c.input_with_length[i] = c.input_with_length[i] / n - c.input_mean[i] * c.input_length;
    }
    c.output_variance.resize(out);
    c.output_fourth.resize(out);
    for (std::size_t o = 0; o < out; ++o) {
      c.output_with_length[o] = c.output_with_length[o] / n - c.output_mean[o] * c.input_length;
      const double m = c.output_mean[o];
      const double two = output_powers_[0][o] / n, three = output_powers_[1][o] / n, four = output_powers_[2][o] / n;
      c.output_variance[o] = two - m * m;
      c.output_fourth[o] = four - 4 * m * three + 6 * m * m * two - 3 * m * m * m * m;
    }
  }

 private:
  static void tally(std::span<const int> words, const std::vector<int>& ranks, std::vector<double>& counts,
                    std::vector<int>& there) {
    there.clear();
    for (const int word : words) {
      const int rank = ranks[at(word)];
      if (rank >= 0 && counts[at(rank)]++ == 0) there.push_back(rank);
    }
  }

  double examples_ = 0, lengths_ = 0, squared_lengths_ = 0, said_ = 0;
  std::vector<double> inputs_, outputs_, input_lengths_, output_lengths_, among_, crossed_;
  std::vector<double> output_powers_[3];              // sums of the 2nd, 3rd and 4th powers
  std::vector<double> input_counts_, output_counts_;  // of the example at hand, 0 between examples
  std::vector<int> inputs_there_, outputs_there_;
};

}  // namespace

double Cooccurrence::correlation(std::size_t i, std::size_t o) const {
  const double size = std::sqrt(input_variance(i) * output_variance[o]);
  return size > 0 ? cross(i, o) / size : 0;
}

Cooccurrence measure_cooccurrence(const BagSource& source, Team& team, const CooccurrenceOptions& options,
                                  const BagSource::Progress& progress) {
  Cooccurrence c;
  {
    std::vector<Frequencies> parts(at(team.threads()), Frequencies(source));
    source.each(team, [&](int worker, const BagPair& pair) { parts[at(worker)].count(pair); }, progress);
    Frequencies& all = parts.front();
    for (std::size_t k = 1; k < parts.size(); ++k) {
      add(all.inputs, parts[k].inputs);
      add(all.outputs, parts[k].outputs);
      add(all.by_class, parts[k].by_class);
    }
    c.inputs = most_frequent(all.inputs, options.words);
    c.outputs = most_frequent(all.outputs, options.words);
    c.class_counts = std::move(all.by_class);
  }
  c.examples = source.size();
  if (c.inputs.empty() || c.outputs.empty())
    throw wrong_input("there are no words to predict from", "give examples with words");
  const Sample sample(c.examples, options.sample);
  const auto most = static_cast<std::size_t>(std::max<std::int64_t>(1, c.examples / sample.stride() / examples_a_word));
  if (c.inputs.size() > most) {
    c.left_out = c.inputs.size() - most;
    c.inputs.resize(most);
  }
  const std::vector<int> input_ranks = ranks_of(c.inputs, source.inputs());
  const std::vector<int> output_ranks = ranks_of(c.outputs, source.outputs());
  std::vector<Moments> parts(at(team.threads()), Moments(c.in(), c.out()));
  source.each(
      team,
      [&](int worker, const BagPair& pair) {
        if (sample.takes(pair.number)) parts[at(worker)].count(pair, input_ranks, output_ranks);
      },
      progress);
  for (std::size_t k = 1; k < parts.size(); ++k) parts.front().add(parts[k]);
  parts.front().finish(c);
  return c;
}

}  // namespace fovea
