#include "fovea/lab/train/checkpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/crc.hpp>
#include <chrono>
#include <fstream>
#include <string_view>
#include <system_error>
#include <utility>

#include "fovea/base/error/error.h"
#include "fovea/base/file.h"

namespace fovea {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view ending = ".safetensors";
constexpr std::string_view mark = R"("crc32":")";  // a text of the metadata cannot hold it: its quotes are escaped
constexpr std::string_view no_digits = "00000000";

// Where the digits of the checksum stand; npos in what is no checkpoint.
std::size_t position_of_digits(std::string_view bytes) {
  const std::size_t found = bytes.substr(0, std::size_t{1} << 20).find(mark);
  const bool whole = found != std::string_view::npos && bytes.size() - found >= mark.size() + no_digits.size();
  return whole ? found + mark.size() : std::string_view::npos;
}

std::string checksum(std::string_view bytes, std::size_t digits) {
  boost::crc_32_type crc;  // as zlib's
  const std::string_view before = bytes.substr(0, digits), after = bytes.substr(digits + no_digits.size());
  for (const std::string_view part : {before, std::string_view(no_digits), after})
    crc.process_bytes(part.data(), part.size());
  return fmt::format("{:08x}", crc.checksum());
}

void move_file(const fs::path& from, const fs::path& to) {
  std::error_code error;
  fs::rename(from, to, error);
  if (error) throw failure("a checkpoint cannot be renamed: " + error.message(), {}, {from.string()});
}

}  // namespace

Checkpoints::Checkpoints(fs::path folder, std::string hash)
    : newest_(folder / fmt::format("{}{}", hash, ending)),
      before_(folder / fmt::format("{}.before{}", hash, ending)),
      next_(folder / fmt::format("{}.next{}", hash, ending)) {}

void Checkpoints::write(std::span<const Tensor> tensors, const std::map<std::string, std::string>& metadata) const {
  auto with_digits = metadata;
  with_digits["crc32"] = no_digits;
  std::string bytes = safetensors(tensors, with_digits);
  const std::size_t digits = position_of_digits(bytes);
  bytes.replace(digits, no_digits.size(), checksum(bytes, digits));
  std::error_code error;  // a folder that cannot be made shows when the file is written
  fs::create_directories(newest_.parent_path(), error);
  write_whole(next_, bytes);
  if (fs::exists(newest_, error)) move_file(newest_, before_);
  move_file(next_, newest_);
}

std::vector<fs::path> Checkpoints::files() const {
  std::vector<fs::path> there;
  std::error_code error;
  for (const fs::path& file : {newest_, before_})
    if (fs::exists(file, error)) there.push_back(file);
  return there;
}

void Checkpoints::remove() const {
  std::error_code ignored;
  for (const fs::path& file : {newest_, before_, next_}) fs::remove(file, ignored);
}

TensorFile Checkpoints::read(const fs::path& file) {
  std::string bytes = read_file(file, largest_checkpoint);
  const std::size_t digits = position_of_digits(bytes);
  if (digits == std::string::npos) throw wrong_input("is not a checkpoint", {}, {file.string()});
  if (std::string_view(bytes).substr(digits, no_digits.size()) != checksum(bytes, digits))
    throw wrong_input("its checksum is wrong", {}, {file.string()});
  return TensorFile::parse(std::move(bytes), file.string());
}

namespace {

fs::path question(const fs::path& folder) { return folder / "watched"; }

}  // namespace

void ask_for_checkpoints(const fs::path& folder) {
  std::error_code ignored;
  fs::create_directories(folder, ignored);
  if (!fs::exists(question(folder), ignored)) std::ofstream(question(folder)).flush();
  fs::last_write_time(question(folder), fs::file_time_type::clock::now(), ignored);
}

bool checkpoints_asked_for(const fs::path& folder) {
  std::error_code none;
  const fs::file_time_type asked = fs::last_write_time(question(folder), none);
  return !none && fs::file_time_type::clock::now() - asked < std::chrono::seconds(10);
}

void ask_no_more(const fs::path& folder) {
  std::error_code ignored;
  fs::remove(question(folder), ignored);
}

std::vector<std::string> runs_with_checkpoints(const fs::path& folder,
                                               const std::function<bool(const std::string&)>& in_training) {
  std::vector<std::string> hashes;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    const std::string hash = name.substr(0, name.find('.'));
    const std::string rest = name.substr(hash.size());
    if (rest == ending || rest == fmt::format(".before{}", ending)) {
      hashes.push_back(hash);
    } else if (rest.starts_with(".next") && !in_training(hash)) {
      std::error_code ignored;
      fs::remove(at->path(), ignored);
    }
  }
  std::ranges::sort(hashes);
  hashes.erase(std::unique(hashes.begin(), hashes.end()), hashes.end());
  return hashes;
}

}  // namespace fovea
