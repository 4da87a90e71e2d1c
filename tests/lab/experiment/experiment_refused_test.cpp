// Experiment files and settings that are wrong: each is refused with its place, what is wrong, and what to do.
#include <filesystem>

#include "fovea/base/file.h"
#include "tests/lab/experiment/experiment_scene.h"

namespace fovea {
namespace {

using namespace testing_parts;

TEST(Spec, FilesThatAreWrongAreRefusedWithTheirPlace) {
  const struct {
    std::string toml, position, problem, remedy;
  } cases[] = {
      {"title = \"x", "x.toml:1:9", "an opening quote and no closing quote", "add the closing quote"},
      {"title = 'x\nidea = \"y\"", "x.toml:1:9", "an opening quote and no closing quote", "add the closing quote"},
      {"title = [\"it's\" \"x\"]", "x.toml:1:17", "two values have no comma between them", "put a comma"},
      {"seed = \nx = 1", "x.toml:1:8", "no value follows the '='", "write a number"},
      {"seed =", "x.toml:1:7", "no value follows the '='", "write a number"},
      {"seed: 3", "x.toml:1:5", "a ':' is written between a key and its value", "write '=' instead"},
      {"seed 3", "x.toml:1:6", "a '=' is missing", "write key = value"},
      {"seed = 1 2", "x.toml:1:10", "text follows the value", "several values as a list [1, 2]"},
      {"[train] steps = 2", "x.toml:1:9", "text follows the name of a table", "on a line of its own"},
      {"title = \"[\"\nprobe.names = [\"a\"\nseed = 1", "x.toml:2:15", "a bracket is opened here and not closed",
       "close the bracket"},
      {"probe.names = [\"a\", # ]\nseed = 1", "x.toml:1:15", "a bracket is opened here and not closed", "close"},
      {"probe.names = [\n  \"a\"\n  \"b\"\n]", "x.toml:3:3", "two values have no comma between them", "put a comma"},
      {"task = { name = \"mark\"\nseed = 1", "x.toml:1:8", "a bracket is opened here and not closed", "close"},
      {"[train\nsteps = 1", "x.toml:1:1", "a bracket is opened here and not closed", "close the bracket"},
      {"probe.names = [\"a\"\n", "x.toml:1:15", "a bracket is opened here and not closed", "close the bracket"},
      {"model.p = 0.5\nmodel.p.x = 3", "x.toml:2:7", "'model.p' is a value, and this line makes it a table",
       "delete one"},
      {"model = { p = 1 }\nmodel.x = 2", "x.toml:2:1", "the table 'model' is complete, and a key is added to it",
       "write the key into the table"},
      {"[train]\nsteps = 5\ntask.name = \"mark\"", "x.toml:3:1", "[train] in line 1 contains all keys below it",
       "move the table to the end, or write train = { … }"},
      {"task = { name = \"mark\" }\ntask = 3", "x.toml:2:8", "'task' is set twice", "delete one"},
      {minimal("titel = \"x\""), "x.toml:3:1", "an experiment has no key 'titel'", "did you mean 'title'?"},
      {minimal("title = 3"), "x.toml:3:1", "'title' must be a text, not an integer (3)", "make it a text"},
      {minimal("order = \"first\""), "x.toml:3:1", "'order' must be an integer", "make it"},
      {"model = { name = \"tiny\" }", "x.toml", "the experiment has no task",
       "write as the first line of the file: task = "},
      {"task = 3\nmodel = { name = \"tiny\" }", "x.toml:1:1", "'task' must be a table", "make it a table"},
      {"task = { vocab = 3 }\nmodel = { name = \"tiny\" }", "x.toml:1:10", "the task has no name", "the list of tasks"},
      {minimal("train = 2024-01-01"), "x.toml:3:1", "no setting is a date or a time", "in quotes"},
      {minimal("sweep = { seed = 3 }"), "x.toml:3:11", "the axis 'seed' must be a list or a range, not an integer (3)",
       "0..19"},
      {minimal("sweep = { seed = \"many\" }"), "x.toml:3:11", "'many' is not a range", "0..19"},
      {minimal("sweep = { seed = [] }"), "x.toml:3:11", "has no values", "add values"},
      {minimal("sweep = { \"train.rate\" = [2e-3, 1.0, 0.002] }"), "x.toml:3:11", "'train.rate' has 0.002 twice",
       "write it once"},
      {minimal("quick = { \"sweep.seed\" = 4 }"), "x.toml:3:11", "must be a list or a range", "0..19"},
      {minimal("quick = { \"train.steps\" = 4, train = { steps = 3 } }"), "x.toml:3:11", "'train.steps' is set twice",
       "keep one"},
      {minimal("intervene = { hold = \"uniform\" }"), "x.toml:3:1", "must be a list of tables",
       "write it as intervene = [{"},
      {minimal("[[claim]]\nsays = \"x\"\nmetric = \"share(accuracy >)\"\nat_least = 1"), "x.toml:5:1",
       "column 17: ')' is not expected", "write a metric"},
      {minimal("[[claim]]\nsays = \"x\"\nmetric = \"seed\"\nwhere = \"share(a > 1)\"\nat_least = 1"), "x.toml:6:1",
       "needs many runs", "remove functions over runs"},
      {minimal("[[claim]]\nsays = \"x\"\nmetric = \"seed\""), "x.toml:3:1", "a claim has no bound", "at_least"},
      {minimal("[[claim]]\nmetric = \"seed\"\nat_most = 3"), "x.toml:3:1", "has no 'says'", "add says"},
      {minimal("[[claim]]\nsays = \"x\"\nat_most = 3"), "x.toml:3:1", "has no metric", "metric"},
      {minimal("[[claim]]\nsays = \"x\"\nmetric = \"seed\"\nat_least = 3\nat_most = 1"), "x.toml:3:1",
       "at_least = 3 is above at_most = 1", "swap"},
      {minimal("[[claim]]\nsays = \"x\"\nmetric = \"seed\"\natleast = 3"), "x.toml:6:1", "a claim has no key 'atleast'",
       "did you mean 'at_least'?"},
      {minimal("[[claim]]\nsays = \"x\"\nmetric = \"seed\"\nat_least = 3\nform = \"slow\""), "x.toml:7:1",
       "form must be \"quick\" or \"full\", not \"slow\"", "in both forms"},
      {minimal("claim = { says = \"x\" }"), "x.toml:3:1", "[[claim]]", "begin each with the line [[claim]]"},
      {minimal("[[figure]]\nmetric = \"x\""), "x.toml:3:1", "a figure has no kind", "kind"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.toml);
    refused([&] { parse_experiment(c.toml, "x.toml"); }, c.position, c.problem, c.remedy);
  }
}

TEST(Spec, SettingsThatAreWrongAreRefusedWithTheirPlace) {
  const struct {
    std::string toml, position, problem, remedy;
  } cases[] = {
      {"task = { name = \"marc\" }\nmodel = { name = \"tiny\" }", "x.toml:1:10", "there is no task 'marc'",
       "did you mean 'mark'?"},
      {"task = { name = \"mark\" }\nmodel = { name = \"tinny\" }", "x.toml:2:11", "there is no model 'tinny'",
       "did you mean 'tiny'?"},
      {"task = { name = \"mark\", vocabb = 3 }\nmodel = { name = \"tiny\" }", "x.toml:1:25",
       "task 'mark' has no setting 'vocabb'", "did you mean 'vocab'?"},
      {"task = { name = \"mark\", vocab = \"x\" }\nmodel = { name = \"tiny\" }", "x.toml:1:25",
       "must be an integer, 2 to 1000", ""},
      {"task = { name = \"mark\", length = 700 }\nmodel = { name = \"tiny\" }", "x.toml:1:10", "rows longer than 500",
       "smaller"},
      {minimal("train = { stepz = 3 }"), "x.toml:3:11", "train has no setting 'stepz'", "did you mean 'steps'?"},
      {minimal("train = { steps = -3 }"), "x.toml:3:11", "not -3", "updates"},
      {minimal("train = { rate = nan }"), "x.toml:3:11", "not nan", "learning rate"},
      {minimal("train = { optimizer = \"adm\" }"), "x.toml:3:11", "train.optimizer must be adam, ",
       "did you mean 'adam'?"},
      {minimal("train = { stop_when = \"loss\" , steps = 1.5 }"), "x.toml:3:32", "must be an integer", "updates"},
      {minimal("train = { stop_when = \"share(loss > 1)\" }"), "x.toml:3:11", "needs many runs",
       "remove functions over runs"},
      {minimal("train = { stop_when = \"loss + 1\" }"), "x.toml:3:11", "is not a condition", "comparison"},
      {minimal("train = { stop_when = \"loss\" }"), "x.toml:3:11", "is not a condition", "comparison"},
      {minimal("probe = { names = [\"wach\"] }"), "x.toml:3:11", "there is no probe 'wach'", "did you mean 'watch'?"},
      {minimal("probe = { names = [\"watch\", \"watch\"] }"), "x.toml:3:11", "named twice", "once"},
      {minimal("probe = { watch = { scale = 2 } }"), "x.toml:3:11", "probe.names lacks \"watch\"", "add it"},
      {minimal("probe = { wach = { scale = 2 } }"), "x.toml:3:11", "probe has no setting 'wach'", "known are"},
      {minimal("probe = { names = [\"watch\"], watch = { scal = 2 } }"), "x.toml:3:40",
       "probe 'watch' has no setting 'scal'", "did you mean 'scale'?"},
      {minimal("intervene = [ { hold = \"unifrom\" } ]"), "x.toml:3:17", "uniform, previous, first or truth",
       "did you mean 'uniform'?"},
      {minimal("intervene = [ { freeze = \"head\" } ]"), "x.toml:3:15", "no parameters 'head' to freeze",
       "known are: attention, body, w, a"},
      {minimal("intervene = [ { hold = \"uniform\", until = -1 } ]"), "x.toml:3:35", "not -1",
       "the intervention ends before this update"},
      {minimal("intervene = [ { hold = \"uniform\", from = 5, until = 5 } ]"), "x.toml:3:45", "ends before it begins",
       "above from"},
      {minimal("intervene = [ { hold = \"uniform\" }, { hold = \"truth\", from = 7 } ]"), "x.toml:3:37",
       "two interventions hold attention at step 7", "do not overlap"},
      {minimal("intervene = [ { rate = 1.0, of = \"body\" }, { rate = 2, of = \"body\" } ]"), "x.toml:3:44",
       "two interventions set the rate", "do not overlap"},
      {minimal("intervene = [ { hodl = \"uniform\" } ]"), "x.toml:3:15", "there is no intervention 'hodl'",
       "did you mean 'hold'?"},
      {minimal("intervene = [ { rate = 1.0, off = \"body\" } ]"), "x.toml:3:29", "has no setting 'off'",
       "did you mean 'of'?"},
      {minimal("intervene = [ { clamp = \"w\" } ]"), "x.toml:3:15", "has no value", "at = 0.5"},
      {minimal("intervene = [ { clamp = \"b\", at = 0.5 } ]"), "x.toml:3:15", "has no parameter 'b'",
       "known are: w, a"},
      {minimal("intervene = [ { clamp = \"w\", at = 1, until = 9 }, { clamp = \"w\", at = 2, from = 8 } ]"),
       "x.toml:3:51", "two interventions clamp one parameter at step 8", "do not overlap"},
      {"task = { name = \"mark\", knows = false }\nmodel = { name = \"tiny\" }\nintervene = [ { hold = \"truth\" } ]",
       "x.toml:3:15", "has no true positions", "uniform"},
      {"task = { name = \"mark\" }\nmodel = { name = \"tiny\", attends = false }\nintervene = [ { hold = \"uniform\" } "
       "]",
       "x.toml:3:15", "model 'tiny' has none here", "remove"},
      {"task = { name = \"mark\" }\nmodel = { name = \"tiny\", attends = false }\nintervene = [ { freeze = "
       "\"attention\" } ]",
       "x.toml:3:15", "has no attention parameters", "remove"},
      {"task = { name = \"mark\" }\nmodel = { name = \"tiny\", even = true }\nintervene = [ { hold = \"truth\" } ]",
       "x.toml:3:15", "model 'tiny' always has uniform attention here", "remove"},
      {"task = { name = \"mark\" }\nmodel = { name = \"tiny\", even = true }\nintervene = [ { freeze = "
       "\"attention\" } ]",
       "x.toml:3:15", "attention parameters have no effect here", "use learned attention"},
      {"task = { name = \"mark\" }\nmodel = { name = \"tiny\", even = true }\nintervene = [ { rate = 1, of = "
       "\"attention\" } ]",
       "x.toml:3:15", "attention parameters have no effect here", "use learned attention"},
      {minimal("train = { steps = 20 }\nintervene = [ { hold = \"uniform\", from = 21 } ]"), "x.toml:4:15",
       "begins at step 21, and training ends at step 20", "set train.steps to 21 or more"},
      {minimal("train = { steps = 20 }\nintervene = [ { clamp = \"w\", at = 1, from = 30 } ]"), "x.toml:4:15",
       "begins at step 30", "earlier"},
      {minimal("train = { steps = 20 }\nintervene = [ { transplant = 1, at = 21 } ]"), "x.toml:4:15",
       "begins at step 21", "earlier"},
      {minimal("intervene = [ { transplant = 1, of = \"\" } ]"), "x.toml:3:15",
       "'transplant' does not name the parameters", "drop of"},
      {minimal("intervene = [ { embeddings = \"\" } ]"), "x.toml:3:15", "'embeddings' names no file", "name one"},
      {minimal("probe = { names = [\"beta_points_right\"] }"), "x.toml:3:11",
       "probe 'beta_points_right' reads β, and model 'tiny' has none here", "probe.optional"},
      {"task = { name = \"mark\", knows = false }\nmodel = { name = \"tiny\" }\nprobe = { names = "
       "[\"attention_on_answer\"] }",
       "x.toml:3:11", "needs the true positions, and task 'mark' has none", "probe.optional"},
      {"task = { name = \"mark\" }\nmodel = { name = \"tiny\", least_batch = 2 }\ntrain = { batch = 1 }", "x.toml:3:11",
       "model 'tiny' cannot be trained on one example at a time", "set train.batch to 2 or more"},
      {"task = { name = \"mark\" }\nmodel = { name = \"tiny\", least_batch = 2 }\n"
       "train = { batch = 12, data_parallel = true, shards = 12 }",
       "x.toml:3:11", "model 'tiny' needs 2 in each", "set train.batch to 24 or more"},
      {minimal("train = { momentum = 0.9 }"), "x.toml:3:11",
       "train.momentum changes nothing here: it belongs to optimizer \"sgd\"",
       "remove the setting (or set train.momentum to 0)"},
      {"task = { name = \"keyword\" }\nmodel = { name = \"gated-classifier\", score_hidden = 8 }", "x.toml:2:38",
       "model.score_hidden changes nothing here: it belongs to score \"mlp\"",
       "remove the setting (or set model.score_hidden to 64)"},
      {"task = { name = \"curve\" }\nmodel = { name = \"pooling\", formula = \"d2\" }", "x.toml:2:29",
       "model.formula changes nothing here: it belongs to similarity \"user\"", "remove the setting"},
      {"task = { name = \"curve\" }\nmodel = { name = \"pooling\", similarity = \"dot\", w = 2 }", "x.toml:2:49",
       "model.w changes nothing here: it belongs to similarities \"gaussian\" and \"gaussian-learned\"",
       "remove the setting (or set model.w to 1)"},
      {"task = { name = \"curve\" }\nmodel = { name = \"pooling\", width = 2 }", "x.toml:2:29",
       "model.width changes nothing here: it belongs to similarities \"boxcar\" and \"epanechnikov\"",
       "set model.width to 1"},
      {"task = { name = \"curve\" }\nmodel = { name = \"pooling\", hidden = 8 }", "x.toml:2:29",
       "model.hidden changes nothing here: it belongs to similarity \"additive\"", "set model.hidden to 32"},
      {"task = { name = \"feature-mean\" }\nmodel = { name = \"feature-attention\", gate_hidden = 8 }", "x.toml:2:39",
       "model.gate_hidden changes nothing here: it belongs to gate \"input\"", "remove the setting"},
      {"task = { name = \"linear-icl\" }\nmodel = { name = \"linear-attention\", rank = 2 }", "x.toml:2:38",
       "model.rank changes nothing here: it belongs to form \"separate\"", "remove the setting"},
      {"task = { name = \"copy\" }\nmodel = { name = \"seq2seq\", encoder = \"embedding\", bidirectional = true }",
       "x.toml:2:52", "model.bidirectional changes nothing here: it belongs to encoder \"recurrent\"",
       "remove the setting"},
      {"task = { name = \"copy\" }\nmodel = { name = \"seq2seq\", attention = \"uniform\", score = \"additive\" }",
       "x.toml:2:52", "model.score changes nothing here: it belongs to attention \"learned\"",
       "set model.score to \"general\""},
      {minimal("train = { optimizer = \"sgd\", beta2 = 0.99 }"), "x.toml:3:30",
       "train.beta2 changes nothing here: it belongs to optimizers \"adam\"", "remove the setting"},
      {minimal("train = { schedule = \"step\", floor = 0.5 }"), "x.toml:3:30", "train.floor changes nothing here",
       "remove the setting"},
      {minimal("train = { schedule = \"cosine\", factor = 0.5 }"), "x.toml:3:32", "train.factor changes nothing here",
       "remove the setting"},
      {"task = { name = \"mark\" }\nmodel = { name = \"tiny\", attends = false }\nprobe = { names = [\"watch\"] }",
       "x.toml:3:11", "needs a model that attends", "choose another"},
      {minimal("quick = { \"train.steps\" = 3 }\nsweep = { \"task.vocabb\" = [1] }"), "x.toml:4:28",
       "has no setting 'vocabb'", "vocab"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.toml);
    refused([&] { resolve_sweep(parse_experiment(c.toml, "x.toml"), Preset::full, {}); }, c.position, c.problem,
            c.remedy);
  }
  const auto set = [](const std::string& words) {
    return [words] { resolve(experiment(), Preset::full, {parse_override(words)}, 0); };
  };
  refused(set("task.vocabb=3"), "task.vocabb=3", "task 'mark' has no setting 'vocabb'", "did you mean 'vocab'?");
  refused(set("vocab=3"), "vocab=3", "there is no setting 'vocab'", "did you mean 'task.vocab'?");
  refused(set("tsak.vocab=3"), "tsak.vocab=3", "there is no setting 'tsak.vocab'", "did you mean 'task.vocab'?");
  refused(set("train.steps=abc"), "train.steps=abc", "train.steps must be an integer, 0 to 1099511627776, not \"abc\"",
          "number of updates");
  refused(set("seed=-1"), "seed=-1", "seed must be an integer, 0 or more", "seed=3");
  refused(set("train.steps.more=1"), "train.steps.more=1", "must be an integer, 0 to 1099511627776, not { more = 1 }",
          "updates");
  refused([] { parse_override("nothing"); }, "nothing", "sets nothing", "key=value");
}

TEST(Spec, FilesThatCanNotBeReadAreRefused) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "spec_test";
  std::filesystem::create_directories(folder);
  const std::string file = (folder / "big.toml").string();
  write_whole(file, std::string(2 << 20, '#'));
  refused([&] { find_experiment(file); }, file, "larger than the 1048576 bytes", "right file");
  refused([&] { find_experiment((folder / "none.toml").string()); }, (folder / "none.toml").string(), "no such file",
          "path");
  refused([&] { find_experiment(folder.string() + "/"); }, folder.string() + "/", "is a folder", "name a file");
  write_whole(file, whole);
  EXPECT_EQ(find_experiment(file).name, "big");
  std::filesystem::remove_all(folder);
}

TEST(Spec, DeepNestingDoesNotExhaustTheStack) {
  std::string dots = "a";
  for (int i = 0; i < 200000; ++i) dots += ".a";
  refused([&] { parse_experiment("x = 1\n" + dots + " = 1", "x.toml"); }, "x.toml:2", "the key has more than 100 parts",
          "fewer dots");
  refused([&] { parse_experiment("[" + dots + "]", "x.toml"); }, "x.toml:1", "the key has more than 100 parts",
          "fewer dots");
  EXPECT_THROW(parse_experiment("x = " + std::string(100000, '['), "x.toml"), Error);
  EXPECT_THROW(parse_experiment(std::string("x = \xff\xfe"), "x.toml"), Error);
  const std::string prose = minimal("idea = \"\"\"" + std::string(500, '.') + "\"\"\" # " + std::string(500, '.') +
                                    "\ntitle = '" + std::string(500, '.') + "'");
  EXPECT_EQ(parse_experiment(prose, "x.toml").title.size(), 500u);
}

// The task text-translate has a setting that is called as a table of a file is.
TEST(Spec, ASettingCalledModelIsNotATableThatWasSwallowed) {
  const Experiment read = parse_experiment(
      "[task]\nname = \"text-translate\"\nmodel = \"x.model\"\n[model]\nname = \"seq2seq\"\n", "x.toml");
  const auto model = read.task.find("model");
  ASSERT_NE(model, read.task.end());
  EXPECT_EQ(*model->second.as<std::string>(), "x.model");
}

}  // namespace
}  // namespace fovea
