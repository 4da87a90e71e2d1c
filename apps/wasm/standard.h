// Parts of C++20 and of the standard library that Debian's Emscripten lacks (folder apps/wasm). CMake includes it
// before every source of the page's engine. They are decimals read by from_chars (Debian 13 and 12), and algorithms
// of whole ranges and bit_cast (Debian 12). The file can go when Emscripten has them.
#pragma once

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <ranges>
#include <string>
#include <utility>

#if defined(_LIBCPP_VERSION) && _LIBCPP_VERSION < 200000

namespace std {

inline from_chars_result from_chars(const char* first, const char* last, double& number) {
  const size_t sign = first != last && *first == '-';
  const char* const digit = first + sign;
  if (digit == last || !(isdigit(static_cast<unsigned char>(*digit)) || *digit == '.'))
    return {first, errc::invalid_argument};
  const bool hexadecimal = last - digit > 1 && digit[0] == '0' && (digit[1] | 0x20) == 'x';
  const string text(first, hexadecimal ? digit + 1 : last);
  char* end = nullptr;
  errno = 0;
  const double read = strtod(text.c_str(), &end);
  if (end == text.c_str()) return {first, errc::invalid_argument};
  const char* const rest = first + (end - text.c_str());
  if (errno == ERANGE && (read == 0 || isinf(read))) return {rest, errc::result_out_of_range};
  number = read;
  return {rest, errc()};
}

}  // namespace std

#endif

#if defined(_LIBCPP_VERSION) && _LIBCPP_VERSION < 14000

namespace std {

template <class To, class From>
constexpr To bit_cast(const From& from) noexcept {
  return __builtin_bit_cast(To, from);
}

namespace ranges {

template <class R, class T, class Part = identity>
constexpr auto find(R&& range, const T& value, Part part = {}) {
  return std::find_if(begin(range), end(range), [&](const auto& one) { return invoke(part, one) == value; });
}
template <class R, class Is>
constexpr auto find_if(R&& range, Is is) {
  return std::find_if(begin(range), end(range), is);
}
template <class R, class Is>
constexpr bool all_of(R&& range, Is is) {
  return std::all_of(begin(range), end(range), is);
}
template <class R, class Is>
constexpr bool any_of(R&& range, Is is) {
  return std::any_of(begin(range), end(range), is);
}
template <class R, class Is>
constexpr bool none_of(R&& range, Is is) {
  return std::none_of(begin(range), end(range), is);
}
template <class R, class T, class Part = identity>
constexpr auto count(R&& range, const T& value, Part part = {}) {
  return std::count_if(begin(range), end(range), [&](const auto& one) { return invoke(part, one) == value; });
}
template <class A, class B>
constexpr bool equal(A&& a, B&& b) {
  return std::equal(begin(a), end(a), begin(b), end(b));
}
template <class R, class Is>
constexpr auto count_if(R&& range, Is is) {
  return std::count_if(begin(range), end(range), is);
}
template <class R, class T>
constexpr void fill(R&& range, const T& value) {
  std::fill(begin(range), end(range), value);
}
template <class R, class To>
constexpr void copy(R&& range, To to) {
  std::copy(begin(range), end(range), to);
}
template <class R, class To>
constexpr void move(R&& range, To to) {
  std::move(begin(range), end(range), to);
}
template <class R, class To, class Make>
constexpr void transform(R&& range, To to, Make make) {
  std::transform(begin(range), end(range), to, make);
}
template <class R>
constexpr void reverse(R&& range) {
  std::reverse(begin(range), end(range));
}
template <class R, class T>
constexpr auto lower_bound(R&& range, const T& value) {
  return std::lower_bound(begin(range), end(range), value);
}
template <class R, class Before = std::less<>, class Part = identity>
void sort(R&& range, Before before = {}, Part part = {}) {
  std::sort(begin(range), end(range),
            [&](const auto& a, const auto& b) { return before(invoke(part, a), invoke(part, b)); });
}
template <class R, class Before = std::less<>, class Part = identity>
void stable_sort(R&& range, Before before = {}, Part part = {}) {
  std::stable_sort(begin(range), end(range),
                   [&](const auto& a, const auto& b) { return before(invoke(part, a), invoke(part, b)); });
}

}  // namespace ranges

}  // namespace std

#endif
