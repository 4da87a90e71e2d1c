#include "fovea/lab/analysis/measurement.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "fovea/lab/analysis/evidence.h"
#include "fovea/lab/record/series.h"
#include "fovea/probe/agreement.h"

namespace fovea {

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr const char *alpha = "α", *beta = "β", *beta_uniform = "βᵘᶠ", *beta_words = "βᵖˣ",
                     *beta_logistic = "logistic β", *delta = "Δ", *alpha_others = "α of other seeds",
                     *predicted = "predicted", *common = "common", *rare = "rare";

// Whole rows by example, as the bootstrap wants them.
struct Sums {
  std::vector<double> sums, counts;
  explicit Sums(std::size_t examples) : sums(examples), counts(examples) {}
  void add(std::size_t example, double value) {
    if (std::isnan(value)) return;
    sums[example] += value;
    counts[example] += 1;
  }
  double mean() const {
    double sum = 0, count = 0;
    for (std::size_t i = 0; i < sums.size(); ++i) sum += sums[i], count += counts[i];
    return count > 0 ? sum / count : nan;
  }
  Estimate interval() const { return bootstrap_ratio(sums, counts, 0); }
};

// Adds up what a has in common with b, or with several of them: their rows are examples beside each other.
class RowComparison {
 public:
  // Of those rows whose numbers stand in `counted`.
  RowComparison(const EvidenceRows& rows, std::span<const std::size_t> counted, const Evidence& a)
      : rows_(rows),
        counted_(counted),
        a_(a),
        agreement_(rows.example_count()),
        chance_(rows.example_count()),
        tau_(rows.example_count()),
        rho_(rows.example_count()) {}

  // `ranks` has the order of b without ties, where these should not count as agreement.
  RowComparison& with(const Evidence& b, const Evidence& ranks) {
    for (const std::size_t i : counted_) {
      const std::span<const double> x = rows_.row(a_, i), y = rows_.row(b, i), rank = rows_.row(ranks, i);
      agreement_.add(rows_.examples[i], agrees(x, rank));
      chance_.add(rows_.examples[i], agreement_by_chance(rank));
      tau_.add(rows_.examples[i], kendall_tau(x, y));
      rho_.add(rows_.examples[i], spearman_rho(x, y));
    }
    return *this;
  }
  RowComparison& with(const Evidence& b) { return with(b, b); }

  Estimate agreement() const { return agreement_.interval(); }
  Measures::Row row(const std::string& name_a, const std::string& name_b) const {
    return {name_a, name_b, agreement(), chance_.interval(), tau_.interval(), rho_.interval(), {}, {}, {}};
  }

 private:
  const EvidenceRows& rows_;
  std::span<const std::size_t> counted_;
  const Evidence& a_;
  Sums agreement_, chance_, tau_, rho_;
};

const Series& series_of(const RunRecord& run, const std::string& name) {
  const auto found = run.series.find(name);
  if (found == run.series.end() || found->second.steps.empty())
    throw wrong_input(fmt::format("run {} has no '{}'", run.id, name), "measure runs that have all evaluations");
  return found->second;
}

// β at the look with the least loss.
Evidence best_beta(const RunRecord& run, const EvidenceOf& evidence) {
  const Series& loss = series_of(run, "evidence_loss");
  const auto least = std::min_element(loss.values.begin(), loss.values.end());
  const std::int64_t step = loss.steps[static_cast<std::size_t>(least - loss.values.begin())];
  for (Evidence& look : evidence.all("beta"))
    if (look.step == step) return std::move(look);
  throw wrong_input(fmt::format("run {} has no β at step {}", run.id, step), "train the run again");
}

// One at least.
std::vector<Evidence> evidence_series(const RunRecord& run, const EvidenceOf& evidence, const std::string& name) {
  std::vector<Evidence> looks = evidence.all(name);
  if (looks.empty())
    throw wrong_input(fmt::format("run {} has no evidence.{}", run.id, name),
                      "train the run with the probe 'evidence'");
  return looks;
}

class Measuring {
 public:
  Measuring(const MeasurementRuns& runs, const FetchArrays& arrays, const MeasureOptions& options)
      : runs_(runs), arrays_(arrays), options_(options), reference_(runs.reference, arrays) {
    const bool said = runs.reference.series.contains("bleu");
    measures_.performance = said ? "bleu" : "evidence_accuracy";
    for (std::size_t i = 0; i < rows().count(); ++i)
      if (options.only_class < 0 ||
          (!rows().labels.empty() && static_cast<int>(rows().labels[rows().examples[i]]) == options.only_class))
        counted_.push_back(i);
    if (counted_.empty())
      throw wrong_input(fmt::format("run {} has no evaluated example of this class", runs.reference.id),
                        "name another class");
  }

  Measures all() {
    note("reference", runs_.reference);
    measures_.examples = static_cast<int>(options_.only_class < 0 ? rows().example_count() : counted_.size());
    measures_.words = std::ssize(counted_);
    const Series& performance = series_of(runs_.reference, measures_.performance);
    const auto best = std::max_element(performance.values.begin(), performance.values.end());
    measures_.best = *best;
    measures_.best_step = performance.steps[static_cast<std::size_t>(best - performance.values.begin())];

    std::vector<Evidence> attended = evidence_series(runs_.reference, reference_, "alpha");
    const Evidence attention = std::move(attended.back());
    if (attended.size() > 1) untrained_attention_ = std::move(attended.front());
    follow_others(attention);
    add(alpha, attention, beta, evidence_series(runs_.reference, reference_, "beta").back());
    const std::vector<Evidence> influence = reference_.all("delta");
    if (!influence.empty()) add(alpha, attention, delta, influence.back());
    const std::optional<Evidence> words = add_words(runs_.words, beta_words, attention);
    const std::optional<Evidence> logistic = add_words(runs_.logistic, beta_logistic, attention);
    if (runs_.uniform) add_uniform(attention, influence, words, logistic);
    add_predicted(attention);
    if (runs_.logistic) compare_with_logistic(*runs_.logistic);
    return std::move(measures_);
  }

 private:
  const EvidenceRows& rows() const { return reference_.rows(); }

  EvidenceOf evidence_of(const RunRecord& run) const {
    EvidenceOf evidence(run, arrays_);
    if (evidence.rows() != rows())
      throw wrong_input(fmt::format("runs {} and {} evaluated different examples", runs_.reference.id, run.id),
                        "measure runs with the same corpus, probe.split and probe.evidence.examples. If the task draws "
                        "examples at random, use one seed");
    return evidence;
  }

  RowComparison against(const Evidence& a) const { return {rows(), counted_, a}; }

  double agreement(const Evidence& a, const Evidence& b) const {
    Sums sums(rows().example_count());
    for (const std::size_t i : counted_) sums.add(rows().examples[i], agrees(rows().row(a, i), rows().row(b, i)));
    return sums.mean();
  }

  void note(const std::string& what, const RunRecord& run) { measures_.runs.emplace_back(what, run.id); }

  Measures::Row& add(const std::string& name_a, const Evidence& a, const std::string& name_b, const Evidence& b) {
    return add(name_a, a, name_b, b, b);
  }

  Measures::Row& add(const std::string& name_a, const Evidence& a, const std::string& name_b, const Evidence& b,
                     const Evidence& ranks) {
    Measures::Row row = against(a).with(b, ranks).row(name_a, name_b);
    if (row.a == alpha && !course_.empty()) row.xi = reach(row.agreement.mean);
    if (row.a == alpha && untrained_attention_)
      row.untrained = against(*untrained_attention_).with(b, ranks).agreement();
    measures_.rows.push_back(std::move(row));
    return measures_.rows.back();
  }

  // At each look of theirs: how the others' attention agrees with the reference's, and how well they do.
  void follow_others(const Evidence& attention) {
    std::vector<std::vector<Evidence>> looks;
    for (const RunRecord& other : runs_.others) {
      note("other seed", other);
      looks.push_back(evidence_series(other, evidence_of(other), "alpha"));
    }
    if (looks.empty()) return;
    for (std::size_t k = 0; k < looks.front().size(); ++k) {
      Moment now{looks.front()[k].step, 0, 0};
      for (std::size_t i = 0; i < looks.size(); ++i) {
        if (k >= looks[i].size() || looks[i][k].step != now.step)
          throw wrong_input(fmt::format("runs {} and {} were evaluated at different steps", runs_.others.front().id,
                                        runs_.others[i].id),
                            "measure runs that were trained with the same settings");
        now.agreement += agreement(attention, looks[i][k]) / static_cast<double>(looks.size());
        const double* const performance = value_at(series_of(runs_.others[i], measures_.performance), now.step);
        now.performance += (performance ? *performance : nan) / static_cast<double>(looks.size());
      }
      course_.push_back(now);
    }
    RowComparison ends = against(attention);
    for (const std::vector<Evidence>& other : looks) ends.with(other.back());
    measures_.rows.push_back(ends.row(alpha, alpha_others));
  }

  Measures::Row::Reach reach(double level) const {
    for (const Moment& look : course_)
      if (look.agreement > level) return {look.step, look.performance};
    return {-1, nan};
  }

  std::optional<Evidence> add_words(const std::optional<RunRecord>& run, const char* name, const Evidence& attention) {
    if (!run) return std::nullopt;
    note(name, *run);
    Evidence said = best_beta(*run, evidence_of(*run));
    add(alpha, attention, name, said);
    return said;
  }

  void add_uniform(const Evidence& attention, const std::vector<Evidence>& influence,
                   const std::optional<Evidence>& words, const std::optional<Evidence>& logistic) {
    note("uniform", *runs_.uniform);
    const std::vector<Evidence> looks = evidence_series(*runs_.uniform, evidence_of(*runs_.uniform), "beta");
    const auto most = [&](const auto& of) {
      std::pair<double, std::int64_t> best{-1, 0};
      for (const Evidence& look : looks)
        if (const double there = of(look); there > best.first) best = {there, look.step};
      return best;
    };
    const Evidence& last = looks.back();
    const auto towards = [&](const char* name, const Evidence& a) {
      add(name, a, beta_uniform, last).most = most([&](const Evidence& look) { return agreement(a, look); });
    };
    const auto from = [&](const char* name, const Evidence& b) {
      Measures::Row& row = add(beta_uniform, last, name, b);
      row.most = most([&](const Evidence& look) { return agreement(look, b); });
      if (looks.size() > 1) row.untrained = against(looks.front()).with(b).agreement();
    };
    towards(alpha, attention);
    if (!influence.empty()) towards(delta, influence.back());
    if (words) from(beta_words, *words);
    if (logistic) from(beta_logistic, *logistic);
  }

  // The data may be gone since the runs were trained; everything else is in the store.
  void add_predicted(const Evidence& attention) {
    try {
      const PredictedAttention predicted_attention = options_.predict_attention(runs_.reference.spec, rows());
      for (const auto& [name, scores] : {std::pair{predicted, &predicted_attention.predicted},
                                         {common, &predicted_attention.common},
                                         {rare, &predicted_attention.rare}}) {
        add(alpha, attention, name, scores->values, scores->ranks);
        const std::vector<std::size_t> told = told_rows(predicted_attention.told);
        measures_.told.push_back(
            RowComparison(rows(), told, attention).with(scores->values, scores->ranks).row(alpha, name));
      }
    } catch (const Error& error) {
      if (error.kind() != Error::Kind::wrong_input) throw;
      measures_.unpredicted = error.problem().text();
    }
  }

  // Those of the counted rows whose class words tell; all of them where this is not known, or leaves none.
  std::vector<std::size_t> told_rows(const std::vector<bool>& told) const {
    std::vector<std::size_t> left;
    if (!told.empty() && !rows().labels.empty())
      for (const std::size_t i : counted_)
        if (told[static_cast<std::size_t>(rows().labels[rows().examples[i]])]) left.push_back(i);
    return left.empty() ? counted_ : left;
  }

  void compare_with_logistic(const RunRecord& logistic) {
    const auto best = [](const RunRecord& run) { return std::ranges::max(series_of(run, "evidence_accuracy").values); };
    std::vector<double> over{best(runs_.reference) - best(logistic)};
    for (const RunRecord& other : runs_.others) over.push_back(best(other) - best(logistic));
    measures_.over_logistic = bootstrap_mean(over, 0);
  }

  struct Moment {
    std::int64_t step;
    double agreement, performance;
  };

  const MeasurementRuns& runs_;
  const FetchArrays& arrays_;
  const MeasureOptions& options_;
  EvidenceOf reference_;
  std::vector<std::size_t> counted_;             // numbers of the rows that count
  std::optional<Evidence> untrained_attention_;  // of the reference, at its first look
  std::vector<Moment> course_;                   // of the others
  Measures measures_;
};

}  // namespace

Measures measure(const MeasurementRuns& runs, const FetchArrays& arrays, const MeasureOptions& options) {
  return Measuring(runs, arrays, options).all();
}

std::vector<ClaimResult> claims_of(const Measures& measures, const Experiment& experiment, Preset preset) {
  std::vector<ClaimResult> claims;
  const auto claim = [&](std::string says, double distance) {
    ClaimResult claim;
    claim.experiment = experiment.name;
    claim.preset = word_of(preset);
    claim.source = experiment.source;
    claim.claim = std::move(says);
    claim.value = distance;
    claim.wanted = "> 0";
    claim.held = distance > 0;
    claims.push_back(std::move(claim));
  };
  const bool classes = measures.words == measures.examples;
  // The texts that the small form has for classes are made to one pattern: a recurrent state tells the class at other
  // words than the one that does, and at which of them is the seed's to say, for all texts alike.
  const bool words_decide = !classes || preset == Preset::full;
  // The rivals of an agreement are what knows nothing of the task: shuffled scores, its own first evaluation, and, of
  // what is attended to, the words that anybody could name. What is predicted for classes is set against these below.
  const auto with_attention = [&](const char* name) {
    return std::ranges::find_if(measures.rows, [name](const Measures::Row& r) { return r.a == alpha && r.b == name; });
  };
  for (const Measures::Row& row : measures.rows) {
    const bool own = row.a == alpha && row.b == beta;
    const bool by_words = (row.b == predicted && !classes) || (row.a == alpha && row.b == beta_uniform) ||
                          (row.a == beta_uniform && row.b == beta_words);
    if (!own && !(by_words && words_decide)) continue;
    std::string rivals = "shuffled";
    double best = row.chance.high;
    const auto add_rival = [&](const std::string& name, const Estimate& agreement) {
      rivals += ", " + name;
      best = std::max(best, agreement.high);
    };
    if (row.untrained) add_rival("untrained " + row.a, *row.untrained);
    if (row.a == alpha)
      for (const auto& [name, words] : {std::pair{"commonest words", common}, {"rarest words", rare}})
        if (const auto found = with_attention(words); found != measures.rows.end()) add_rival(name, found->agreement);
    claim(fmt::format("The interval of agreement 𝒜({}, {}) is above the intervals of its rivals ({}).", row.a, row.b,
                      rivals),
          row.agreement.low - best);
  }
  // Of translations the prediction knows the target word, and its rivals do not.
  const auto row_of = [&](const char* name) {
    return std::ranges::find_if(measures.told, [name](const Measures::Row& row) { return row.b == name; });
  };
  const auto predicted_row = row_of(predicted), often = row_of(common), seldom = row_of(rare);
  if (predicted_row != measures.told.end() && classes && words_decide)
    claim(
        "In texts of predictable classes, predicted attention agrees with α better than common words, rare words and "
        "chance.",
        predicted_row->agreement.low -
            std::max({often->agreement.high, seldom->agreement.high, predicted_row->chance.high}));
  if (measures.over_logistic)
    claim("The best accuracy is at most 0.02 below the best accuracy of a logistic regression on word counts.",
          measures.over_logistic->low + 0.02);
  return claims;
}

}  // namespace fovea
