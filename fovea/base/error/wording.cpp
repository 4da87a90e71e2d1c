#include "fovea/base/error/wording.h"

#include <fmt/format.h>

namespace fovea {

namespace {

constexpr std::size_t longest_place = 1000;  // bytes

std::string suggested(const std::string& nearest) { return fmt::format("did you mean '{}'?", nearest); }

class PlainWording : public Wording {
  std::string coded(const Remedy& remedy) const override {
    using enum Remedy::Code;
    const auto arg = [&remedy](std::size_t number) { return argument(remedy, number); };
    switch (remedy.code) {
      case sentence:
      case count_:
        break;
      case did_you_mean:
        return suggested(arg(0));
      case choose_from:
        return "known are: " + arguments_from(remedy, 0);
      case list_parts:
        return fmt::format("see the list of {}", arg(0));
      case name_part:
        return fmt::format("add {} to it, with one from the list of {}", entry("name", {"…", {}}), arg(0));
      case see_runs:
        return "see the list of runs";
      case see_bin:
        return "see the list of removed runs";
      case name_run:
        return "name it by its number, as the list of runs has it";
      case see_metrics:
        return "see the metrics of the run";
      case name_metric:
        return "name one that the run has, such as accuracy";
      case resume_run:
        return fmt::format("go on with run {}", arg(0));
      case remove_run:
        return fmt::format("remove run {}, and train it again", arg(0));
      case compare_runs:
        return fmt::format("compare run {} with run {} to see how they differ", arg(0), arg(1));
      case train_others:
        return "train the same with other seeds, or with model.attention = \"uniform\"";
      case reproduce:
        return fmt::format("reproduce {} ({})", arg(0), arg(1));
      case reproduce_plain:
        return "a report can be written without one";
      case set_of_task:
        return fmt::format("set those of the task, as in {} = {}", arg(0), arg(1));
      case train_again_with:
        return fmt::format("train it again with {} = {}", arg(0), arg(1));
      case drop_setting:
        return fmt::format("drop it (or set {} to {}), or choose the part that it belongs to", arg(0), arg(1));
      case drop_weights:
        return "correct that, or keep none (train.keep_weights = never), and train it again";
      case say_draws:
        return fmt::format("give the number of draws: draws = {}", arg(0));
      case list_seeds:
        return "list them, as in 0..19";
      case name_export:
        return fmt::format("name it {}, or give the format", arg(0));
      case name_folder:
        return "for TensorBoard, name a folder";
      case upgrade_store:
        return fmt::format("open the store in {} once to bring it up to date", arg(0));
      case share_folder:
        return "give all of them access to one folder ($FOVEA_HOME), or begin anew";
      case spread_built:
        return "install libopenmpi-dev and build again, or spread a sweep in parts, which needs no MPI";
      case spread_loaded:
        return "install openmpi-bin, or spread a sweep in parts, which needs no MPI";
      case spread_started:
        return "start them in another way, or spread a sweep in parts, which needs no MPI";
      case choose_corpus:
        return "set task.corpus to one";
      case find_corpus:
      case find_public_corpus:
        return suggestion(remedy);
      case get_as_other:
      case add_as_other:
        return "give this another name, or replace the other";
      case give_validation:
        return "give a file of them, or split off a larger share, or add more data";
      case or_skip:
        return fmt::format("{}, or let such {} be skipped", arg(0), arg(1));
      case say_format:
        return "give the format: tsv, csv, jsonl or lines";
      case name_column:
        return "name the text's column, as its header does or by number, from 1";
      case add_texts:
        return fmt::format("a spec takes at most {}; a corpus of your own has room for more", arg(0));
      case take_port:
        return "choose another port; 0 takes any free one";
      case set_token:
        return "set a token";
      case sweep_outside:
        return fmt::format("the page starts up to {}; the program starts any number", arg(0));
    }
    return {};
  }
};

}  // namespace

std::string argument(const Remedy& remedy, std::size_t number) {
  if (number >= remedy.arguments.size()) return {};
  const Value& value = remedy.arguments[number];
  const std::string* const text = value.as<std::string>();
  return text ? *text : value.text();
}

std::string arguments_from(const Remedy& remedy, std::size_t number) {
  std::string all;
  for (std::size_t i = number; i < remedy.arguments.size(); ++i) all += (i > number ? ", " : "") + argument(remedy, i);
  return all;
}

std::string suggestion(const Remedy& remedy) {
  if (const std::string nearest = remedy.nearest(); !nearest.empty()) return suggested(nearest);
  return "known are: " + arguments_from(remedy, 1);
}

std::string Wording::entry(const std::string& key, const Value& value) const {
  const char* const quote = key.find('.') == std::string::npos ? "" : "\"";
  return fmt::format("{0}{1}{0} = {2}", quote, key, literal(value));
}

std::string Wording::tables(const std::string& key) const { return fmt::format("[[{}]]", key); }

std::string Wording::message(const Message& message) const {
  struct Say {
    const Wording& words;
    std::string operator()(const std::string& text) const { return text; }
    std::string operator()(ValueKind kind) const { return words.kind(kind); }
    std::string operator()(const Value& value) const { return words.literal(value); }
    std::string operator()(const Message::Entry& entry) const { return words.entry(entry.key, entry.value); }
    std::string operator()(const Message::Tables& tables) const { return words.tables(tables.key); }
  };
  std::string text;
  for (const Message::Piece& piece : message.pieces()) text += std::visit(Say{*this}, piece);
  return fit_for_message(text);
}

std::string Wording::remedy(const Remedy& remedy) const {
  return remedy.code == Remedy::Code::sentence ? message(remedy.sentence) : fit_for_message(coded(remedy));
}

std::string Wording::paragraph(const Error& error) const {
  std::string text = cut_in_middle(place(error.place()), longest_place);
  if (!text.empty()) text += ": ";
  text += problem(error) + '.';
  const std::string what_to_do = remedy(error);
  if (what_to_do.empty()) return text;
  text += ' ';
  const std::size_t start = text.size();
  text += what_to_do;
  if (text[start] >= 'a' && text[start] <= 'z') text[start] = static_cast<char>(text[start] - 'a' + 'A');
  if (text.back() != '?' && text.back() != '.') text += '.';
  return text;
}

const Wording& plain_wording() {
  static const PlainWording wording;
  return wording;
}

bool Message::empty() const {
  for (const Piece& piece : pieces_) {
    const std::string* const text = std::get_if<std::string>(&piece);
    if (!text || !text->empty()) return false;
  }
  return true;
}

std::string Message::text() const { return plain_wording().message(*this); }

std::string Remedy::text() const { return plain_wording().remedy(*this); }

std::string Remedy::nearest() const {
  const bool named = code == Code::did_you_mean || code == Code::find_corpus || code == Code::find_public_corpus;
  return named ? argument(*this, 0) : std::string();
}

}  // namespace fovea
