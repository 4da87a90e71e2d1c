#include "fovea/io/safetensors.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numeric>

#include "fovea/base/error/error.h"
#include "fovea/base/random.h"

namespace fovea {
namespace {

template <class T>
std::span<const std::byte> bytes_of(const std::vector<T>& values) {
  return std::as_bytes(std::span(values));
}

std::string file_of(const std::string& header, const std::string& data) {
  const std::uint64_t size = header.size();
  return std::string(reinterpret_cast<const char*>(&size), 8) + header + data;
}

std::string mistake_in(const std::string& bytes) {
  try {
    TensorFile::parse(bytes, "weights.safetensors");
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::wrong_input);
    return error.what();
  }
  return "none";
}

TEST(Safetensors, RoundTripKeepsEveryBit) {
  const std::vector<float> a{0.0f, -0.0f, 1.5f, HUGE_VALF, std::numeric_limits<float>::quiet_NaN(), 1e-45f};
  const std::vector<double> b{1.0 / 3, -1e300};
  const std::vector<std::uint8_t> c{1, 2, 3};
  const std::vector<float> none;
  const std::vector<Tensor> tensors{{"bytes", "U8", {3}, bytes_of(c)},
                                    {"encoder.weight_hh", "F32", {2, 3}, bytes_of(a)},
                                    {"größe \"1\"", "F64", {2, 1}, bytes_of(b)},
                                    {"empty", "F32", {4, 0}, bytes_of(none)}};
  TensorFile file = TensorFile::parse(safetensors(tensors, {{"format", "pt"}, {"made by", "a \"test\""}}), "x");
  file = TensorFile(std::move(file));  // views stay good when the file moves
  ASSERT_EQ(file.tensors().size(), 4u);
  for (const Tensor& wanted : tensors) {
    const Tensor* got = file.find(wanted.name);
    ASSERT_NE(got, nullptr) << wanted.name;
    EXPECT_EQ(got->type, wanted.type);
    EXPECT_EQ(got->shape, wanted.shape);
    EXPECT_TRUE(std::ranges::equal(got->bytes, wanted.bytes));
  }
  EXPECT_EQ(file.metadata().at("made by"), "a \"test\"");
  const std::vector<float> read = file.floats("encoder.weight_hh");
  EXPECT_EQ(std::memcmp(read.data(), a.data(), a.size() * sizeof(float)), 0);
  EXPECT_EQ(file.floats("größe \"1\"")[0], static_cast<float>(1.0 / 3));
  EXPECT_THROW(file.floats("bytes"), Error);
  EXPECT_THROW(file.floats("nowhere"), Error);
}

TEST(Safetensors, HalfTypesReadAsFloats) {
  const std::vector<std::uint16_t> half{0x3c00, 0xc000, 0x7c00}, brain{0x3f80, 0xc000, 0x7f80};
  const std::vector<Tensor> tensors{{"h", "F16", {3}, bytes_of(half)}, {"b", "BF16", {3}, bytes_of(brain)}};
  const TensorFile file = TensorFile::parse(safetensors(tensors), "x");
  const std::vector<float> wanted{1, -2, HUGE_VALF};
  EXPECT_EQ(file.floats("h"), wanted);
  EXPECT_EQ(file.floats("b"), wanted);
}

TEST(Safetensors, DataBeginsAligned) {
  const std::vector<float> a{1, 2};
  for (const std::string name : {"a", "ab", "abc", "abcd", "abcde", "abcdef", "abcdefg", "abcdefgh"}) {
    const std::string bytes = safetensors(std::vector<Tensor>{{name, "F32", {2}, bytes_of(a)}});
    EXPECT_EQ((bytes.size() - 8) % 8, 0u);
    EXPECT_EQ(TensorFile::parse(bytes, "x").floats(name), a);
  }
}

TEST(Safetensors, MalformedFilesAreNamed) {
  const std::string good = R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})";
  const std::string data(8, '\1');
  ASSERT_EQ(mistake_in(file_of(good, data)), "none");
  const auto has = [](const std::string& message, const std::string& part) {
    EXPECT_NE(message.find(part), std::string::npos) << message;
    EXPECT_NE(message.find("weights.safetensors"), std::string::npos) << message;
  };
  has(mistake_in(""), "0 bytes");
  has(mistake_in("1234567"), "7 bytes");
  has(mistake_in(std::string(8, '\0')), "not a JSON object");
  has(mistake_in(std::string(8, '\xff') + good + data), "more than the limit of");
  has(mistake_in(std::string("\x40\x42\x0f\0\0\0\0\0", 8) + good + data), "needs 1000000 bytes, and the file has");
  has(mistake_in(file_of("[1]", "")), "not a JSON object");
  has(mistake_in(file_of(" {}", "")), "not a JSON object");
  has(mistake_in(file_of("{\"a\":", "")), "not valid JSON");
  has(mistake_in(file_of("{\"\xff\":1}", "")), "not valid JSON");
  has(mistake_in(file_of("{} x", "")), "not valid JSON");
  has(mistake_in(file_of(good, data + "x")), "belong to no tensor");
  has(mistake_in(file_of("{}", "x")), "belong to no tensor");
  has(mistake_in(file_of(good, data.substr(1))), "is at 0 to 8");
  const auto tensor = [](const std::string& parts) { return R"({"a":{)" + parts + "}}"; };
  has(mistake_in(file_of(tensor(R"("dtype":"F32","shape":[2])"), data)), "lacks");
  has(mistake_in(file_of(tensor(R"("dtype":"F32","data_offsets":[0,8])"), data)), "lacks");
  has(mistake_in(file_of(tensor(R"("shape":[2],"data_offsets":[0,8])"), data)), "lacks");
  has(mistake_in(file_of(tensor(R"("dtype":"F99","shape":[2],"data_offsets":[0,8])"), data)), "unknown dtype");
  has(mistake_in(file_of(tensor(R"("dtype":"F32","shape":[3],"data_offsets":[0,8])"), data)), "shape and dtype");
  has(mistake_in(file_of(tensor(R"("dtype":"F32","shape":[-2],"data_offsets":[0,8])"), data)), "below 0");
  has(mistake_in(file_of(tensor(R"("dtype":"F32","shape":[2.0],"data_offsets":[0,8])"), data)), "no integer");
  has(mistake_in(file_of(tensor(R"("dtype":"F32","shape":[2],"data_offsets":[8,0])"), data)), "is at");
  has(mistake_in(file_of(tensor(R"("dtype":"F32","shape":[2],"data_offsets":[0,8,9])"), data)), "more than two");
  has(mistake_in(file_of(tensor(R"("dtype":"F32","shape":[2],"data_offsets":[0])"), data)), "lacks");
  has(mistake_in(file_of(tensor(R"("dtype":"F32","shape":[2],"data_offsets":[0,18446744073709551615])"), data)),
      "is at");
  has(mistake_in(file_of(tensor(R"("dtype":"F32","shape":[2],"data_offsets":[0,18446744073709551616])"), data)),
      "no integer");
  // 2^62 times 4 floats: the product overflows to a size that would fit.
  has(mistake_in(file_of(tensor(R"("dtype":"F32","shape":[4611686018427387904,4,2],"data_offsets":[0,8])"), data)),
      "shape and dtype");
  has(mistake_in(file_of(tensor(R"("dtype":"F32","shape":[9223372036854775808],"data_offsets":[0,8])"), data)),
      "a number");
  has(mistake_in(file_of(tensor(R"("dtype":"F32","dtype":"F32","shape":[2],"data_offsets":[0,8])"), data)), "twice");
  has(mistake_in(file_of(tensor(R"("dtype":"F32","shape":[2],"data_offsets":[0,8],"x":1)"), data)),
      "is not in the format");
  has(mistake_in(file_of(tensor(R"("dtype":7,"shape":[2],"data_offsets":[0,8])"), data)), "a number");
  has(mistake_in(file_of(tensor(R"("dtype":"F32","shape":{},"data_offsets":[0,8])"), data)), "an object");
  has(mistake_in(file_of(tensor(R"("dtype":"F32","shape":[[2]],"data_offsets":[0,8])"), data)), "a list");
  has(mistake_in(file_of(R"({"a":null})", data)), "a null");
  has(mistake_in(file_of(R"({"__metadata__":{"a":1}})", "")), "a number");
  has(mistake_in(file_of(R"({"__metadata__":{"a":{}}})", "")), "an object");
  const std::string a = R"("dtype":"U8","shape":[4],"data_offsets":[0,4])",
                    b = R"("dtype":"U8","shape":[6],"data_offsets":[2,8])";
  has(mistake_in(file_of(R"({"a":{)" + a + R"(},"b":{)" + b + "}}", data)), "overlap");
  has(mistake_in(file_of(R"({"a":{)" + a + R"(},"a":{)" + b + "}}", data)), "twice");
  const std::string c = R"("dtype":"U8","shape":[3],"data_offsets":[5,8])";
  has(mistake_in(file_of(R"({"a":{)" + a + R"(},"b":{)" + c + "}}", data)), "belong to no tensor");
}

TEST(Safetensors, HeadersMadeToExhaustAreRefusedAtOnce) {
  const std::string deep(5'000'000, '[');
  EXPECT_NE(mistake_in(file_of("{\"a\":" + deep, "")).find("a list"), std::string::npos);
  std::string nested;
  for (int i = 0; i < 200'000; ++i) nested += "{\"a\":";
  EXPECT_NE(mistake_in(file_of(nested, "")).find("is not in the format"), std::string::npos);
  std::string wide = R"({"a":{"dtype":"F32","shape":[)";
  for (int i = 0; i < 1'000'000; ++i) wide += "1,";
  EXPECT_NE(mistake_in(file_of(wide + "1]", "")).find("axes"), std::string::npos);
  EXPECT_NE(mistake_in(file_of("{\"" + std::string(5'000'000, 'n') + "\":1}", "")).size(), 0u);
}

// Whatever single byte of a sound file is changed, or wherever it is cut, it is read soundly or refused.
TEST(Safetensors, DamagedFilesNeverBreakTheReader) {
  const std::vector<float> a{1, 2, 3, 4};
  const std::vector<std::uint8_t> b{5, 6};
  const std::string good =
      safetensors(std::vector<Tensor>{{"a", "F32", {2, 2}, bytes_of(a)}, {"b", "U8", {2}, bytes_of(b)}}, {{"k", "v"}});
  const auto survive = [](const std::string& bytes) {
    try {
      const TensorFile file = TensorFile::parse(bytes, "x");
      for (const Tensor& tensor : file.tensors()) {
        [[maybe_unused]] volatile int sum = 0;
        for (const std::byte byte : tensor.bytes) sum = sum + static_cast<int>(byte);
      }
    } catch (const Error&) {
    }
  };
  for (std::size_t i = 0; i <= good.size(); ++i) survive(good.substr(0, i));
  RandomStream random(1, "damage");
  for (std::size_t i = 0; i < good.size(); ++i) {
    for (const char c : {'\0', '\xff', '0', '9', '[', '{', '"', ','}) {
      std::string bad = good;
      bad[i] = c;
      survive(bad);
      bad[static_cast<std::size_t>(random.integer(good.size()))] = static_cast<char>(random.integer(256));
      survive(bad);
    }
  }
}

TEST(Safetensors, WriterRefusesWhatItCouldNotReadBack) {
  const std::vector<float> a{1, 2};
  EXPECT_THROW(safetensors(std::vector<Tensor>{{"a", "F32", {3}, bytes_of(a)}}), Error);
  EXPECT_THROW(safetensors(std::vector<Tensor>{{"a", "F31", {2}, bytes_of(a)}}), Error);
  EXPECT_THROW(safetensors(std::vector<Tensor>{{"a", "F32", {-1, -2}, bytes_of(a)}}), Error);
  EXPECT_THROW(safetensors(std::vector<Tensor>{{"__metadata__", "F32", {2}, bytes_of(a)}}), Error);
  EXPECT_THROW(safetensors(std::vector<Tensor>{{"a", "F32", {2}, bytes_of(a)}, {"a", "F32", {2}, bytes_of(a)}}), Error);
}

}  // namespace
}  // namespace fovea
