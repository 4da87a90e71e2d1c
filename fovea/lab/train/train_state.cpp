#include "fovea/lab/train/train_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <type_traits>
#include <utility>

#include "fovea/base/old_names.h"
#include "fovea/io/toml_reader.h"

namespace fovea {

namespace {

const std::string checkpoint_front = "checkpoint ";

template <class Number>
constexpr const char* type_name = std::is_same_v<Number, float>    ? "F32"
                                  : std::is_same_v<Number, double> ? "F64"
                                  : std::is_signed_v<Number>       ? "I64"
                                                                   : "U64";

template <class Number>
void add(std::vector<Tensor>& tensors, std::string name, std::span<const Number> values, std::vector<Index> shape) {
  tensors.push_back({std::move(name), type_name<Number>, std::move(shape), std::as_bytes(values)});
}

template <class Number>
void add(std::vector<Tensor>& tensors, std::string name, std::span<const Number> values) {
  add(tensors, std::move(name), values, {static_cast<Index>(values.size())});
}

[[noreturn]] void refuse(const std::string& what) { throw wrong_input("does not fit the run: " + what); }

template <class Number>
const Tensor& tensor(const TensorFile& file, const std::string& name) {
  const Tensor* const found = file.find(name);
  if (!found || found->type != type_name<Number>) refuse(fmt::format("it lacks '{}'", name));
  return *found;
}

template <class Number>
std::vector<Number> numbers(const TensorFile& file, const std::string& name) {
  const Tensor& found = tensor<Number>(file, name);
  std::vector<Number> values(found.bytes.size() / sizeof(Number));
  std::ranges::copy(found.bytes, std::as_writable_bytes(std::span(values)).begin());
  return values;
}

template <class Number>
std::vector<Number> numbers(const TensorFile& file, const std::string& name, std::size_t count) {
  std::vector<Number> values = numbers<Number>(file, name);
  if (values.size() != count) refuse(fmt::format("'{}' has {} numbers, and {} are wanted", name, values.size(), count));
  return values;
}

// Copies to be made once everything is known to fit.
class Copies {
 public:
  template <class Number>
  void add(const TensorFile& file, const std::string& name, std::span<Number> to) {
    const Tensor& from = tensor<Number>(file, name);
    if (from.bytes.size() != to.size_bytes()) refuse(fmt::format("'{}' is of another size", name));
    copies_.emplace_back(from.bytes, std::as_writable_bytes(to));
  }
  void make() const {
    for (const auto& [from, to] : copies_) std::ranges::copy(from, to.begin());
  }

 private:
  std::vector<std::pair<std::span<const std::byte>, std::span<std::byte>>> copies_;
};

// The part of a flat buffer (moments) that lies as this parameter does in its own.
template <class T>
std::span<T> part_of(std::span<T> buffer, const ParameterSet<T>& parameters, const Param<T>& p) {
  return buffer.subspan(static_cast<std::size_t>(p.value - parameters.values().data()),
                        static_cast<std::size_t>(p.count()));
}

// Names are told apart by lines.
std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

void collect_arrays(const std::vector<ArrayRecord>& arrays, std::vector<float>& values,
                    std::vector<std::int64_t>& table, std::string& names) {
  std::map<std::string, std::int64_t> number_of;
  for (const ArrayRecord& array : arrays) {
    const auto [at, fresh] = number_of.try_emplace(array.name, std::ssize(number_of));
    if (fresh) names += array.name + '\n';
    table.insert(table.end(), {at->second, array.step, std::ssize(array.shape)});
    table.insert(table.end(), array.shape.begin(), array.shape.end());
    values.insert(values.end(), array.values.begin(), array.values.end());
  }
}

std::vector<ArrayRecord> read_arrays(const TensorFile& file, const std::string& names_text) {
  const std::vector<std::string> names = lines_of(names_text);
  const std::vector<std::int64_t> table = numbers<std::int64_t>(file, "array table");
  const std::vector<float> values = numbers<float>(file, "arrays");
  std::vector<ArrayRecord> arrays;
  std::size_t at = 0, taken = 0;
  const auto next = [&] {
    if (at == table.size()) refuse("its table of arrays is cut short");
    return table[at++];
  };
  while (at < table.size()) {
    ArrayRecord array;
    const std::int64_t name = next();
    if (name < 0 || name >= std::ssize(names)) refuse("an array has no name");
    array.name = names[static_cast<std::size_t>(name)];
    array.step = next();
    std::int64_t count = 1;
    for (std::int64_t rank = next(); rank > 0; --rank) {
      array.shape.push_back(next());
      if (array.shape.back() < 0 || __builtin_mul_overflow(count, array.shape.back(), &count))
        refuse("an array has no shape");
    }
    if (static_cast<std::size_t>(count) > values.size() - taken) refuse("an array is cut short");
    array.values.assign(values.begin() + static_cast<std::ptrdiff_t>(taken),
                        values.begin() + static_cast<std::ptrdiff_t>(taken) + count);
    taken += static_cast<std::size_t>(count);
    arrays.push_back(std::move(array));
  }
  if (taken != values.size()) refuse("its arrays have more values than their table");
  return arrays;
}

std::map<std::string, Series> read_series(const TensorFile& file) {
  constexpr std::string_view front = "series ";
  std::map<std::string, Series> all;
  for (const Tensor& found : file.tensors()) {
    if (!found.name.starts_with(front)) continue;
    const std::string name = found.name.substr(front.size());
    Series& series = all[name_now(NameKind::metric, name)];
    series.values = numbers<double>(file, found.name);
    series.steps = numbers<std::int64_t>(file, "steps " + name, series.values.size());
  }
  return all;
}

std::vector<WeightRecord> read_checkpoints(const TensorFile& file) {
  std::vector<WeightRecord> all;
  for (const Tensor& found : file.tensors())
    if (found.name.starts_with(checkpoint_front))
      all.push_back({found.name.substr(checkpoint_front.size()),
                     found.shape,
                     found.type,
                     {found.bytes.begin(), found.bytes.end()}});
  return all;
}

template <class Number>
Number read_number(const TensorFile& file, const std::string& name) {
  const auto found = file.metadata().find(name);
  Number number{};
  if (found == file.metadata().end()) refuse(fmt::format("it lacks '{}'", name));
  const char* const end = found->second.data() + found->second.size();
  if (const auto read = std::from_chars(found->second.data(), end, number); read.ec != std::errc() || read.ptr != end)
    refuse(fmt::format("'{}' is not a number", name));
  return number;
}

std::string read_text(const TensorFile& file, const std::string& name) {
  const auto found = file.metadata().find(name);
  if (found == file.metadata().end()) refuse(fmt::format("it lacks '{}'", name));
  return found->second;
}

}  // namespace

int arithmetic_of(const TensorFile& checkpoint) {
  return checkpoint.metadata().contains("arithmetic") ? read_number<int>(checkpoint, "arithmetic") : 0;
}

RunRecord record_of(const TensorFile& checkpoint) {
  RunRecord record;
  record.spec = run_spec_from_table(parse_table(read_text(checkpoint, "spec"), "checkpoint"));
  record.hash = read_text(checkpoint, "hash");
  record.version = read_text(checkpoint, "version");
  record.arithmetic = arithmetic_of(checkpoint);
  record.started = read_text(checkpoint, "started");
  record.steps = read_number<std::int64_t>(checkpoint, "steps");
  record.seconds = read_number<double>(checkpoint, "seconds");
  record.series = read_series(checkpoint);
  record.arrays = read_arrays(checkpoint, read_text(checkpoint, "array names"));
  return record;
}

template <class T>
void TrainState<T>::collect(Pieces& pieces) const {
  std::vector<Tensor>& tensors = pieces.tensors;
  for (const Param<T>& p : parameters.all()) {
    add<T>(tensors, p.name, p.values(), p.shape);
    if (!optimizer.first_moments().empty())
      add<T>(tensors, "first_moment " + p.name, part_of(optimizer.first_moments(), parameters, p), p.shape);
    if (!optimizer.second_moments().empty())
      add<T>(tensors, "second_moment " + p.name, part_of(optimizer.second_moments(), parameters, p), p.shape);
  }
  add<std::uint64_t>(tensors, "optimizer steps", optimizer.steps_taken());
  pieces.course = {train_loss, time};
  add<double>(tensors, "course", pieces.course);
  const auto memory = attention.memory();
  pieces.attention.assign(memory.begin(), memory.end());
  add<std::int64_t>(tensors, "attention", pieces.attention);
  pieces.memories.reserve(probes.size());
  for (const NamedProbe& named : probes) {
    pieces.memories.push_back(named.probe->memory());
    if (!pieces.memories.back().empty()) add<double>(tensors, "probe " + named.name, pieces.memories.back());
  }
  for (const auto& [name, series] : record.series) {
    add<std::int64_t>(tensors, "steps " + name, series.steps);
    add<double>(tensors, "series " + name, series.values);
  }
  for (const WeightRecord& weight : record.weights)
    tensors.push_back({checkpoint_front + weight.name, weight.type, weight.shape, weight.bytes});
  collect_arrays(record.arrays, pieces.arrays, pieces.array_table, pieces.metadata["array names"]);
  add<float>(tensors, "arrays", pieces.arrays);
  add<std::int64_t>(tensors, "array table", pieces.array_table);
  pieces.metadata["spec"] = record.spec.text();
  pieces.metadata["hash"] = record.hash;
  pieces.metadata["started"] = record.started;
  pieces.metadata["version"] = record.version;
  pieces.metadata["arithmetic"] = fmt::format("{}", record.arithmetic);
  pieces.metadata["steps"] = fmt::format("{}", record.steps);
  pieces.metadata["seconds"] = fmt::format("{}", record.seconds);
}

template <class T>
void TrainState<T>::restore(const TensorFile& file) {
  if (read_text(file, "hash") != record.hash) refuse("it is of another run");
  Copies copies;
  for (const Param<T>& p : parameters.all()) {
    copies.add<T>(file, p.name, p.values());
    if (!optimizer.first_moments().empty())
      copies.add<T>(file, "first_moment " + p.name, part_of(optimizer.first_moments(), parameters, p));
    if (!optimizer.second_moments().empty())
      copies.add<T>(file, "second_moment " + p.name, part_of(optimizer.second_moments(), parameters, p));
  }
  copies.add<std::uint64_t>(file, "optimizer steps", optimizer.steps_taken());
  const std::vector<double> course = numbers<double>(file, "course", 2);
  const std::vector<std::int64_t> recorder = numbers<std::int64_t>(file, "attention", 3);
  auto series = read_series(file);
  auto arrays = read_arrays(file, read_text(file, "array names"));
  auto weights = read_checkpoints(file);
  const auto steps = read_number<std::int64_t>(file, "steps");
  const auto seconds = read_number<double>(file, "seconds");
  std::string started = read_text(file, "started");
  for (const NamedProbe& named : probes) {
    const std::string name = "probe " + named.name;
    const std::vector<double> memory = file.find(name) ? numbers<double>(file, name) : std::vector<double>();
    if (!named.probe->remember(memory)) refuse(fmt::format("'{}' does not fit that probe", name));
  }
  copies.make();
  train_loss = course[0];
  time = course[1];
  attention.remember({recorder[0], recorder[1], recorder[2]});
  record.series = std::move(series);
  record.arrays = std::move(arrays);
  record.weights = std::move(weights);
  record.steps = steps;
  record.seconds = seconds;
  record.started = std::move(started);
}

template struct TrainState<float>;
template struct TrainState<double>;

}  // namespace fovea
