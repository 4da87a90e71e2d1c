// Questions `table`, `predict` and `predict_width` of the page's engine: data of the visitor, read and predicted
// before training (folder apps/wasm). engine.cpp calls them by name.
#include <fmt/format.h>

#include <cstddef>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apps/wasm/question.h"
#include "fovea/base/error/error.h"
#include "fovea/base/team.h"
#include "fovea/data/text/given_bags.h"
#include "fovea/data/text/text_examples.h"
#include "fovea/io/rows.h"
#include "fovea/lab/record/prediction_json.h"
#include "fovea/theory/pooling_width.h"
#include "fovea/theory/prediction/text_attention.h"

namespace fovea::page {

namespace {

// JSON where a line begins as an object does, else a table of the separator that its first line has.
TextFormat format_of(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) throw wrong_input("there is no text", "paste a label and a text in each line");
  if (text[begin] == '{') return TextFormat::jsonl;
  const std::string_view line = text.substr(begin, text.find('\n', begin) - begin);
  return line.find('\t') != std::string_view::npos ? TextFormat::tsv : TextFormat::csv;
}

// A text that is not in quotes ends where the table's separator stands in it: what is behind that would be lost.
void refuse_cut_texts(const TextSource& source, TextFormat format) {
  const bool commas = format == TextFormat::csv;
  LineReader lines(ByteReader(*source.table, {source.file.string()}), source.longest);
  const std::unique_ptr<RowReader> rows = commas ? csv_rows(std::move(lines)) : tsv_rows(std::move(lines));
  const auto blank = [](std::string_view field) { return field.find_first_not_of(" \t\r") == std::string_view::npos; };
  for (Row row; rows->next(row);)
    for (std::size_t i = 2; i < row.fields.size(); ++i)
      if (!blank(row.fields[i]))
        throw wrong_input(fmt::format("has {} columns, where a label and a text are expected", row.fields.size()),
                          commas ? "put texts that hold commas in double quotes, and leave out further columns"
                                 : "leave out further columns, and tabs within texts",
                          {source.file.string(), row.line});
}

struct LabelledTexts {
  std::vector<std::string> labels, texts, header;
};

LabelledTexts read_table(const TextSource& source) {
  LabelledTexts read;
  const char* remedy = "write a label, a tab or a comma, and a text in each line";
  try {
    const std::unique_ptr<TextReader::Examples> examples = open_table(source, source.format);
    remedy = "correct the line";
    for (TextExample example; examples->next(example);) {
      read.labels.emplace_back(example.label);
      read.texts.emplace_back(example.text);
    }
    read.header = examples->header();
  } catch (const Error& error) {
    throw wrong_input(error.problem(), remedy, error.location());
  }
  return read;
}

// Whether the first column has too many values for labels, and the second few that repeat.
bool labels_are_last(const LabelledTexts& read, std::size_t most_labels) {
  const std::set<std::string_view> first(read.labels.begin(), read.labels.end());
  const std::set<std::string_view> second(read.texts.begin(), read.texts.end());
  return most_labels < first.size() && second.size() >= 2 && second.size() <= most_labels &&
         3 * second.size() <= read.texts.size();
}

// Label and text of each line, and whether the label is last; a header is passed over, and told. Labels have at most
// `most_labels` values; without it, the label is first.
Json table(const Json& ask) {
  const std::string text = text_of(ask, "text");
  TextSource source;
  source.file = "your data";
  source.format = format_of(text);
  const bool named = source.format == TextFormat::jsonl;
  source.label = named ? "label" : "1";
  source.text = {named ? "text" : "2"};
  source.table = text;
  LabelledTexts read = read_table(source);
  if (!named) refuse_cut_texts(source, source.format);
  const bool last = !named && labels_are_last(read, ask.value("most_labels", std::size_t{0}));
  if (last) {  // a header is found by its label
    source.label = "2";
    source.text = {"1"};
    read = read_table(source);
  }
  return {{"labels", read.labels}, {"texts", read.texts}, {"header", read.header}, {"last", last}};
}

// What attention will do on labelled texts, and where it will lie on those to `shade`. The words of each text are
// separated by spaces. Of each class, `most_words` words are told.
Json predict_texts(const Json& ask) {
  GivenTextBags given;
  given.cut = [](std::string_view text) { return split_at_whitespace(text); };
  for (const std::string& text : ask.at("texts").get<std::vector<std::string>>())
    given.inputs.push_back(given.cut(text));
  for (std::string& label : ask.at("labels").get<std::vector<std::string>>())
    given.outputs.push_back({std::move(label)});
  const std::unique_ptr<BagSource> source = given_bags(std::move(given));
  Team team(1);
  PredictionOptions options;
  options.given = true;
  options.most_words = ask.value("most_words", options.most_words);
  const Prediction prediction = predict(*source, team, options);
  const TextPredictor predictor(prediction, *source);
  Json attention = Json::array(), logits = Json::object();
  for (const std::string& text : ask.at("shade").get<std::vector<std::string>>())
    attention.push_back(predictor.of(text, "").weights.at(0));
  for (int word = 0; word < source->inputs(); ++word)
    logits[source->input_word(word)] = prediction.attention_logits[static_cast<std::size_t>(word)];
  return {{"prediction", prediction_json(prediction, *source)},
          {"attention", std::move(attention)},
          {"logits", std::move(logits)}};
}

// What the width of attention on points will come to, and the answers that it will give.
Json predict_width(const Json& ask) {
  const auto x = ask.at("x").get<std::vector<double>>(), y = ask.at("y").get<std::vector<double>>();
  if (x.size() != y.size() || x.empty()) throw wrong_input("points are missing", "give each an x and a y");
  const WidthForecast forecast = forecast_width({x, y}, ask.at("start").get<double>());
  return {{"widths", forecast.widths},         {"errors", forecast.errors},
          {"width", forecast.width},           {"width_error", forecast.error},
          {"at_rest", forecast.at_rest},       {"best", forecast.best},
          {"best_error", forecast.best_error}, {"answers", pooled({x, y}, forecast.width)}};
}

const Question questions_of_data[]{{"table", table}, {"predict", predict_texts}, {"predict_width", predict_width}};

}  // namespace

}  // namespace fovea::page
