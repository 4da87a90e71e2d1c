// Values that PyTorch computed (tests/reference/*.json, written by the make_*.py beside them), and how near is near.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "fovea/math/view.h"

namespace fovea::testing {

using Json = nlohmann::json;

inline Json read_reference(const std::string& name) {
  std::ifstream file(std::string(FOVEA_SOURCE_DIR) + "/tests/reference/" + name);
  EXPECT_TRUE(file.good()) << name;
  return Json::parse(file);
}

template <class T>
std::vector<T> numbers(const Json& list) {
  std::vector<T> values;
  for (const Json& x : list) values.push_back(static_cast<T>(x.get<double>()));
  return values;
}

// Float is held to 1e-5, double to 1e-10 (what the twelve digits of the files allow).
template <class T>
constexpr double reference_tolerance = sizeof(T) == 4 ? 1e-5 : 1e-10;

// Every entry, relative to the largest of the array.
template <class T>
void expect_near_reference(const std::string& name, std::span<T> got, const Json& list,
                           double tolerance = reference_tolerance<std::remove_const_t<T>>) {
  const std::vector<double> want = numbers<double>(list);
  ASSERT_EQ(got.size(), want.size()) << name;
  double largest = 0;
  for (const double w : want) largest = std::max(largest, std::abs(w));
  for (std::size_t i = 0; i < want.size(); ++i)
    ASSERT_TRUE(std::abs(static_cast<double>(got[i]) - want[i]) <= tolerance * largest)
        << name << "[" << i << "]: got " << got[i] << ", PyTorch says " << want[i];
}

}  // namespace fovea::testing
