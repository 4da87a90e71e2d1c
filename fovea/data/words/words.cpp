#include "fovea/data/words/words.h"

#include <utf8proc.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <memory>

namespace fovea {

namespace {

enum class Role : std::uint8_t {
  parts,   // blanks, controls
  word,    // letters, digits
  mark,    // goes with the letter before it
  alone,   // punctuation, symbols, characters of scripts without blanks
  nothing  // soft hyphens, joiners: as if they were not there
};

bool has_no_blanks(std::int32_t c) {
  return (c >= 0x3040 && c <= 0x30ff) || (c >= 0x3400 && c <= 0x4dbf) || (c >= 0x4e00 && c <= 0x9fff) ||
         (c >= 0xf900 && c <= 0xfaff) || (c >= 0x20000 && c <= 0x3ffff);
}

// Korean letters, which may stand for the parts of a syllable.
bool is_jamo(std::int32_t c) { return c >= 0x1100 && c <= 0x11ff; }

Role role_of(std::int32_t c) {
  constexpr std::int32_t zero_width_space = 0x200b;
  if (c == zero_width_space) return Role::parts;
  switch (utf8proc_category(c)) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
      return has_no_blanks(c) ? Role::alone : Role::word;
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NL:
    case UTF8PROC_CATEGORY_NO:
      return Role::word;
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ME:
      return Role::mark;
    case UTF8PROC_CATEGORY_PC:
    case UTF8PROC_CATEGORY_PD:
    case UTF8PROC_CATEGORY_PS:
    case UTF8PROC_CATEGORY_PE:
    case UTF8PROC_CATEGORY_PI:
    case UTF8PROC_CATEGORY_PF:
    case UTF8PROC_CATEGORY_PO:
    case UTF8PROC_CATEGORY_SM:
    case UTF8PROC_CATEGORY_SC:
    case UTF8PROC_CATEGORY_SK:
    case UTF8PROC_CATEGORY_SO:
      return Role::alone;
    case UTF8PROC_CATEGORY_CF:
      return Role::nothing;
    default:
      return Role::parts;
  }
}

const std::array<Role, 128>& ascii_roles() {
  static const std::array<Role, 128> roles = [] {
    std::array<Role, 128> table{};
    for (std::size_t c = 0; c < table.size(); ++c) table[c] = role_of(static_cast<std::int32_t>(c));
    return table;
  }();
  return roles;
}

constexpr std::int32_t apostrophe = '\'', raised_comma = 0x2019;

// The character at `at`, and how many bytes it takes.
std::int32_t character(std::string_view text, std::size_t at, std::size_t& length) {
  std::int32_t c = 0;
  const auto taken = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()) + at,
                                      static_cast<utf8proc_ssize_t>(text.size() - at), &c);
  length = taken > 0 ? static_cast<std::size_t>(taken) : 1;
  return taken > 0 ? c : 0;
}

void append(std::string& bytes, std::int32_t c) {
  utf8proc_uint8_t encoded[4];
  const auto length = utf8proc_encode_char(c, encoded);
  bytes.append(reinterpret_cast<const char*>(encoded), static_cast<std::size_t>(length));
}

bool word_at(std::string_view text, std::size_t at) {
  if (at >= text.size()) return false;
  std::size_t length;
  return role_of(character(text, at, length)) == Role::word;
}

}  // namespace

void WordSplitter::end_word() {
  if (bytes_.size() == begin_) return;
  if (in_parts_) {
    bytes_.push_back('\0');
    const std::unique_ptr<utf8proc_uint8_t, void (*)(void*)> composed(
        utf8proc_NFC(reinterpret_cast<const utf8proc_uint8_t*>(bytes_.data() + begin_)), std::free);
    bytes_.pop_back();
    if (composed) bytes_.replace(begin_, std::string::npos, reinterpret_cast<const char*>(composed.get()));
    in_parts_ = false;
  }
  ends_.push_back(bytes_.size());
  begin_ = bytes_.size();
}

const std::vector<std::string_view>& WordSplitter::split(std::string_view text) {
  const std::array<Role, 128>& ascii = ascii_roles();
  bytes_.clear();
  ends_.clear();
  begin_ = 0;
  bool full = false;  // the word that is being read takes marks, and nothing else
  const auto begin_next = [&] {
    if (full) end_word();
    full = false;
  };
  std::size_t length = 1;
  for (std::size_t at = 0; at < text.size(); at += length) {
    const auto byte = static_cast<unsigned char>(text[at]);
    if (byte < 0x80 && ascii[byte] == Role::word) {
      begin_next();
      length = 1;
      bytes_ += static_cast<char>(lower_case_ && byte >= 'A' && byte <= 'Z' ? byte + ('a' - 'A') : byte);
      continue;
    }
    length = 1;
    const std::int32_t c = byte < 0x80 ? byte : character(text, at, length);
    const Role role = byte < 0x80 ? ascii[byte] : role_of(c);
    const bool in_word = bytes_.size() > begin_;
    if ((c == apostrophe || c == raised_comma) && in_word && !full && word_at(text, at + length)) {
      bytes_ += '\'';
    } else if (role == Role::word) {
      begin_next();
      append(bytes_, lower_case_ ? utf8proc_tolower(c) : c);
      in_parts_ |= is_jamo(c);
    } else if (role == Role::mark && in_word) {
      append(bytes_, c);
      in_parts_ = true;
    } else if (role == Role::alone) {
      end_word();
      append(bytes_, c == raised_comma ? apostrophe : c);
      full = has_no_blanks(c);
      if (!full) end_word();
    } else if (role == Role::parts) {
      end_word();
      full = false;
    }
  }
  end_word();
  words_.clear();
  std::size_t begin = 0;
  for (const std::size_t end : ends_) {
    words_.emplace_back(bytes_.data() + begin, end - begin);
    begin = end;
  }
  return words_;
}

std::vector<std::string> cut_words(std::string_view text, bool lower_case) {
  WordSplitter splitter(lower_case);
  const std::vector<std::string_view>& words = splitter.split(text);
  return {words.begin(), words.end()};
}

}  // namespace fovea
