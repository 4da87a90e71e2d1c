#include "fovea/io/safetensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>

#include "fovea/base/error/error.h"
#include "fovea/base/file.h"
#include "fovea/io/half.h"

namespace fovea {

static_assert(std::endian::native == std::endian::little,
              "tensors are little-endian; a big-endian machine must swap their bytes");

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t largest_header = 100'000'000;  // the format's own limit
constexpr std::size_t largest_file = std::size_t{64} << 30;
constexpr std::size_t most_axes = 16;

constexpr std::pair<std::string_view, std::size_t> types[] = {
    {"F64", 8},  {"I64", 8}, {"U64", 8}, {"F32", 4}, {"I32", 4}, {"U32", 4}, {"F16", 2},
    {"BF16", 2}, {"I16", 2}, {"U16", 2}, {"I8", 1},  {"U8", 1},  {"BOOL", 1}};

std::size_t size_of_type(std::string_view name) {  // 0: unknown
  for (const auto& [type, size] : types)
    if (type == name) return size;
  return 0;
}

// Bytes of a tensor of this shape; none if they are more than can be counted.
std::optional<std::size_t> bytes_of(const std::vector<Index>& shape, std::size_t size) {
  for (const Index extent : shape)
    if (__builtin_mul_overflow(size, static_cast<std::size_t>(extent), &size)) return std::nullopt;
  return size;
}

struct Entry {
  std::string name, type;
  std::vector<Index> shape;
  std::vector<std::size_t> offsets;
  bool has_type = false, has_shape = false, has_offsets = false;
};

// Takes the header as it is parsed, so that nothing is built that the format does not have: a nesting too deep, a key
// twice or a value of the wrong kind ends it on the spot.
class HeaderReader : public nlohmann::json_sax<nlohmann::json> {
 public:
  std::vector<Entry> entries;
  std::map<std::string, std::string> metadata;
  std::string mistake;

  bool null() override { return wrong("a null"); }
  bool boolean(bool) override { return wrong("true or false"); }
  bool number_integer(number_integer_t) override { return wrong("a number below 0"); }
  bool number_float(number_float_t, const string_t&) override { return wrong("a number that is no integer"); }
  bool binary(binary_t&) override { return wrong("binary data"); }

  bool number_unsigned(number_unsigned_t value) override {
    if (place_ == Level::shape && value <= static_cast<number_unsigned_t>(std::numeric_limits<Index>::max())) {
      if (entries.back().shape.size() == most_axes) return refuse(fmt::format("has more than {} axes", most_axes));
      entries.back().shape.push_back(static_cast<Index>(value));
      return true;
    }
    if (place_ == Level::offsets) {
      if (entries.back().offsets.size() == 2) return refuse("has more than two data_offsets");
      entries.back().offsets.push_back(value);
      return true;
    }
    return wrong("a number");
  }

  bool string(string_t& text) override {
    if (place_ == Level::metadata) {
      metadata[key_] = std::move(text);
      return true;
    }
    if (place_ != Level::tensor || key_ != "dtype") return wrong("a text");
    entries.back().type = std::move(text);
    entries.back().has_type = true;
    return true;
  }

  bool start_object(std::size_t) override {
    if (place_ == Level::outside) {
      place_ = Level::top;
    } else if (place_ == Level::top && key_ == "__metadata__") {
      place_ = Level::metadata;
    } else if (place_ == Level::top) {
      place_ = Level::tensor;
      entries.push_back({});
      entries.back().name = key_;
    } else {
      return wrong("an object");
    }
    return true;
  }

  bool end_object() override {
    place_ = place_ == Level::top ? Level::outside : Level::top;
    return true;
  }

  bool start_array(std::size_t) override {
    if (place_ == Level::tensor && key_ == "shape") place_ = Level::shape, entries.back().has_shape = true;
    else if (place_ == Level::tensor && key_ == "data_offsets")
      place_ = Level::offsets, entries.back().has_offsets = true;
    else return wrong("a list");
    return true;
  }

  bool end_array() override {
    place_ = Level::tensor;
    return true;
  }

  bool key(string_t& name) override {
    key_ = std::move(name);
    if (place_ == Level::top) return names_.insert(key_).second || refuse("occurs twice");
    if (place_ == Level::metadata) return !metadata.contains(key_) || refuse("occurs twice in the metadata");
    const Entry& entry = entries.back();
    const bool known = key_ == "dtype" || key_ == "shape" || key_ == "data_offsets";
    if (!known) return refuse(fmt::format("has a part '{}' that is not in the format", shown(key_)), entry.name);
    const bool twice = key_ == "dtype" ? entry.has_type : key_ == "shape" ? entry.has_shape : entry.has_offsets;
    return !twice || refuse(fmt::format("has its {} twice", key_), entry.name);
  }

  bool parse_error(std::size_t at, const std::string&, const nlohmann::detail::exception&) override {
    mistake = fmt::format("its header is not valid JSON (at byte {})", at + 8);
    return false;
  }

  static std::string shown(const std::string& name) { return name.size() <= 80 ? name : name.substr(0, 77) + "…"; }

 private:
  enum class Level { outside, top, metadata, tensor, shape, offsets } place_ = Level::outside;

  bool refuse(const std::string& what) {
    return refuse(what, place_ == Level::top || place_ == Level::metadata ? key_ : entries.back().name);
  }
  bool refuse(const std::string& what, const std::string& name) {
    mistake = fmt::format("'{}' {}", shown(name), what);
    return false;
  }
  bool wrong(const std::string& got) {
    mistake = place_ == Level::outside
                  ? "its header is not a JSON object"
                  : fmt::format("its header has {} at '{}', which the format does not allow", got, shown(key_));
    return false;
  }

  std::string key_;
  std::set<std::string> names_;
};

}  // namespace

TensorFile TensorFile::parse(std::string text, const std::string& name) {
  const auto wrong = [&](const std::string& what) {
    return wrong_input("is not a valid safetensors file: " + what, "write it again with the program that made it",
                       {name});
  };
  TensorFile file;
  file.name_ = name;
  file.bytes_.assign(text.begin(), text.end());
  std::string().swap(text);
  const std::size_t size = file.bytes_.size();
  if (size < 8) throw wrong(fmt::format("it has {} bytes, and the size of its header alone needs 8", size));
  std::uint64_t header = 0;
  std::memcpy(&header, file.bytes_.data(), sizeof header);
  if (header > largest_header)
    throw wrong(fmt::format("its header has {} bytes, more than the limit of {}", header, largest_header));
  if (header > size - 8) throw wrong(fmt::format("its header needs {} bytes, and the file has {}", header, size - 8));
  const char* const begin = file.bytes_.data() + 8;
  if (header == 0 || *begin != '{') throw wrong("its header is not a JSON object");

  HeaderReader reader;
  if (!nlohmann::json::sax_parse(begin, begin + header, &reader)) throw wrong(reader.mistake);
  const std::size_t data_size = size - 8 - static_cast<std::size_t>(header);
  const auto* data = reinterpret_cast<const std::byte*>(begin + header);

  std::vector<std::pair<std::size_t, std::size_t>> parts;
  for (Entry& entry : reader.entries) {
    const std::string shown = HeaderReader::shown(entry.name);
    if (!entry.has_type || !entry.has_shape || entry.offsets.size() != 2)
      throw wrong(fmt::format("'{}' lacks its dtype, its shape or its two data_offsets", shown));
    const std::size_t element = size_of_type(entry.type);
    if (element == 0)
      throw wrong(fmt::format("'{}' has the unknown dtype '{}'", shown, HeaderReader::shown(entry.type)));
    const auto [from, to] = std::pair(entry.offsets[0], entry.offsets[1]);
    if (from > to || to > data_size)
      throw wrong(fmt::format("'{}' is at {} to {}, and there are {} bytes", shown, from, to, data_size));
    if (bytes_of(entry.shape, element) != to - from)
      throw wrong(fmt::format("'{}' has {} bytes, and its shape and dtype need another number", shown, to - from));
    parts.emplace_back(from, to);
    file.tensors_.push_back(
        {std::move(entry.name), std::move(entry.type), std::move(entry.shape), {data + from, to - from}});
  }
  std::ranges::sort(parts);
  std::size_t end = 0;
  for (const auto& [from, to] : parts) {
    if (from != end) throw wrong(from < end ? "two of its tensors overlap" : "it has bytes that belong to no tensor");
    end = to;
  }
  if (end != data_size) throw wrong("it has bytes that belong to no tensor");
  file.metadata_ = std::move(reader.metadata);
  return file;
}

TensorFile TensorFile::read(const std::filesystem::path& path) {
  return parse(read_file(path, largest_file), path.string());
}

const Tensor* TensorFile::find(std::string_view name) const {
  const auto found = std::ranges::find(tensors_, name, &Tensor::name);
  return found == tensors_.end() ? nullptr : &*found;
}

std::vector<float> TensorFile::floats(std::string_view name) const {
  const Tensor* tensor = find(name);
  if (!tensor)
    throw wrong_input(fmt::format("has no tensor '{}'", name), "check that the file belongs to this model", {name_});
  // A file may put its data at any byte, so elements are copied out before they are read.
  const auto convert = [&]<class Element>(Element, auto to_float) {
    std::vector<float> values(tensor->bytes.size() / sizeof(Element));
    for (std::size_t i = 0; i < values.size(); ++i) {
      Element element;
      std::memcpy(&element, tensor->bytes.data() + i * sizeof(Element), sizeof element);
      values[i] = to_float(element);
    }
    return values;
  };
  if (tensor->type == "F32") return convert(float(), [](float x) { return x; });
  if (tensor->type == "F64") return convert(double(), [](double x) { return static_cast<float>(x); });
  if (tensor->type == "F16") return convert(Half(), from_half);
  if (tensor->type == "BF16")
    return convert(std::uint16_t(), [](std::uint16_t x) { return std::bit_cast<float>(std::uint32_t{x} << 16); });
  throw wrong_input(fmt::format("the tensor '{}' is of type {}, not of floating-point numbers", name, tensor->type), {},
                    {name_});
}

std::string safetensors(std::span<const Tensor> tensors, const std::map<std::string, std::string>& metadata) {
  std::vector<const Tensor*> order;
  std::set<std::string_view> names;
  for (const Tensor& tensor : tensors) {
    const std::size_t element = size_of_type(tensor.type);
    const bool fits = element != 0 && std::ranges::all_of(tensor.shape, [](Index extent) { return extent >= 0; }) &&
                      bytes_of(tensor.shape, element) == tensor.bytes.size();
    if (!fits || tensor.name == "__metadata__" || !names.insert(tensor.name).second)
      throw failure(fmt::format("the tensor '{}' cannot be written: its name, type or shape is wrong", tensor.name),
                    "this is an error of the program that made it");
    order.push_back(&tensor);
  }
  std::ranges::stable_sort(order, std::greater(), [](const Tensor* tensor) { return size_of_type(tensor->type); });

  Json header = Json::object();
  if (!metadata.empty()) header["__metadata__"] = metadata;
  std::size_t end = 0;
  for (const Tensor* tensor : order) {
    header[tensor->name] = {
        {"dtype", tensor->type}, {"shape", tensor->shape}, {"data_offsets", {end, end + tensor->bytes.size()}}};
    end += tensor->bytes.size();
  }
  std::string text = header.dump(-1, ' ', false, Json::error_handler_t::replace);
  text.append((8 - text.size() % 8) % 8, ' ');  // the data begins on a multiple of 8
  const std::uint64_t size = text.size();
  std::string file(reinterpret_cast<const char*>(&size), sizeof size);
  file.reserve(8 + text.size() + end);
  file += text;
  for (const Tensor* tensor : order)
    file.append(reinterpret_cast<const char*>(tensor->bytes.data()), tensor->bytes.size());
  return file;
}

}  // namespace fovea
