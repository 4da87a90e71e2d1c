#include "fovea/math/formula.h"

#include <gtest/gtest.h>

#include <cmath>

namespace fovea {
namespace {

double value(const std::string& text) {
  const double numbers[] = {2, -3};
  return Formula::parse(text, {"q", "k"})(numbers);
}

std::string complaint(const std::string& text) {
  try {
    Formula::parse(text, {"q", "k"}, {"spec.toml", 3, 1});
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::wrong_input);
    EXPECT_EQ(error.location().line, 3);
    return error.what();
  }
  ADD_FAILURE() << text << " was taken";
  return {};
}

TEST(Formula, Computes) {
  EXPECT_EQ(value("1 + 2*3 - 4/8"), 6.5);
  EXPECT_EQ(value("-abs(q-k)"), -5);
  EXPECT_EQ(value("-q^2"), -4);
  EXPECT_EQ(value("2^3^2"), 512);
  EXPECT_EQ(value("2^-1"), 0.5);
  EXPECT_EQ(value("(q+k)*--q"), -2);
  EXPECT_EQ(value("8/4/2"), 1);
  EXPECT_EQ(value("5-3-1"), 1);
  EXPECT_EQ(value("min(q, k) + max(q, k)*10"), 17);
  EXPECT_DOUBLE_EQ(value("exp(1) + log(2) + sqrt(2) + sin(pi/2) + cos(0) + tanh(.5)"),
                   std::exp(1) + std::log(2) + std::sqrt(2) + 2 + std::tanh(0.5));
  EXPECT_TRUE(std::isnan(value("sqrt(k)")));
  EXPECT_TRUE(std::isnan(value("max(q, sqrt(k))")));
  EXPECT_TRUE(std::isnan(value("max(sqrt(k), q)")));
  EXPECT_EQ(value("1e3"), 1000);
}

TEST(Formula, KnowsWhatItReads) {
  const Formula formula = Formula::parse("abs(k) + 1", {"q", "k"});
  EXPECT_FALSE(formula.reads(0));
  EXPECT_TRUE(formula.reads(1));
}

TEST(Formula, SaysWhatIsWrongAndWhere) {
  EXPECT_NE(complaint("1 + kk").find("column 5: there is no 'kk'. Did you mean 'k'"), std::string::npos);
  EXPECT_NE(complaint("").find("it ends too early"), std::string::npos);
  EXPECT_NE(complaint("(q").find("a ')' is missing"), std::string::npos);
  EXPECT_NE(complaint("q k").find("column 3: 'k' is not expected"), std::string::npos);
  EXPECT_NE(complaint("min(q)").find("a ',' is missing"), std::string::npos);
  EXPECT_NE(complaint("abs q").find("a '(' is missing"), std::string::npos);
  EXPECT_NE(complaint("1e999").find("cannot be read"), std::string::npos);
  EXPECT_NE(complaint("1 + ;").find("';' is not expected"), std::string::npos);
  EXPECT_NE(complaint(std::string(500, '(')).find("nested too deeply"), std::string::npos);
  EXPECT_NE(complaint(std::string(500, '-') + "q").find("nested too deeply"), std::string::npos);
  std::string deep = "q";
  for (int i = 0; i < 40; ++i) deep = "1+(" + deep + ")";
  EXPECT_NE(complaint(deep).find("nested too deeply"), std::string::npos);
  EXPECT_NE(complaint(std::string(1001, 'q')).find("longer than 1000"), std::string::npos);
}

}  // namespace
}  // namespace fovea
