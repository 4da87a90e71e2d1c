#include "fovea/view/plot/axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "fovea/base/functions/functions.h"
#include "fovea/base/number_text.h"

namespace fovea {

namespace {

// A tick's number, to the decimals that its step needs.
std::string tick_text(double value, double step) {
  if (std::abs(value) < step * 1e-9) return "0";
  const int power = static_cast<int>(std::floor(math::log10(std::abs(value)) + 1e-9));
  if (power >= 6 || power <= -5) {
    const double mantissa = value / math::pow(10.0, power);
    const int decimals = std::clamp(static_cast<int>(std::ceil(power - math::log10(step) - 1e-9)), 0, 6);
    return scientific_text(mantissa, decimals, power);
  }
  const int decimals = std::clamp(static_cast<int>(std::ceil(-math::log10(step) - 1e-9)), 0, 9);
  // 0.25 needs two decimals though its step begins at the first.
  const double scaled = step * math::pow(10.0, decimals);
  const int more = std::abs(scaled - std::round(scaled)) > 1e-6 ? 1 : 0;
  return with_minus(fmt::format("{:.{}f}", value, decimals + more));
}

std::string decade_text(double value) {
  const int power = static_cast<int>(std::lround(std::floor(math::log10(value) + 1e-9)));
  if (power >= -3 && power <= 4) return fmt::format("{:.{}f}", value, std::max(0, -power));
  const double mantissa = value / math::pow(10.0, power);
  return mantissa > 1.5 ? scientific_text(mantissa, 0, power) : power_of_ten(power);
}

std::vector<Tick> log_ticks(double low, double high, int wanted) {
  std::vector<Tick> ticks;
  const double span = math::log10(high / low);
  const int first = static_cast<int>(std::floor(math::log10(low) - 1e-9)),
            last = static_cast<int>(std::ceil(math::log10(high)));
  const int every = std::max(1, static_cast<int>(std::ceil(span / std::max(wanted, 1))));
  if (span < 0.7) {  // less than a decade: round numbers as on a linear axis
    std::vector<Tick> linear = nice_ticks(low, high, false, wanted);
    if (linear.size() >= 2) return linear;
  }
  for (int power = first; power <= last; ++power) {
    for (int digit = 1; digit < 10; ++digit) {
      const double at = digit * math::pow(10.0, power);
      if (at < low * (1 - 1e-9) || at > high * (1 + 1e-9)) continue;
      const bool named =
          digit == 1 ? power % every == 0 : (digit == 2 || digit == 5) && span < 2 && every == 1 && wanted >= 4;
      if (!named && every > 1) continue;
      ticks.push_back({at, named ? decade_text(at) : std::string()});
    }
  }
  return ticks;
}

}  // namespace

std::vector<Tick> nice_ticks(double low, double high, bool log, int wanted) {
  if (!(low < high) || !std::isfinite(low) || !std::isfinite(high)) return {};
  wanted = std::max(wanted, 2);
  if (log) return log_ticks(low, high, wanted);
  const double raw = (high - low) / wanted;
  const double unit = math::pow(10.0, std::floor(math::log10(raw)));
  double step = 10 * unit;
  for (const double round : {1.0, 2.0, 2.5, 5.0})
    if (round * unit >= raw * (1 - 1e-9)) {
      step = round * unit;
      break;
    }
  std::vector<Tick> ticks;
  for (double k = std::ceil(low / step - 1e-9); k * step <= high + step * 1e-9 && ticks.size() < 64; ++k)
    ticks.push_back({k * step, tick_text(k * step, step)});
  return ticks;
}

bool AxisScale::shows(double value) const { return std::isfinite(value) && (!log || value > 0); }

double AxisScale::operator()(double value) const {
  const double t = log ? math::log(value / low) / math::log(high / low) : (value - low) / (high - low);
  return from + t * (to - from);
}

}  // namespace fovea
