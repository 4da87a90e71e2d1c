// Real texts from their file to what a task trains on: read, unpacked, cut into words, counted, numbered. The file is
// made here, of the size of IMDB's training file (25 000 reviews, 33 MB unpacked); or named: FOVEA_TEXTS=train.tsv.gz
// text_bench takes one of a label, a TAB and a text a line.
//
// peak_memory is the most memory held above what the program held before, as a multiple of the unpacked size.
#include <benchmark/benchmark.h>
#include <zlib.h>

#include <cmath>
#include <cstdlib>
#include <fstream>

#include "fovea/base/random.h"
#include "fovea/base/registry.h"
#include "fovea/data/corpus/corpus.h"
#include "fovea/data/task.h"
#include "fovea/data/text/vocabulary.h"
#include "fovea/data/words/words.h"

namespace fovea {
namespace {

namespace fs = std::filesystem;

constexpr int reviews = 25'000, words_known = 80'000, words_of_review = 330;

struct Texts {
  fs::path file;
  std::int64_t bytes = 0;  // unpacked
};

// Words as seldom as their number is large, as they are in texts.
std::string made_word(RandomStream& stream) {
  const auto rank = static_cast<std::uint64_t>(std::pow(static_cast<double>(words_known), stream.uniform()));
  std::string word;
  for (std::uint64_t rest = rank * 7 + 3; rest > 0; rest /= 21) word += static_cast<char>('a' + rest % 21);
  return word;
}

Texts make_texts(const fs::path& folder) {
  Texts texts{folder / "reviews.tsv.gz"};
  const gzFile out = gzopen(texts.file.c_str(), "wb1");
  for (int i = 0; i < reviews; ++i) {
    RandomStream stream(1, "text-bench", static_cast<std::uint64_t>(i));
    std::string line = i % 2 ? "0\t" : "1\t";
    for (int w = 0; w < words_of_review; ++w) line += made_word(stream) + (w % 12 == 11 ? ". " : " ");
    line += '\n';
    gzwrite(out, line.data(), static_cast<unsigned>(line.size()));
    texts.bytes += static_cast<std::int64_t>(line.size());
  }
  gzclose(out);
  return texts;
}

Texts named_texts(const fs::path& file) {
  Texts texts{file};
  const gzFile in = gzopen(file.c_str(), "rb");
  std::vector<char> buffer(1 << 20);
  for (int got; (got = gzread(in, buffer.data(), static_cast<unsigned>(buffer.size()))) > 0;) texts.bytes += got;
  gzclose(in);
  return texts;
}

// With a store of its own, and gone at the end.
class Desk {
 public:
  Desk() {
    std::string pattern = (fs::temp_directory_path() / "fovea-bench-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
    ::setenv("FOVEA_HOME", folder_.c_str(), 1);
    const char* const named = std::getenv("FOVEA_TEXTS");
    texts_ = named ? named_texts(named) : make_texts(folder_);
  }
  Desk(const Desk&) = delete;
  Desk& operator=(const Desk&) = delete;
  ~Desk() {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  const Texts& texts() const { return texts_; }
  TextSource source() const {
    TextSource source;
    source.file = texts_.file;
    source.format = TextFormat::tsv;
    source.label = "1";
    source.text = {"2"};
    return source;
  }

 private:
  fs::path folder_;
  Texts texts_;
};
const Desk& desk() {
  static const Desk desk;
  return desk;
}

std::int64_t memory(const std::string& of) {  // VmHWM: the most there ever was; VmRSS: now; in bytes
  std::ifstream in("/proc/self/status");
  for (std::string line; std::getline(in, line);)
    if (line.starts_with(of)) return 1024 * std::atoll(line.c_str() + of.size() + 1);
  return 0;
}

class Peak {
 public:
  Peak() {
    std::ofstream("/proc/self/clear_refs") << "5";  // the most there ever was is what there is now
    before_ = memory("VmRSS");
  }
  void say(benchmark::State& state) const {
    state.counters["peak_memory"] =
        static_cast<double>(memory("VmHWM") - before_) / static_cast<double>(desk().texts().bytes);
    state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) * desk().texts().bytes);
  }

 private:
  std::int64_t before_ = 0;
};

void vocabulary_of_a_file(benchmark::State& state) {
  const TextSource source = desk().source();
  const Peak peak;
  for (auto _ : state) {
    TextReader reader(source);
    WordSplitter splitter;
    WordCounter counter;
    std::vector<int> tokens;
    for (TextExample example; reader.next(example);)
      for (const std::string_view word : splitter.split(example.text)) tokens.push_back(counter.add(word));
    const Vocabulary vocabulary(counter, 5, 0);
    for (int& token : tokens) token = vocabulary.number(counter.word(token));
    benchmark::DoNotOptimize(tokens.data());
  }
  peak.say(state);
}
BENCHMARK(vocabulary_of_a_file)->Unit(benchmark::kMillisecond);

void corpus_of_a_file(benchmark::State& state) {
  const Peak peak;
  for (auto _ : state) add_corpus("reviews", {desk().source(), {}, {}, {}, 0}, true);
  peak.say(state);
}
BENCHMARK(corpus_of_a_file)->Unit(benchmark::kMillisecond);

void task_of_a_corpus(benchmark::State& state) {
  add_corpus("reviews", {desk().source(), {}, {}, {}, 0}, true);
  const Peak peak;
  std::int64_t least = 5;
  for (auto _ : state) {
    const std::unique_ptr<Task> task = Registry<Task>::instance().make("text-classify", "task", {});
    Fields fields;
    task->settings(fields);
    // What was loaded last stays in memory, so each time another vocabulary is asked for.
    fields.read({{"corpus", {std::string("reviews"), {}}}, {"min_count", {++least, {}}}}, "task");
    task->prepare(0);
    benchmark::DoNotOptimize(task->shape());
  }
  peak.say(state);
}
BENCHMARK(task_of_a_corpus)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace fovea
