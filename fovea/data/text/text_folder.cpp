// Reads a folder of texts for each class: FOLDER/CLASS/TEXT.txt, each plain or packed (room data/text). TextReader
// opens it through text_examples.h.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "fovea/data/text/text_examples.h"

namespace fovea {

namespace {

namespace fs = std::filesystem;

// What a folder holds, by name. What is hidden (".git", ".DS_Store") is passed over.
std::vector<fs::path> entries_of(const fs::path& folder) {
  std::error_code code;
  std::vector<fs::path> entries;
  for (fs::directory_iterator at(folder, code), end; !code && at != end; at.increment(code))
    if (!at->path().filename().string().starts_with('.')) entries.push_back(at->path());
  if (code) {
    if (code == std::errc::no_such_file_or_directory || code == std::errc::not_a_directory)
      throw wrong_input("there is no such folder", "check the path", {folder.string()});
    throw failure(fmt::format("cannot be read: {}", code.message()), "check its permissions, or name another folder",
                  {folder.string()});
  }
  std::sort(entries.begin(), entries.end());
  return entries;
}

// What it is or leads to; nothing where a link leads nowhere or in a circle, and where one may not look.
fs::file_status status_of(const fs::path& path) {
  std::error_code ignored;
  return fs::status(path, ignored);
}

class Folder final : public TextReader::Examples {
 public:
  explicit Folder(const TextSource& source) : longest_(source.longest) {
    for (const fs::path& entry : entries_of(source.file))
      if (status_of(entry).type() == fs::file_type::directory) classes_.push_back(entry);
    if (classes_.empty())
      throw wrong_input("has no folders, and each class needs one", "put the texts of each class into a folder",
                        {source.file.string()});
  }

  bool next(TextExample& example) override {
    while (at_ == files_.size()) {
      if (class_ == classes_.size()) return false;
      const fs::path& folder = classes_[class_++];
      files_ = entries_of(folder);
      label_ = folder.filename().string();
      at_ = 0;
      if (utf8_prefix(label_) < label_.size())
        throw wrong_input("its name is the name of a class, and is not UTF-8", "give it another name",
                          {folder.string()});
      if (files_.empty())
        throw wrong_input("is a class without texts", "add texts, or remove the folder", {folder.string()});
    }
    const fs::path& file = files_[at_++];
    const Location location{file.string(), 1};
    const fs::file_type type = status_of(file).type();
    if (type == fs::file_type::directory)
      throw wrong_input("is a folder in the folder of a class", "move its texts into the folder of the class",
                        location);
    if (type != fs::file_type::regular)
      throw wrong_input("is not a readable file", Remedy::or_skip("remove it", "files"), location);
    read(file);
    if (text_.find_first_not_of(" \t\n") == std::string::npos)
      throw wrong_input("the text is empty", Remedy::or_skip("write a text, or remove the file", "files"), location);
    example = {text_, label_, {}, location};
    return true;
  }

 private:
  void read(const fs::path& file) {
    LineReader lines{ByteReader(file), longest_};
    text_.clear();
    for (std::string_view line; lines.next(line);) {
      if (!text_.empty()) text_ += '\n';
      text_ += line;
      if (text_.size() > longest_)
        throw wrong_input(fmt::format("is longer than the {} bytes that are read of a text", longest_),
                          "check that it is a text", lines.location());
    }
  }

  std::size_t longest_;
  std::vector<fs::path> classes_, files_;
  std::size_t class_ = 0, at_ = 0;  // the next of each
  std::string label_, text_;
};

}  // namespace

std::unique_ptr<TextReader::Examples> open_folder(const TextSource& source) {
  if (!source.label.empty() || !source.target.empty() || !source.text.empty())
    throw wrong_input("is a folder with a folder for each class, and has no columns", Remedy::drop_columns(),
                      {source.file.string()});
  return std::make_unique<Folder>(source);
}

}  // namespace fovea
