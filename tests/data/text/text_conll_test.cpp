#include <vector>

#include "fovea/data/text/text_reader.h"
#include "tests/io/scratch_folder.h"

namespace fovea {
namespace {

using Texts = std::vector<std::string>;

struct Sentences {
  Texts words, tags;
  std::vector<int> lines;
  ReadReport report;
};

class ConllTest : public WithScratchFolder {
 protected:
  Sentences read(const std::string& bytes, BadLine bad = BadLine::stop) const {
    TextSource source;
    source.file = put("a.conll", bytes);
    source.format = TextFormat::conll;
    source.bad = bad;
    TextReader reader(source);
    Sentences all;
    for (TextExample example; reader.next(example);) {
      all.words.emplace_back(example.text);
      all.tags.emplace_back(example.target);
      all.lines.push_back(example.location.line);
    }
    all.report = reader.report();
    return all;
  }
  std::string complaint(const std::string& bytes) const {
    return wrong_input_of([&] { read(bytes); });
  }
};

TEST_F(ConllTest, SentencesAreWordsAndTags) {
  const Sentences all = read("Selma\tB-per\nKvist\tI-per\nin\tO\nOslo\tB-loc\n\n\nyes\tO\n");
  EXPECT_EQ(all.words, (Texts{"Selma Kvist in Oslo", "yes"}));
  EXPECT_EQ(all.tags, (Texts{"B-per I-per O B-loc", "O"}));
  EXPECT_EQ(all.lines, (std::vector<int>{1, 7}));
}

TEST_F(ConllTest, ColumnsBetweenAreIgnored) {
  const Sentences all = read("-DOCSTART- -X- O O\n\nSelma NNP I-NP B-per\r\nruns VBZ I-VP O\r\n\r\n");
  EXPECT_EQ(all.words, Texts{"Selma runs"});
  EXPECT_EQ(all.tags, Texts{"B-per O"});
}

TEST_F(ConllTest, AnEmptyWordWithoutEntityEndsASentence) {
  EXPECT_EQ(read("a\tO\n\tO\nb\tO\n\tO\n\n").words, (Texts{"a", "b"}));
}

TEST_F(ConllTest, TheOlderSchemeBecomesBio) {
  const Sentences all = read("a I-per\nb I-per\nc B-per\nd O\ne I-loc\nf I-per\n\ng I-per\n");
  EXPECT_EQ(all.tags, (Texts{"B-per I-per B-per O B-loc B-per", "B-per"}));
}

// Adjacent entities of one type open by B in both schemes.
TEST_F(ConllTest, TwoSchemesInOneFileAreAnError) {
  EXPECT_SAYS(complaint("a B-per\nb O\n\nc O\nd I-per\n"),
              "a.conll:5: 'I-per' is in no entity of its type, and line 1");
  EXPECT_SAYS(complaint("a I-per\nb B-per\nc O\nd B-per\n"), "a.conll:4: 'B-per' opens an entity, but line 1 opens");
  EXPECT_SAYS(complaint("a B-per\nb I-loc\n"), "a.conll:2: 'I-loc' is in no entity");
}

TEST_F(ConllTest, MalformedLinesAreErrors) {
  EXPECT_SAYS(complaint("a O\nb\n"), "a.conll:2: has one column");
  EXPECT_SAYS(complaint("a x O\nb O\n"), "a.conll:2: has 2 columns, but the first line has 3");
  EXPECT_SAYS(complaint("a O\nb S-per\n"), "a.conll:2: 'S-per' is no tag");
  EXPECT_SAYS(complaint("a O\nb B-\n"), "a.conll:2: 'B-' is no tag");
  EXPECT_SAYS(complaint("a O\nb per\n"), "a.conll:2: 'per' is no tag");
  EXPECT_SAYS(complaint("a\tO\n\tB-per\n"), "a.conll:2: the word is empty");
  EXPECT_SAYS(complaint("a\tO\nb c\tO\n"), "a.conll:2: the word 'b c' contains a space");
  EXPECT_SAYS(complaint("a O\n\xff O\n"), "a.conll:2:1: is not UTF-8");
  EXPECT_SAYS(complaint("\n\n"), "has no text");
}

TEST_F(ConllTest, SentencesWithMalformedLinesCanBeSkipped) {
  const Sentences all = read("a O\n\nb B-per\nc x\nd y\n\ne O\nf\n\ng O\n", BadLine::skip);
  EXPECT_EQ(all.words, (Texts{"a", "g"}));
  EXPECT_EQ(all.report.skipped, 2);
  EXPECT_SAYS(all.report.complaints.at(0), "a.conll:4: 'x' is no tag");
}

}  // namespace
}  // namespace fovea
