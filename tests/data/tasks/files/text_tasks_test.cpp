#include <algorithm>
#include <map>
#include <set>

#include "fovea/data/corpus/corpus.h"
#include "fovea/data/text/reference_text.h"
#include "fovea/data/text/token_texts.h"
#include "fovea/data/text/vocabulary.h"
#include "fovea/data/words/subwords.h"
#include "tests/data/tasks/task_help.h"
#include "tests/io/scratch_folder.h"

namespace fovea {
namespace {

TEST(TextClassify, IsPure) {
  expect_pure("text-classify", {});
  expect_pure("text-classify", table({{"alike", yes(false)}, {"longest", whole(6)}}));
}

TEST(TextTranslate, IsPure) {
  expect_pure("text-translate", table({{"units", word("words")}}));
  expect_pure("text-translate", {});
}

TEST(TextClassify, GivesTheCorpusTextsWithTheirClasses) {
  const auto task = make_task("text-classify", table({{"min_count", whole(1)}}));
  const Corpus corpus = find_corpus("made-reviews");
  EXPECT_EQ(task->examples(Split::train), 2000);
  EXPECT_EQ(task->shape().classes, 2);
  EXPECT_EQ(task->class_name(1), "positive");
  std::vector<std::string> labels;
  each_example(corpus, Split::test, [&](const TextExample& e) { labels.emplace_back(e.label); });
  const Batch last = draw(*task, Split::test, 6, 80);
  EXPECT_EQ(last.size, 20);
  EXPECT_EQ(draw(*task, Split::test, 7, 80).size, 0);
  const Batch batch = draw(*task, Split::test, 1, 80);
  for (int row = 0; row < 80; ++row) {
    EXPECT_EQ(task->class_name(batch.labels[static_cast<std::size_t>(row)]),
              labels[static_cast<std::size_t>(80 + row)]);
    const int length = batch.source.lengths[static_cast<std::size_t>(row)];
    EXPECT_EQ(task->word(batch.source.at(row, length - 1)), ".");
    for (int l = 0; l < batch.source.columns; ++l) EXPECT_EQ(batch.source.at(row, l) == -1, l >= length);
  }
}

TEST(TextClassify, TextsSortedByClassAreMixedToLookAt) {
  LabelledTexts sorted, mixed;
  for (int i = 0; i < 200; ++i) {
    for (LabelledTexts* texts : {&sorted, &mixed}) {
      texts->tokens.begin();
      texts->tokens.token(i);
    }
    sorted.labels.push_back(i / 100);
    mixed.labels.push_back(i * 7 % 11 % 2);
  }
  const std::vector<int> before = mixed.labels;
  mix_if_sorted(mixed);
  EXPECT_EQ(mixed.labels, before) << "those that are mixed stay as they are";
  mix_if_sorted(sorted);
  std::set<int> seen;
  int first_half = 0;
  for (int i = 0; i < 200; ++i) {
    const int id = sorted.tokens[i].front(), label = sorted.labels[static_cast<std::size_t>(i)];
    EXPECT_EQ(label, id / 100) << "a text keeps its class";
    seen.insert(id);
    first_half += i < 100 && label == 0;
  }
  EXPECT_EQ(seen.size(), 200u);
  EXPECT_NEAR(first_half, 50, 4 * 3.54);  // four deviations of drawing 100 of 200
}

// A sure link joins the same two words everywhere, though sentences differ in their order.
TEST(TextTranslate, KnowsWhichWordsOfMadePhrasesBelongTogether) {
  for (const std::string units : {"words", "pieces"}) {
    const auto task = make_task("text-translate", table({{"units", word(units)}}));
    const WrittenTargets& written = *task->written_targets();
    std::map<std::string, std::string> translated;
    std::size_t crossed = 0;
    for (const Split split : {Split::validation, Split::test}) {
      const Batch batch = draw(*task, split, 0, 100);
      for (int b = 0; b < batch.size; ++b) {
        const std::span<const int> from = written.source_words(split, b), to = written.target_words(split, b);
        ASSERT_EQ(std::ssize(from), batch.source.lengths[static_cast<std::size_t>(b)] - 1);
        ASSERT_EQ(std::ssize(to), batch.target.lengths[static_cast<std::size_t>(b)] - 1);
        const auto spelled = [&](const Tokens& tokens, std::span<const int> words, int number) {
          std::string text;
          for (int i = 0; i < std::ssize(words); ++i)
            if (words[static_cast<std::size_t>(i)] == number) text += task->word(tokens.at(b, i));
          return text;
        };
        ASSERT_NE(written.alignment(split, b), nullptr);
        int last = -1;
        for (const AlignedPair& link : written.alignment(split, b)->links) {
          const std::string word = spelled(batch.target, to, link.target);
          ASSERT_FALSE(word.empty());
          EXPECT_EQ(link.sure, !word.ends_with("the")) << word;
          if (!link.sure) continue;
          EXPECT_EQ(translated.emplace(spelled(batch.source, from, link.source), word).first->second, word);
          crossed += link.target < last;
          last = link.target;
        }
      }
    }
    EXPECT_EQ(translated.size(), 10u + 8 + 8);
    EXPECT_GT(crossed, 100u);
    EXPECT_EQ(written.alignment(Split::train, 0), nullptr);
  }
}

TEST(TextClassify, WordsBeyondTheVocabularyAreUnknown) {
  const auto all = make_task("text-classify", table({{"min_count", whole(1)}}));
  const auto few = make_task("text-classify", table({{"words", whole(10)}}));
  EXPECT_EQ(few->shape().vocab, 11);
  EXPECT_EQ(few->word(0), "<unknown>");
  EXPECT_GT(all->shape().vocab, 60);
  const Batch batch = draw(*few, Split::validation, 0, 50);
  EXPECT_GT(std::count(batch.source.ids.begin(), batch.source.ids.end(), 0), 0);
  EXPECT_LT(*std::max_element(batch.source.ids.begin(), batch.source.ids.end()), 11);
  const Batch cut = draw(*make_task("text-classify", table({{"longest", whole(3)}})), Split::train, 0, 32);
  EXPECT_EQ(cut.source.columns, 3);
}

// Each example once an epoch, whether batches are of like length or not; and then they are shorter.
TEST(BatchOrder, GoesThroughEveryExampleOnceAnEpoch) {
  TokenTexts texts;
  for (int i = 0; i < 4096; ++i) {
    texts.begin();
    for (int l = 0; l < 1 + i * 7919 % 50; ++l) texts.token(i);
  }
  const auto cells = [&](bool alike) {
    std::int64_t padded = 0;
    std::vector<int> examples, seen(4096);
    Tokens tokens;
    for (std::uint64_t step = 0; step < 256; ++step) {
      batch_examples({3, "test", alike}, texts, step, 16, examples);
      fill_tokens(texts, examples, tokens);
      padded += std::int64_t{tokens.rows} * tokens.columns;
      for (const int i : examples) ++seen[static_cast<std::size_t>(i)];
    }
    EXPECT_EQ(std::count(seen.begin(), seen.end(), 1), 4096);
    return padded;
  };
  EXPECT_LT(static_cast<double>(cells(true)), 0.65 * static_cast<double>(cells(false)));
}

TEST(TextTranslate, EndsEverySequence) {
  for (const char* units : {"words", "pieces"}) {
    const auto task = make_task("text-translate", table({{"units", word(units)}}));
    const TaskShape shape = task->shape();
    EXPECT_EQ(shape.vocab, shape.target_vocab);
    const Batch batch = draw(*task, Split::train, 0, 16);
    for (int row = 0; row < 16; ++row) {
      for (const Tokens* side : {&batch.source, &batch.target}) {
        const int length = side->lengths[static_cast<std::size_t>(row)];
        EXPECT_GT(length, 1);
        for (int l = 0; l < side->columns; ++l) {
          EXPECT_EQ(side->at(row, l) == shape.end_token, l == length - 1);
          EXPECT_NE(side->at(row, l), shape.start_token);
        }
      }
    }
  }
}

TEST(TextTranslate, LeavesOutLongPairsInTrainingOnly) {
  const auto all = make_task("text-translate", table({{"units", word("words")}}));
  const auto some = make_task("text-translate", table({{"units", word("words")}, {"longest", whole(6)}}));
  EXPECT_LT(some->examples(Split::train), all->examples(Split::train));
  EXPECT_EQ(some->examples(Split::validation), all->examples(Split::validation));
  EXPECT_LE(draw(*some, Split::train, 0, 100).target.columns, 6);
  EXPECT_SAYS(complaint("text-translate", table({{"units", word("words")}, {"longest", whole(1)}})),
              "every training pair of the corpus 'made-phrases' has more than 1 tokens");
}

TEST(TextTasks, RefuseWhatDoesNotFit) {
  EXPECT_SAYS(complaint("text-classify", table({{"corpus", word("made-phrases")}})), "has pairs of texts");
  EXPECT_SAYS(complaint("text-translate", table({{"corpus", word("made-reviews")}})), "has texts with classes");
  EXPECT_SAYS(complaint("text-classify", table({{"corpus", word("made-rewievs")}})), "Did you mean 'made-reviews'");
  EXPECT_SAYS(complaint("text-classify", table({{"digest", word("0123")}})), "has changed since this run was made");
  EXPECT_SAYS(complaint("text-translate", table({{"digest", word("0123")}})), "has changed since this run was made");
  EXPECT_SAYS(complaint("text-translate", table({{"units", word("words")}, {"model", word("x.model")}})),
              "a model of pieces");
  EXPECT_SAYS(complaint("text-translate", table({{"model", word("/nowhere.model")}})), "there is no such file");
}

TEST(TextTasks, PinTheirCorpusByContent) {
  for (const char* name : {"text-classify", "text-translate"}) {
    const auto task = make_task(name);
    task->pin();
    Fields fields;
    task->settings(fields);
    const ValueTable pinned = fields.write();
    EXPECT_EQ(pinned.at("digest").as<std::string>()->size(), 32u);
    EXPECT_NO_THROW(make_task(name, pinned));
  }
}

class PiecesTest : public WithScratchFolder {};

TEST_F(PiecesTest, AreLearnedTheSameEachTimeAndComeBackTogether) {
  const auto each = [](const std::function<void(std::string_view)>& take) {
    each_example(find_corpus("made-phrases"), Split::train, [&](const TextExample& e) {
      take(e.text);
      take(e.target);
    });
  };
  const std::string model = Pieces::learn(each, 100);
  EXPECT_EQ(Pieces::learn(each, 100), model);
  const Pieces pieces(model, "memory");
  EXPECT_LE(pieces.size(), 100);
  const std::string text = "the red dog sees the cat";
  EXPECT_EQ(pieces.decode(pieces.encode(text)), text);
  for (const int piece : pieces.encode(text)) EXPECT_LT(piece, pieces.size());

  const auto file = put("p.model", model);
  const auto task = make_task("text-translate", table({{"model", word(file.string())}}));
  EXPECT_EQ(task->shape().vocab, pieces.size());
  EXPECT_SAYS(complaint("text-translate", table({{"model", word(put("q.model", "no model").string())}})),
              "q.model: is no SentencePiece model");
  EXPECT_SAYS(wrong_input_of([] { Pieces::learn([](const auto&) {}, 100); }), "no subwords can be learned");
}

class EntitiesTest : public WithHomeFolder {
 protected:
  void SetUp() override {
    WithHomeFolder::SetUp();
    std::string train;
    for (int i = 0; i < 40; ++i)
      train += i % 2 ? "Dr\tO\nSelma\tB-per\nruns\tO\n\n" : "in\tO\nNew\tB-loc\nOslo\tI-loc\n\n";
    CorpusSources sources{source("train.conll", train), source("dev.conll", "dr\tO\nDanuta\tB-per\n"), {}, {}, 0};
    add_corpus("names", sources);
  }
  TextSource source(const std::string& name, const std::string& bytes) const {
    TextSource source;
    source.file = put(name, bytes);
    source.format = TextFormat::conll;
    return source;
  }
};

TEST_F(EntitiesTest, IsPure) { expect_pure("entities", table({{"corpus", word("names")}})); }

TEST_F(EntitiesTest, GivesWordsTagsAndFeatures) {
  const auto task = make_task("entities", table({{"corpus", word("names")}}));
  EXPECT_EQ(task->shape().target_vocab, 5) << "O, and B and I of each type";
  const Batch batch = draw(*task, Split::validation, 0, 8);
  ASSERT_EQ(batch.size, 1);
  EXPECT_EQ(task->word(batch.source.at(0, 0)), "dr");
  EXPECT_EQ(task->word(batch.source.at(0, 1)), "<unknown>");
  EXPECT_EQ(task->target_word(batch.target.at(0, 0)), "O");
  EXPECT_EQ(task->target_word(batch.target.at(0, 1)), "B-per");
  ASSERT_EQ(batch.feature_width, 3);
  ASSERT_EQ(batch.features.size(), 6u);
  EXPECT_NE(batch.features[3], Vocabulary::unknown) << "the shape Xx is known";
  EXPECT_EQ(batch.features[4], Vocabulary::unknown) << "no training word begins with dan";
  const Batch without = draw(*make_task("entities", table({{"corpus", word("names")}, {"features", yes(false)}})),
                             Split::validation, 0, 8);
  EXPECT_TRUE(without.features.empty());
}

TEST_F(EntitiesTest, OtherCorporaAreRefused) {
  EXPECT_EQ(make_task("entities")->shape().target_vocab, 7) << "of the program's own corpus";
  EXPECT_NE(complaint("entities", table({{"corpus", word("made-reviews")}})).find("has no words with tags"),
            std::string::npos);
  add_corpus("others", {source("a.conll", "a\tB-x\n\nb\tO\n"), source("b.conll", "a\tB-y\n"), {}, {}, 0});
  EXPECT_NE(complaint("entities", table({{"corpus", word("others")}})).find("no training sentence has the tag 'B-y'"),
            std::string::npos);
}

}  // namespace
}  // namespace fovea
