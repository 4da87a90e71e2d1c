// The export format tensorboard: event files, one a run, in a folder of its own (room lab/export). export.cpp opens
// it through run_export.h. A file is a list of records (length, checksum, bytes, checksum). Each is an Event of
// TensorFlow's event.proto in protobuf's encoding. Only the few fields that scalars have are written.
//
//   Event     1: double wall_time   2: int64 step   3: string file_version   5: Summary summary
//   Summary   1: repeated Value     Value   1: string tag   2: float simple_value
#include <fmt/format.h>

#include <array>
#include <bit>
#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "fovea/base/file.h"
#include "fovea/lab/export/run_export.h"

namespace fovea {

namespace {

// CRC-32C (Castagnoli), as iSCSI has it.
std::uint32_t crc32c(std::string_view bytes) {
  static const std::array<std::uint32_t, 256> table = [] {
    std::array<std::uint32_t, 256> made{};
    for (std::uint32_t i = 0; i < 256; ++i) {
      std::uint32_t x = i;
      for (int bit = 0; bit < 8; ++bit) x = x & 1 ? (x >> 1) ^ 0x82f63b78u : x >> 1;
      made[i] = x;
    }
    return made;
  }();
  std::uint32_t crc = 0xffffffffu;
  for (const char c : bytes) crc = table[(crc ^ static_cast<unsigned char>(c)) & 0xff] ^ (crc >> 8);
  return ~crc;
}

void append_fixed(std::string& out, std::uint64_t x, int bytes) {
  for (int i = 0; i < bytes; ++i) out += static_cast<char>(static_cast<unsigned char>(x >> (8 * i)));
}

void append_varint(std::string& out, std::uint64_t x) {
  for (; x >= 0x80; x >>= 7) out += static_cast<char>(static_cast<unsigned char>(x | 0x80));
  out += static_cast<char>(static_cast<unsigned char>(x));
}

// A checksum over data that holds checksums is weak: the format turns and shifts it.
void append_checksum(std::string& out, std::string_view bytes) {
  append_fixed(out, std::rotr(crc32c(bytes), 15) + 0xa282ead8u, 4);
}

void append_record(std::string& out, std::string_view data) {
  std::string length;
  append_fixed(length, data.size(), 8);
  out += length;
  append_checksum(out, length);
  out += data;
  append_checksum(out, data);
}

enum Wire : std::uint64_t { varint = 0, fixed64 = 1, sized = 2, fixed32 = 5 };

void append_key(std::string& out, std::uint64_t field, Wire wire) { append_varint(out, field << 3 | wire); }

void append_sized(std::string& out, std::uint64_t field, std::string_view bytes) {
  append_key(out, field, sized);
  append_varint(out, bytes.size());
  out += bytes;
}

void append_time(std::string& event, double seconds) {
  append_key(event, 1, fixed64);
  append_fixed(event, std::bit_cast<std::uint64_t>(seconds), 8);
}

std::string scalar(const std::string& tag, double x) {
  std::string value;
  append_sized(value, 1, tag);
  append_key(value, 2, fixed32);
  append_fixed(value, std::bit_cast<std::uint32_t>(static_cast<float>(x)), 4);
  return value;
}

// Seconds since 1970 of "2024-05-06T07:08:09Z"; 0 for another text.
double seconds_of(const std::string& utc) {
  int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0;
  if (std::sscanf(utc.c_str(), "%d-%d-%dT%d:%d:%dZ", &year, &month, &day, &hour, &minute, &second) != 6) return 0;
  using namespace std::chrono;
  const year_month_day date{std::chrono::year(year), std::chrono::month(static_cast<unsigned>(month)),
                            std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok()) return 0;
  return duration<double>(sys_days(date).time_since_epoch() + hours(hour) + minutes(minute) + seconds(second)).count();
}

std::string events_of(const RunRecord& run) {
  std::map<std::int64_t, std::string> summaries;  // by step
  for (const auto& [name, series] : run.series)
    for (std::size_t i = 0; i < series.steps.size(); ++i)
      append_sized(summaries[series.steps[i]], 1, scalar(name, series.values[i]));
  const double start = seconds_of(run.started);
  std::string out, event;
  append_time(event, start);
  append_sized(event, 3, "brain.Event:2");
  append_record(out, event);
  for (const auto& [step, summary] : summaries) {
    event.clear();
    // When a look was made is not kept: its share of the run's steps is its share of the run's time.
    const double share = run.steps > 0 ? static_cast<double>(step) / static_cast<double>(run.steps) : 0;
    append_time(event, start + share * run.seconds);
    append_key(event, 2, varint);
    append_varint(event, static_cast<std::uint64_t>(step));
    append_sized(event, 5, summary);
    append_record(out, event);
  }
  return out;
}

class TensorBoard : public RunExport {
 public:
  explicit TensorBoard(std::filesystem::path folder) : folder_(std::move(folder)) {
    make_folder(folder_, Remedy::name_folder());
  }

  void add(const RunRecord& run, const Store&) override {
    // One name for ever: what is exported again takes the place of what was there, and is not shown twice.
    const std::filesystem::path own = run_folder(folder_, run);
    make_folder(own, Remedy::name_folder());
    write_whole(own / "events.out.tfevents.fovea", events_of(run));
  }

  void finish() override {}

 private:
  std::filesystem::path folder_;
};

}  // namespace

std::unique_ptr<RunExport> export_tensorboard(const std::filesystem::path& folder, bool) {
  return std::make_unique<TensorBoard>(folder);
}

}  // namespace fovea
