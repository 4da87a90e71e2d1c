// Validators of options: bounds of a number, which --help names, or one of some words (folder apps/cli). Most
// commands call them. They make the error for other values.
#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "fovea/base/error/names.h"

namespace fovea::cli {

// A largest number that nobody reaches, and that --help does not name.
inline constexpr std::int64_t many = std::int64_t{1} << 40;

template <class T>
CLI::Validator between(T least, T most) {
  const bool open = std::is_integral_v<T> && static_cast<std::int64_t>(most) >= many;
  const std::string bounds = open ? fmt::format("{} or more", least) : fmt::format("{} to {}", least, most);
  const auto complaint = [=](const std::string& word) -> std::string {
    T number{};
    const bool known = CLI::detail::lexical_cast(word, number);
    if (known && number >= least && number <= most) return "";
    if (open && known && number > most) return fmt::format("must be at most {}, not {}", most, word);
    return fmt::format("must be {}{}, not '{}'", std::is_integral_v<T> ? "an integer, " : "", bounds, word);
  };
  return {complaint, bounds};
}

// The option's description says what each word does.
inline CLI::Validator one_of(std::vector<std::string> words) {
  const auto complaint = [words = std::move(words)](const std::string& word) -> std::string {
    if (std::ranges::find(words, word) != words.end()) return "";
    std::string remedy = suggest_name(word, words).text();
    remedy.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(remedy.front())));
    return fmt::format("cannot be '{}'. {}", word, remedy);
  };
  return {complaint, ""};
}

inline CLI::Validator a_condition() {
  const auto complaint = [](const std::string& word) -> std::string {
    if (word.find_first_not_of(" \t\n") != std::string::npos) return "";
    return "is empty. Write a condition, as in 'accuracy >= 0.9', or leave the option out";
  };
  return {complaint, ""};
}

// One of the steps of a list.
inline CLI::Validator a_step() {
  const auto complaint = [steps = between(std::int64_t{0}, many)](std::string word) -> std::string {
    if (steps(word).empty()) return "";
    return fmt::format("has '{}', and a step is an integer, 0 or more. Write the steps as in 0,1,2,4", word);
  };
  return {complaint, ""};
}

inline CLI::Validator not_empty() {
  const auto complaint = [](const std::string& word) -> std::string {
    return word.empty() ? "is empty. Give it a value, or leave the option out" : "";
  };
  return {complaint, ""};
}

inline CLI::Validator a_thread_count() { return between(1, 1024); }  // as train.threads
inline CLI::Validator a_seed() { return between(std::int64_t{0}, std::int64_t{1} << 62); }

}  // namespace fovea::cli
