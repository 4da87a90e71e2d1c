// The table of functions that an expression may call (expression_node.h) (room lab/query). Parser and evaluation look
// functions up here.
#include <algorithm>
#include <array>

#include "fovea/lab/query/expression_node.h"

namespace fovea {

namespace {

constexpr int most_arguments = 16;

constexpr std::array functions{
    Function{"abs", Op::abs, Reach::plain, 1, 1, Sort::number, Sort::number},
    Function{"log", Op::log, Reach::plain, 1, 1, Sort::number, Sort::number},
    Function{"exp", Op::exp, Reach::plain, 1, 1, Sort::number, Sort::number},
    Function{"sqrt", Op::sqrt, Reach::plain, 1, 1, Sort::number, Sort::number},
    Function{"min", Op::min, Reach::plain, 2, most_arguments, Sort::number, Sort::number},
    Function{"max", Op::max, Reach::plain, 2, most_arguments, Sort::number, Sort::number},
    Function{"step_of", Op::step_of, Reach::series, 1, 1, Sort::condition, Sort::number},
    Function{"step_of_rise", Op::step_of_rise, Reach::series, 2, 2, Sort::number, Sort::number},
    Function{"first", Op::first, Reach::series, 1, 1, Sort::number, Sort::number},
    Function{"last", Op::last, Reach::series, 1, 1, Sort::number, Sort::number},
    Function{"min_over", Op::min_over, Reach::series, 1, 1, Sort::number, Sort::number},
    Function{"max_over", Op::max_over, Reach::series, 1, 1, Sort::number, Sort::number},
    Function{"mean_over", Op::mean_over, Reach::series, 1, 1, Sort::number, Sort::number},
    Function{"at", Op::at, Reach::series, 2, 2, Sort::number, Sort::number},
    Function{"share", Op::share, Reach::runs, 1, 1, Sort::condition, Sort::number},
    Function{"share_low", Op::share_low, Reach::runs, 1, 1, Sort::condition, Sort::number},
    Function{"share_high", Op::share_high, Reach::runs, 1, 1, Sort::condition, Sort::number},
    Function{"count", Op::count, Reach::runs, 1, 1, Sort::condition, Sort::number},
    Function{"median", Op::median, Reach::runs, 1, 1, Sort::number, Sort::number},
    Function{"mean", Op::mean, Reach::runs, 1, 1, Sort::number, Sort::number},
    Function{"least", Op::least, Reach::runs, 1, 1, Sort::number, Sort::number},
    Function{"most", Op::most, Reach::runs, 1, 1, Sort::number, Sort::number},
    Function{"deviation", Op::deviation, Reach::runs, 1, 1, Sort::number, Sort::number},
    Function{"as_trained", Op::as_trained, Reach::plain, 1, 1, Sort::number, Sort::number},
    Function{"tagged", Op::tagged, Reach::plain, 1, 1, Sort::text, Sort::condition},
    Function{"rank_correlation", Op::rank_correlation, Reach::runs, 2, 2, Sort::number, Sort::number},
    Function{"log_slope", Op::log_slope, Reach::runs, 2, 2, Sort::number, Sort::number},
    Function{"median_rank_correlation", Op::median_rank_correlation, Reach::runs, 2, 2, Sort::number, Sort::number},
};

}  // namespace

const Function* find_function(const std::string& name) {
  const auto found =
      std::find_if(functions.begin(), functions.end(), [&name](const Function& f) { return f.name == name; });
  return found == functions.end() ? nullptr : &*found;
}

const char* function_name(Op op) { return std::ranges::find(functions, op, &Function::op)->name; }

std::vector<std::string> function_names() {
  std::vector<std::string> names;
  for (const Function& f : functions) names.emplace_back(f.name);
  return names;
}

}  // namespace fovea
