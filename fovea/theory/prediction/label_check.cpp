#include "fovea/theory/prediction/label_check.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "fovea/base/functions/functions.h"
#include "fovea/theory/prediction/word_regression.h"

namespace fovea {

namespace {

constexpr std::size_t most_checked = 10'000;
constexpr int most_checked_classes = 20, fifths = 5;
constexpr double surely_wrong = 0.7;  // probability of a wrong label, from which it is listed

// What the calibration tries: factors of the regression's log-odds, and shares of wrong labels.
constexpr int scales = 25, shares = 25;
constexpr double least_scale = 0.5, most_scale = 128, most_share = 0.3;
constexpr double none_wrong = 0.2;  // prior probability that no label is wrong

// Each word once.
std::vector<int> kinds_of(std::vector<int> text) {
  std::sort(text.begin(), text.end());
  text.erase(std::unique(text.begin(), text.end()), text.end());
  return text;
}

// Multinomial naive Bayes on which words a text holds, each given once, with one text added to each count.
class NaiveBayes {
 public:
  NaiveBayes(const std::vector<std::vector<int>>& texts, std::span<const int> labels, int words, int classes)
      : classes_(static_cast<std::size_t>(classes)),
        prior_(classes_),
        logs_(static_cast<std::size_t>(words) * classes_, 1.0) {
    std::vector<double> all(classes_, static_cast<double>(words));
    for (std::size_t t = 0; t < texts.size(); ++t) {
      const auto label = static_cast<std::size_t>(labels[t]);
      ++prior_[label];
      for (const int word : texts[t]) {
        ++logs_[static_cast<std::size_t>(word) * classes_ + label];
        ++all[label];
      }
    }
    for (double& one : prior_) one = math::log(one);
    for (std::size_t i = 0; i < logs_.size(); ++i) logs_[i] = math::log(logs_[i] / all[i % classes_]);
  }

  int answer(std::span<const int> text) const {
    std::vector<double> scores = prior_;
    for (const int word : text)
      for (std::size_t k = 0; k < classes_; ++k) scores[k] += logs_[static_cast<std::size_t>(word) * classes_ + k];
    return static_cast<int>(std::max_element(scores.begin(), scores.end()) - scores.begin());
  }

 private:
  std::size_t classes_;
  std::vector<double> prior_, logs_;
};

// What all models that have not seen a text say of it.
struct Said {
  int right = 0, agree = 0;       // of the regression's answers; of all answers, with the label
  std::vector<double> above_own;  // by class: log-odds of it over the text's own, summed over repeats
};

// The others are fitted to, and the examples of `fold` asked about.
void ask(const KeptBags& bags, const std::vector<std::vector<int>>& kinds, const std::vector<int>& folds, int fold,
         std::vector<Said>& said) {
  std::vector<std::vector<int>> texts, each_once;
  std::vector<int> labels;
  for (std::size_t i = 0; i < bags.size(); ++i)
    if (folds[i] != fold) {
      texts.push_back(bags.words(i));
      each_once.push_back(kinds[i]);
      labels.push_back(bags.label(i));
    }
  const int words = bags.source().inputs(), classes = bags.source().outputs();
  const NaiveBayes bayes(each_once, labels, words, classes);
  const WordRegression regression(texts, labels, words, classes);
  for (std::size_t i = 0; i < bags.size(); ++i) {
    if (folds[i] != fold) continue;
    const std::vector<double> scores = regression.scores(bags.words(i));
    const int label = bags.label(i);
    const int answer = static_cast<int>(std::max_element(scores.begin(), scores.end()) - scores.begin());
    said[i].right += answer == label;
    said[i].agree += (answer == label) + (bayes.answer(kinds[i]) == label);
    for (std::size_t k = 0; k < scores.size(); ++k)
      said[i].above_own[k] += scores[k] - scores[static_cast<std::size_t>(label)];
  }
}

double between(double low, double high, int at, int of) { return low * math::pow(high / low, at / (of - 1.0)); }

double sum_in_order(std::vector<double> values) {
  std::sort(values.begin(), values.end());  // so that the order of texts changes nothing
  return std::accumulate(values.begin(), values.end(), 0.0);
}

// The probability that each text's label is wrong. A share of the labels is taken for replaced by another class, and
// the others for drawn from the softmax of the regression's log-odds times a scale. The mean over scales and shares,
// each weighed by the likelihood of all labels.
std::vector<double> chances_of_wrong(const std::vector<Said>& said, int repeats) {
  const std::size_t n = said.size();
  const auto others = static_cast<double>(said.front().above_own.size() - 1);
  std::vector<std::vector<double>> own(scales, std::vector<double>(n));  // probability of the label, if none is wrong
  std::vector<double> likely, prior, share;
  const auto told = [&](double of, double share_wrong) {
    return std::max(1e-300, (1 - share_wrong) * of + share_wrong * (1 - of) / others);
  };
  for (int s = 0; s <= shares; ++s) {
    share.push_back(s == 0 ? 0 : between(0.5 / static_cast<double>(n), most_share, s - 1, shares));
    prior.push_back(s == 0 ? none_wrong : (1 - none_wrong) / shares);
  }
  for (int scale = 0; scale < scales; ++scale) {
    std::vector<double>& of_scale = own[static_cast<std::size_t>(scale)];
    const double factor = between(least_scale, most_scale, scale, scales) / repeats;
    for (std::size_t i = 0; i < n; ++i) {
      double odds = 0;
      for (const double above : said[i].above_own) odds += math::exp(std::min(600.0, factor * above));
      of_scale[i] = 1 / odds;
    }
    for (const double share_wrong : share) {
      std::vector<double> logs(n);
      for (std::size_t i = 0; i < n; ++i) logs[i] = math::log(told(of_scale[i], share_wrong));
      likely.push_back(sum_in_order(std::move(logs)));
    }
  }
  const double most = *std::max_element(likely.begin(), likely.end());
  double all = 0;
  for (std::size_t at = 0; at < likely.size(); ++at)
    all += likely[at] = prior[at % prior.size()] * math::exp(likely[at] - most);
  std::vector<double> wrong(n);
  for (std::size_t at = 0; at < likely.size(); ++at) {
    const double weight = likely[at] / all, share_wrong = share[at % share.size()];
    if (weight < 1e-9) continue;
    for (std::size_t i = 0; i < n; ++i) {
      const double of = own[at / share.size()][i];
      wrong[i] += weight * share_wrong * (1 - of) / others / told(of, share_wrong);
    }
  }
  return wrong;
}

}  // namespace

LabelCheck check_labels(const KeptBags& bags, Team& team) {
  LabelCheck check;
  const std::size_t n = bags.size();
  const int classes = bags.source().outputs();
  if (n < 2 * fifths || n > most_checked || classes > most_checked_classes) return check;
  check.repeats = std::clamp(static_cast<int>(most_checked / n), 2, 10);
  std::vector<Said> said(n, {0, 0, std::vector<double>(static_cast<std::size_t>(classes))});
  std::vector<std::vector<int>> kinds;
  for (std::size_t i = 0; i < n; ++i) kinds.push_back(kinds_of(bags.words(i)));
  for (int repeat = 0; repeat < check.repeats; ++repeat) {
    const std::vector<int> folds = bags.folds(fifths, static_cast<std::uint64_t>(repeat));
    team.each(fifths, [&](int fold) { ask(bags, kinds, folds, fold, said); });
  }
  std::vector<double> of_class(static_cast<std::size_t>(classes));
  double right = 0;
  for (std::size_t i = 0; i < n; ++i) {
    ++of_class[static_cast<std::size_t>(bags.label(i))];
    right += said[i].right;
  }
  const auto all = static_cast<double>(n);
  check.accuracy = right / all / check.repeats;
  check.majority = *std::max_element(of_class.begin(), of_class.end()) / all;
  check.learned = check.accuracy - 2 * std::sqrt(check.accuracy * (1 - check.accuracy) / all) > check.majority;
  if (!check.learned) return check;
  const std::vector<double> wrong = chances_of_wrong(said, check.repeats);
  for (std::size_t i = 0; i < n; ++i) {
    if (said[i].agree > 0 || wrong[i] < surely_wrong) continue;
    check.false_alarms += 1 - wrong[i];
    const auto best = std::max_element(said[i].above_own.begin(), said[i].above_own.end());
    check.doubtful.push_back({static_cast<std::int64_t>(i), bags.label(i),
                              static_cast<int>(best - said[i].above_own.begin()), *best / check.repeats, wrong[i],
                              bags.words(i)});
  }
  std::sort(check.doubtful.begin(), check.doubtful.end(), [](const DoubtfulLabel& a, const DoubtfulLabel& b) {
    return a.margin != b.margin ? a.margin > b.margin : a.number < b.number;
  });
  return check;
}

}  // namespace fovea
