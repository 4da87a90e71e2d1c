#include "fovea/data/text/labelled_source.h"

namespace fovea {

TextSource labelled_source(const std::string& file, const std::string& label, const std::vector<std::string>& text,
                           TextFormat format) {
  TextSource source;
  source.file = file;
  source.format = format;
  std::filesystem::path name = file;
  if (name.extension() == ".gz" || name.extension() == ".zst") name = name.stem();
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored)) return source;
  const bool named = name.extension() == ".jsonl" || name.extension() == ".ndjson" || format == TextFormat::jsonl;
  source.label = !label.empty() ? label : named ? "label" : "1";
  source.text = !text.empty() ? text : std::vector<std::string>{named ? "text" : "2"};
  return source;
}

}  // namespace fovea
