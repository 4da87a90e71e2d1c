// What of the library a browser has no place for: files, other processes, a choice of instruction sets. Trainings there
// keep no checkpoints and run alone.
#include <fmt/chrono.h>

#include <ctime>
#include <memory>
#include <optional>
#include <utility>

#include "fovea/base/error.h"
#include "fovea/io/bytes.h"
#include "fovea/lab/ranks/ranks.h"
#include "fovea/lab/record/machine.h"
#include "fovea/lab/train/checkpoint.h"
#include "fovea/lab/train/weight_files.h"
#include "fovea/math/simd.h"
#include "fovea/math/vector_math.h"

namespace fovea {

namespace {

Error no_files() { return failure("a page has no files", "read from memory, and train without checkpoints"); }

}  // namespace

Checkpoints::Checkpoints(std::filesystem::path, std::string) { throw no_files(); }
void Checkpoints::write(std::span<const Tensor>, const std::map<std::string, std::string>&) const { throw no_files(); }
std::vector<std::filesystem::path> Checkpoints::files() const { return {}; }
void Checkpoints::remove() const {}
TensorFile Checkpoints::read(const std::filesystem::path&) { throw no_files(); }
bool checkpoints_asked_for(const std::filesystem::path&) { return false; }

std::optional<TensorFile> WeightFiles::read(const std::string&) const { return std::nullopt; }

void Ranks::gather(std::span<const std::byte>, std::span<std::byte>) {
  throw failure("a page is no job of several processes", "train alone");
}

// What is read there lies in memory already.
class ByteReader::Source {
 public:
  explicit Source(std::string_view bytes) : left_(bytes) {}
  std::size_t read(char* to, std::size_t room) {
    const std::size_t count = left_.copy(to, room);
    left_.remove_prefix(count);
    return count;
  }

 private:
  std::string_view left_;
};
ByteReader::ByteReader(const std::filesystem::path&) { throw no_files(); }
ByteReader::ByteReader(std::string_view bytes, Place place)
    : place_(std::move(place)), source_(std::make_unique<Source>(bytes)) {}
ByteReader::~ByteReader() = default;
ByteReader::ByteReader(ByteReader&&) noexcept = default;
ByteReader& ByteReader::operator=(ByteReader&&) noexcept = default;
std::size_t ByteReader::read(char* to, std::size_t room) { return source_->read(to, room); }

void choose_simd() {}
const char* simd_target() { return "WebAssembly SIMD"; }
std::string machine_line() { return std::string("a browser, ") + simd_target(); }
int core_count() { return 1; }
std::string utc_now() { return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr))); }

}  // namespace fovea
