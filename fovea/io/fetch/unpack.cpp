#include "fovea/io/fetch/unpack.h"

#ifdef FOVEA_HAS_ARCHIVE

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <clocale>
#include <cstring>
#include <memory>
#include <set>
#include <string_view>

#include "fovea/base/error/error.h"
#include "fovea/base/file.h"
#include "fovea/io/utf8.h"

namespace fovea {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t block_bytes = 1 << 16;

bool leads_out(std::string_view name) {
  if (name.empty() || name.front() == '/' || name.find('\\') != name.npos || name.find('\0') != name.npos) return true;
  for (std::size_t begin = 0; begin <= name.size();) {
    const std::size_t end = std::min(name.find('/', begin), name.size());
    if (name.substr(begin, end - begin) == "..") return true;
    begin = end + 1;
  }
  return false;
}

std::string utf8_of_latin1(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size());
  for (const char c : bytes) append_utf8(text, static_cast<unsigned char>(c));
  return text;
}

// libarchive gives names in the words of the locale: in UTF-8, for as long as this stands, in this thread.
class Utf8Names {
 public:
  Utf8Names() : utf8_(::newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr)), before_(utf8_ ? ::uselocale(utf8_) : nullptr) {}
  Utf8Names(const Utf8Names&) = delete;
  Utf8Names& operator=(const Utf8Names&) = delete;
  ~Utf8Names() {
    if (!utf8_) return;
    ::uselocale(before_);
    ::freelocale(utf8_);
  }

 private:
  locale_t utf8_, before_;
};

class Unpack {
 public:
  explicit Unpack(const Unpacking& wanted)
      : wanted_(wanted), archive_(archive_read_new(), archive_read_free), location_{wanted.archive.string()} {
    if (!archive_) throw failure("cannot be unpacked: no memory", {}, location_);
    archive_read_support_filter_gzip(archive_.get());
    archive_read_support_filter_zstd(archive_.get());
    archive_read_support_format_tar(archive_.get());
    archive_read_support_format_zip(archive_.get());
    if (archive_read_open_filename(archive_.get(), wanted.archive.c_str(), block_bytes) != ARCHIVE_OK) damaged();
  }

  void run() {
    const Utf8Names names;
    for (archive_entry* entry = nullptr;;) {
      const int state = archive_read_next_header(archive_.get(), &entry);
      if (state == ARCHIVE_EOF) break;
      if (state != ARCHIVE_OK && state != ARCHIVE_WARN) damaged();  // a warning: of times, of the spelling of a name
      if (++members_ > wanted_.most_members)
        throw wrong_input(fmt::format("has more than {} files", wanted_.most_members), "it is not unpacked", location_);
      take(entry);
    }
    for (const std::string& member : wanted_.members)
      if (!found_.contains(member))
        throw wrong_input(fmt::format("has no member '{}'", member), "is it the right archive?", location_);
  }

 private:
  void take(archive_entry* entry) {
    const char* const named = archive_entry_pathname(entry);
    if (!named) damaged();
    std::string name = named;
    if (leads_out(name))
      throw wrong_input(fmt::format("has a file '{}', which would be outside the folder", name), "it is not unpacked",
                        location_);
    if (archive_entry_hardlink(entry) || archive_entry_symlink(entry))
      throw wrong_input(fmt::format("has a link, '{}'", name), "it is not unpacked", location_);
    if (archive_entry_filetype(entry) == AE_IFDIR) return;
    if (archive_entry_filetype(entry) != AE_IFREG)
      throw wrong_input(fmt::format("has '{}', which is not a regular file", name), "it is not unpacked", location_);
    while (name.starts_with("./")) name.erase(0, 2);
    const bool wanted = is_wanted(name);
    if (wanted && !names_.insert(fs::path(name).lexically_normal()).second)
      throw wrong_input(fmt::format("contains '{}' twice", name), "it is not unpacked", location_);
    copy(wanted ? wanted_.folder / name : fs::path());
  }

  bool is_wanted(const std::string& name) {
    if (wanted_.members.empty()) return true;
    for (const std::string& member : wanted_.members)
      if (name == member || (member.ends_with('/') && name.starts_with(member))) {
        found_.insert(member);
        return true;
      }
    return false;
  }

  // What is not wanted is read all the same: its size, too, counts.
  void copy(const fs::path& to) {
    std::unique_ptr<WholeFile> file;
    if (!to.empty()) {
      std::error_code code;
      fs::create_directories(to.parent_path(), code);
      if (code) throw failure(fmt::format("cannot be made: {}", code.message()), {}, {to.parent_path().string()});
      file = std::make_unique<WholeFile>(to, false);
    }
    for (;;) {
      if (wanted_.stop && wanted_.stop->load()) throw failure("stopped while it was unpacked", {}, location_);
      const auto got = archive_read_data(archive_.get(), buffer_.data(), buffer_.size());
      if (got < 0) damaged();
      if (got == 0) break;
      bytes_ += got;
      if (bytes_ > wanted_.most_bytes)
        throw wrong_input(fmt::format("unpacks to more than {} bytes", wanted_.most_bytes), "it is not unpacked",
                          location_);
      if (!file) continue;
      const std::string_view bytes(buffer_.data(), static_cast<std::size_t>(got));
      if (wanted_.latin1) file->write(utf8_of_latin1(bytes));
      else file->write(bytes);
    }
    if (file) file->commit();
  }

  [[noreturn]] void damaged() const {
    const char* const why = archive_error_string(archive_.get());
    throw wrong_input(fmt::format("is no archive that can be read ({})", why ? why : "damaged"), "fetch it again",
                      location_);
  }

  const Unpacking& wanted_;
  std::unique_ptr<archive, int (*)(archive*)> archive_;
  Location location_;
  std::string buffer_ = std::string(block_bytes, '\0');
  std::set<std::string> found_;
  std::set<fs::path> names_;
  std::int64_t bytes_ = 0, members_ = 0;
};

}  // namespace

bool can_unpack() { return true; }
void require_unpacking(const fs::path&) {}
void unpack(const Unpacking& wanted) { Unpack(wanted).run(); }

}  // namespace fovea

#else

#include "fovea/base/error/error.h"

namespace fovea {

bool can_unpack() { return false; }
void require_unpacking(const std::filesystem::path& archive) {
  throw failure("this program was built without libarchive, so it cannot unpack it",
                "install libarchive's development files, and build it again; or unpack it by other means, and add the "
                "texts as a corpus",
                {archive.string()});
}
void unpack(const Unpacking& wanted) { require_unpacking(wanted.archive); }

}  // namespace fovea

#endif
