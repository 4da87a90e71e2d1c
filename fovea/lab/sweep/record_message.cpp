#include "fovea/lab/sweep/record_message.h"

#include <cstring>
#include <nlohmann/json.hpp>

#include "fovea/base/error/error.h"
#include "fovea/io/toml_reader.h"

namespace fovea {

namespace {

using MessageJson = nlohmann::json;

// Numbers go as raw bytes: every NaN and infinity as it was, and no text in between.
template <class T>
MessageJson bytes_of(const std::vector<T>& values) {
  std::vector<std::uint8_t> bytes(values.size() * sizeof(T));
  if (!bytes.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return MessageJson::binary(std::move(bytes));
}

template <class T>
std::vector<T> values_of(const MessageJson& json) {
  const auto& bytes = json.get_binary();
  std::vector<T> values(bytes.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
  return values;
}

}  // namespace

std::string to_message(const RunRecord& record) {
  MessageJson series = MessageJson::object();
  for (const auto& [name, points] : record.series) series[name] = {bytes_of(points.steps), bytes_of(points.values)};
  MessageJson arrays = MessageJson::array();
  for (const ArrayRecord& array : record.arrays)
    arrays.push_back({array.name, array.step, array.shape, bytes_of(array.values)});
  MessageJson weights = MessageJson::array();
  for (const WeightRecord& weight : record.weights)
    weights.push_back({weight.name, weight.shape, weight.type, bytes_of(weight.bytes)});
  const MessageJson all = {{"experiment", record.experiment},
                           {"spec", record.spec.text()},
                           {"hash", record.hash},
                           {"state", static_cast<int>(record.state)},
                           {"error", record.error},
                           {"version", record.version},
                           {"arithmetic", record.arithmetic},
                           {"machine", record.machine},
                           {"started", record.started},
                           {"seconds", bytes_of(std::vector{record.seconds})},
                           {"steps", record.steps},
                           {"series", std::move(series)},
                           {"arrays", std::move(arrays)},
                           {"weights", std::move(weights)}};
  std::string bytes;
  MessageJson::to_cbor(all, nlohmann::detail::output_adapter<char>(bytes));
  return bytes;
}

RunRecord record_from_message(const std::string& bytes) try {
  const MessageJson all = MessageJson::from_cbor(bytes);
  RunRecord record;
  record.experiment = all.at("experiment");
  record.spec = run_spec_from_table(parse_table(all.at("spec").get<std::string>(), "a run"));
  record.hash = all.at("hash");
  record.state = static_cast<RunState>(all.at("state").get<int>());
  record.error = all.at("error");
  record.version = all.at("version");
  record.arithmetic = all.at("arithmetic");
  record.machine = all.at("machine");
  record.started = all.at("started");
  record.seconds = values_of<double>(all.at("seconds")).at(0);
  record.steps = all.at("steps");
  for (const auto& [name, points] : all.at("series").items())
    record.series[name] = {values_of<std::int64_t>(points.at(0)), values_of<double>(points.at(1))};
  for (const MessageJson& array : all.at("arrays"))
    record.arrays.push_back(
        {array.at(0), array.at(1), array.at(2).get<std::vector<Index>>(), values_of<float>(array.at(3))});
  for (const MessageJson& weight : all.at("weights"))
    record.weights.push_back(
        {weight.at(0), weight.at(1).get<std::vector<Index>>(), weight.at(2), values_of<std::byte>(weight.at(3))});
  return record;
} catch (const MessageJson::exception& error) {
  throw failure(std::string("a rank sent something that is not a run: ") + error.what(),
                "start the same version of the program on all ranks");
}

}  // namespace fovea
