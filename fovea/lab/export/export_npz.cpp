// The export format npz, NumPy's archive of arrays (room lab/export). export.cpp opens it through run_export.h. It is
// a zip of .npy files, each a short header as a Python literal and the values after it.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "fovea/base/file.h"
#include "fovea/io/packed/zip.h"
#include "fovea/io/utf8.h"
#include "fovea/lab/export/run_export.h"

namespace fovea {

namespace {

static_assert(std::endian::native == std::endian::little, "values are written as they are in memory");

// One .npy file. `type` is NumPy's word for it: "<f8", "<U12".
std::string npy(const std::string& type, const std::vector<Index>& shape, std::span<const std::byte> values) {
  std::string sizes;
  for (const Index size : shape) sizes += fmt::format("{},", size);
  std::string head = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", type, sizes);
  constexpr std::size_t before = 10, line = 64;  // magic, version and length; values begin on a multiple of 64
  head.append(line - (before + head.size() + 1) % line, ' ');
  head += '\n';
  std::string out("\x93NUMPY\x01\x00", 8);
  out += static_cast<char>(static_cast<unsigned char>(head.size() & 0xff));
  out += static_cast<char>(static_cast<unsigned char>(head.size() >> 8));
  out += head;
  out.append(reinterpret_cast<const char*>(values.data()), values.size());
  return out;
}

class Npz : public RunExport {
 public:
  Npz(const std::filesystem::path& file, bool several)
      : file_(file), zip_([this](std::string_view bytes) { file_.write(bytes); }), several_(several) {}

  void add(const RunRecord& run, const Store& store) override {
    front_ = several_ ? fmt::format("{}/", run.id) : "";
    number<std::int64_t>("run", "<i8", run.id);
    number<std::uint64_t>("seed", "<u8", run.spec.seed);
    number<std::int64_t>("steps", "<i8", run.steps);
    number<double>("seconds", "<f8", run.seconds);
    text("experiment", run.experiment);
    text("state", state_name(run.state));
    text("hash", run.hash);
    text("spec", run.spec.text());
    for (const auto& [name, series] : run.series) {
      values<std::int64_t>("series/" + name + "/steps", "<i8", series.steps);
      values<double>("series/" + name + "/values", "<f8", series.values);
    }
    std::map<std::string, std::vector<ArrayRecord>> arrays;
    for (ArrayRecord& array : store.arrays(run.id)) arrays[array.name].push_back(std::move(array));
    for (const auto& [name, looks] : arrays) add_looks("arrays/" + name, looks);
  }

  void finish() override {
    zip_.finish();
    file_.commit();
  }

 private:
  // Looks of one shape lie in one array, (looks, …). Where shapes differ each look is an array by the name of its step.
  void add_looks(const std::string& name, const std::vector<ArrayRecord>& looks) {
    std::vector<std::int64_t> steps;
    std::vector<float> all;
    for (const ArrayRecord& look : looks) {
      steps.push_back(look.step);
      all.insert(all.end(), look.values.begin(), look.values.end());
    }
    values<std::int64_t>(name + "/steps", "<i8", steps);
    const auto same = [&looks](const ArrayRecord& look) { return look.shape == looks.front().shape; };
    if (std::ranges::all_of(looks, same)) {
      std::vector<Index> shape{static_cast<Index>(looks.size())};
      shape.insert(shape.end(), looks.front().shape.begin(), looks.front().shape.end());
      put(name + "/values", npy("<f4", shape, std::as_bytes(std::span(all))));
      return;
    }
    for (const ArrayRecord& look : looks)
      put(fmt::format("{}/{}", name, look.step), npy("<f4", look.shape, std::as_bytes(std::span(look.values))));
  }

  template <class T>
  void number(const std::string& name, const std::string& type, T x) {
    put(name, npy(type, {}, std::as_bytes(std::span(&x, 1))));
  }

  template <class T>
  void values(const std::string& name, const std::string& type, const std::vector<T>& all) {
    put(name, npy(type, {static_cast<Index>(all.size())}, std::as_bytes(std::span(all))));
  }

  void text(const std::string& name, const std::string& words) {
    std::vector<char32_t> points = code_points(words);
    if (points.empty()) points.push_back(0);  // NumPy pads with these, and takes them away
    put(name, npy(fmt::format("<U{}", points.size()), {}, std::as_bytes(std::span(points))));
  }

  void put(const std::string& name, const std::string& file) { zip_.add(front_ + name + ".npy", file); }

  WholeFile file_;
  ZipWriter zip_;
  bool several_;
  std::string front_;
};

}  // namespace

std::unique_ptr<RunExport> export_npz(const std::filesystem::path& file, bool several) {
  return std::make_unique<Npz>(file, several);
}

}  // namespace fovea
