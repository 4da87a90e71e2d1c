#include <algorithm>
#include <vector>

#include "tests/cli/program.h"
#include "tests/sanitized.h"

namespace fovea {
namespace {

using fovea::testing::Outcome;
using fovea::testing::ProgramTest;
namespace fs = std::filesystem;

struct BadWords {
  const char* words;
  int code;
  std::vector<const char*> said;
};

TEST_F(ProgramTest, EveryMistakeIsNamedAndLeavesNoRun) {
  write("key.toml", "task = { name = \"two-sequences\" }\nmodel = { name = \"toy-gate\" }\ntrain = { stepz = 10 }\n");
  write("type.toml", "task = { name = \"two-sequences\" }\nmodel = { name = \"toy-gate\", p = \"half\" }\n");
  write("negative.toml",
        "task = { name = \"two-sequences\" }\nmodel = { name = \"toy-gate\" }\ntrain = { steps = -5 }\n");
  write("nan.toml", "task = { name = \"two-sequences\" }\nmodel = { name = \"toy-gate\", p = nan }\n");
  write("broken.toml", "task = { name = \"two-sequences\"\nmodel = 3\n");
  const std::string toy = "task = { name = \"two-sequences\" }\nmodel = { name = \"toy-gate\" }\n";
  write("figure.toml", toy + "\n[[figure]]\nkind = \"lins\"\n");
  write("bound.toml", toy + "\n[[claim]]\nsays = \"x\"\nmetric = \"mean(loss)\"\nat_least = nan\n");
  write("empty.tsv", "");
  write("texts", "a text\n");
  write("one.tsv", "ham\nspam\n");
  write("key.jsonl", "{\"label\": \"ham\"}\n");
  write("keys.jsonl", "{\"label\": \"ham\"}\n{\"label\": \"ham\", \"text\": \"a\"}\n");
  write("list.jsonl", "{\"label\": [\"ham\"], \"text\": \"a\"}\n{\"label\": \"ham\", \"text\": \"a\"}\n");
  write("open.jsonl", "{\"label\": \"ham\", \"text\": \"a\"\n");
  write("plain.jsonl", "ham\n");
  write("latin.tsv", "ham\t\xb4\nspam\t\xb4\n");
  write("plain.tsv.gz", "ham\ta\n");
  write("short.toml", "[[file]]\nname = \"a.csv\"\naddress = [\"https://host.example\"]\nsha256 = \"ABC\"\n");
  write("swallow.toml", "[train]\nsteps = 5\n" + std::string("task.name = \"two-sequences\"\n"));
  write("quote.toml", "title = \"open\n[probe]\n");
  write("table.toml", toy + "intervene = { hold = \"uniform\" }\n");
  write("unnamed.toml", "task.name = \"two-sequences\"\nmodel.scale = 2\n");
  write("bare.toml", "train = { steps = 10 }\n");
  write("plural.toml", toy + "\n[[claims]]\nsays = \"x\"\n");
  write("metric.toml", toy + "\n[[claim]]\nsays = \"x\"\n");
  write("get.toml", "name = \"x\"\n");
  write("two.csv", "text,label\nabc,x\n");
  write("top.toml", "taks = { name = \"two-sequences\" }\n");
  fs::create_directory(folder_ / "folder.toml");
  {
    std::ofstream large(folder_ / "large.toml");
    const std::string line(1 << 20, '#');
    for (int i = 0; i < 100; ++i) large << line << '\n';
  }
  const std::vector<BadWords> table{
      {"run toy-unifrom", 2, {"toy-unifrom", "Did you mean 'toy-uniform'?"}},
      {"run key.toml", 2, {"key.toml:3:", "stepz", "'steps'"}},
      {"run type.toml", 2, {"type.toml:2:", "model.p must be a number"}},
      {"run negative.toml", 2, {"negative.toml:3:", "steps", "-5"}},
      {"run glimpse-plain --set model.patch=1000", 2, {"--set model.patch=1000: patches", "Set model.patch to 28"}},
      {"run nan.toml", 2, {"nan.toml:2:", "nan"}},
      {"run broken.toml", 2, {"broken.toml:1:"}},
      {"run swallow.toml",
       2,
       {"swallow.toml:3:1: [train] in line 1 contains all keys below it, and 'task' too. Move the table to the end, or "
        "write train = { … }."}},
      {"data get short.toml",
       2,
       {"the file 'a.csv' has the checksum 'ABC', and a checksum has 64 lower-case hexadecimal digits."}},
      {"data add x --train keys.jsonl", 2, {"keys.jsonl:1: has no key \"text\"", "or add --skip-bad."}},
      {"data add x --train list.jsonl", 2, {"\"label\" is a list, not a text. Write \"label\" as a text, or add "}},
      {"data add x --train open.jsonl", 2, {"open.jsonl:1: is not JSON", "and close the braces and quotes"}},
      {"data add x --train plain.jsonl", 2, {"plain.jsonl:1: is not JSON", "Write one JSON object per line."}},
      {"data add x --train plain.tsv.gz", 2, {"its name ends with .gz, and it is not packed by gzip. Remove .gz from"}},
      {"data add x --train latin.tsv --skip-bad",
       2,
       {"latin.tsv:1:5: is not UTF-8: byte 5 of this line is b4; no line of the file is valid. Save the file as "
        "UTF-8."}},
      {"predict", 2, {"no data are named. Name a task, an experiment, a corpus or a file."}},
      {"run toy-uniform toy-mistaken",
       2,
       {"Name one experiment. To reproduce several: fovea reproduce toy-uniform toy-"}},
      {"run toy-uniform --device cuda", 2, {"--device needs --engine. Add --engine torch. See: fovea run --help"}},
      {"runs merge texts", 2, {"is not a store of runs. Give the runs.db of another store."}},
      {"run top.toml", 2, {"top.toml:1:", "taks", "'task'"}},
      {"run bare.toml",
       2,
       {"no task and no model. Write as the first two lines of the file: task = { name = \"…\" } and model = "}},
      {"run plural.toml", 2, {"plural.toml:4:3: an experiment has no key 'claims'. Did you mean [[claim]]?"}},
      {"run metric.toml", 2, {"a claim has no metric. Add one, as in metric = \"share(accuracy >= 0.95)\"."}},
      {"data get get.toml", 2, {"Add the file, as in: file = [{ name = \"a.csv\", address = ["}},
      {"data add x --train two.csv --label stars", 2, {"has no column 'stars'"}},
      {"run toy-uniform --step 5", 2, {"fovea run has no option '--step'. Did you mean '--set train.steps=5'?"}},
      {"sweep toy-uniform --rate=0.1", 2, {"Did you mean '--set train.rate=0.1'?"}},
      {"run toy-uniform --vocab 60", 2, {"no option '--vocab'. To change a setting: --set KEY=VALUE. See: fovea run"}},
      {"run toy-uniform --steps=5", 2, {"no option '--steps=5'. Did you mean '--set train.steps=5'?"}},
      {"run toy-uniform --lr 0.1", 2, {"no option '--lr'. Did you mean '--set train.rate=0.1'?"}},
      {"run toy-uniform --lr 1e-3", 2, {"Did you mean '--set train.rate=1e-3'?"}},
      {"run toy-uniform --vocab=60", 2, {"no option '--vocab=60'. To change a setting: --set KEY=VALUE."}},
      {"run toy-uniform --set probe.names=loss",
       2,
       {"probe.names must be a list of texts, not \"loss\". Write [\"loss\"]."}},
      {"run toy-uniform --set 'intervene=[{hold=uniform}]'",
       2,
       {"the value is not a valid list. Put each text in quotes, and a comma between two values."}},
      {"run toy-uniform --set train.stop_when=p", 2, {"'p' is not a condition. Write a comparison, as in 'p >= 1'."}},
      {"sweep toy-uniform --set train.rate=0.1..0.5",
       2,
       {"the range '0.1..0.5' is not of integers. Write the values, as in 0.1,0.5, or a distribution: uniform("}},
      {"export 1-3 -o a.csv", 2, {"'1-3' is not the id of one run. Write every id of the range by itself."}},
      {"run toy-uniform --engine torch --device gpu", 2, {"--device cannot be 'gpu'. Did you mean 'cuda'?"}},
      {"run toy-uniform --threads 1025", 2, {"--threads must be an integer, 1 to 1024"}},
      {"predict copy --threads 1025", 2, {"--threads must be an integer, 1 to 1024"}},
      {"bench --threads 1025", 2, {"--threads must be an integer, 1 to 1024"}},
      {"sweep toy-uniform --set 'train.rate=uniform(0.1)' --draws 2",
       2,
       {"'uniform(0.1)' needs two numbers with '..'"}},
      {"report -o ''", 2, {"--output is empty. Give it a value, or leave the option out."}},
      {"export 1 --format csv -o ''", 2, {"--output is empty"}},
      {"report --figures empty.tsv", 2, {"no experiment with claims has been reproduced yet"}},
      {"plot 1 p -o .svg", 2, {"the name '.svg' has no known ending. Let the name end with .svg, .pdf or .png"}},
      {"check-attention nosuch",
       2,
       {"there is no file, folder or corpus 'nosuch'. Check the path, or see: fovea data list."}},
      {"predict made-reviews --examples empty.tsv", 2, {"empty.tsv: is empty. Write a text on each line."}},
      {"tag '' 1", 2, {"no tag is named. Write: fovea tag good 3 7."}},
      {"run missing.toml", 2, {"missing.toml", "no such file"}},
      {"run folder.toml", 2, {"folder.toml", "folder"}},
      {"run large.toml", 2, {"large.toml", "larger"}},
      {"run toy-uniform --set model.pp=1", 2, {"pp"}},
      {"run toy-uniform --set model.p=nan", 2, {"nan"}},
      {"run toy-uniform --set nonsense", 2, {"nonsense"}},
      {"run toy-uniform --set train.rate=0,01",
       2,
       {"'01' is not a number. Write a decimal number with a point: 0.01."}},
      {"sweep toy-uniform --set train.rate=0,01", 2, {"Write a decimal number with a point: 0.01."}},
      {"run toy-uniform --set 'train.rate=log(1e-3..1)'", 2, {"gives a distribution, and a run needs one value"}},
      {"run toy-uniform train.steps=10", 2, {"Write --set train.steps=10."}},
      {"run toy-uniform --set train.steps = 10", 2, {"Write --set train.steps=10 without spaces."}},
      {"run toy-uniform --set train.steps 10", 2, {"Write --set train.steps=10 without spaces."}},
      {"run toy-uniform --set data=x", 2, {"there is no setting 'data'. See: fovea list settings."}},
      {"run toy-uniform --set model.name=toy-gaet", 2, {"Did you mean 'toy-gate'?"}},
      {"run toy-uniform --engine tensorflow", 2, {"--engine cannot be 'tensorflow'. Known are: torch."}},
      {"reproduce toy-uniform --set sweep.seeds=0..4",
       2,
       {"there is no setting 'sweep.seeds'. Did you mean 'sweep.seed'?"}},
      {"reproduce toy-uniform --set seed=0..4", 2, {"--set sweep.seed=…"}},
      {"reproduce toy-uniform --set sweep.seed=0-4", 2, {"Write sweep.seed=0..4, or sweep.seed=1,2,5."}},
      {"--quick run toy-uniform",
       2,
       {"'--quick' is in front of the command. Write it after the command: fovea run … "}},
      {"help run", 2, {"there is no command 'help'. Write: fovea run --help"}},
      {"data", 2, {"fovea data needs a command: list, show, add, get, rm. See: fovea data --help"}},
      {"show 1 --step 3 --spec", 2, {"--step cannot be used with --spec"}},
      {"data get --as x", 2, {"--as needs the name of a corpus"}},
      {"runs --sort -", 2, {"--sort: nothing is named to sort by"}},
      {"runs --where 'seed = \"0\"'", 2, {"'seed' is a number, and \"0\" is a text. Write a number without quotes."}},
      {"tag --remove nope 1", 2, {"no run is tagged 'nope'. There are no tags yet."}},
      {"plot 1 p", 2, {"fovea plot needs --output FILE (the file of the figure"}},
      {"check-attention made-phrases", 2, {"the corpus 'made-phrases' has pairs of texts"}},
      {"check-attention made-reviews --label 1", 2, {"--label is an option for files, and 'made-reviews' is a corpus"}},
      {"check-attention made-reveiws", 2, {"Did you mean 'made-reviews'?"}},
      {"predict made-reveiws", 2, {"there is no task, experiment, corpus or file 'made-reveiws'", "'made-reviews'"}},
      {"data add x --train empty.tsv", 2, {"empty.tsv: is empty"}},
      {"data add x --train empty.tsv --source 1", 2, {"--target is missing"}},
      {"run toy-uniform --set train.steps=1,2", 2, {"several values", "fovea sweep"}},
      {"run toy-uniform --seed -1", 2, {"seed"}},
      {"run toy-uniform --set seed=3 --seed 5", 2, {"--set seed=3", "--seed 5", "contradict"}},
      {"sweep toy-uniform --set seed=3 --seeds 0..2", 2, {"--set seed=3", "--seeds 0..2", "contradict"}},
      {"sweep toy-uniform --set seed=0..3 --seeds 0..2", 2, {"--set seed=0..3", "--seeds 0..2", "contradict"}},
      {"run toy-uniform --set train.start=-1", 2, {"train.start must be 0 or more, not -1"}},
      {"run toy-uniform --jsn", 2, {"--jsn", "'--json'"}},
      {"rnu toy-uniform", 2, {"no command 'rnu'", "Did you mean 'run'?"}},
      {"rnu --help", 2, {"no command 'rnu'", "Did you mean 'run'?"}},
      {"--help rnu", 2, {"no command 'rnu'", "Did you mean 'run'?"}},
      {"nosuchthing --help", 2, {"no command 'nosuchthing'", "fovea --help"}},
      {"data ad --help", 2, {"no command 'data ad'", "Did you mean 'data add'?"}},
      {"reproduce", 2, {"--all"}},
      {"reproduce toy-uniform --set train.steps=10,20", 2, {"train.steps", "--set sweep.train.steps=…"}},
      {"reproduce figure.toml", 2, {"figure.toml:4:", "lins", "'lines'"}},
      {"reproduce bound.toml", 2, {"bound.toml:", "not a number"}},
      {"run toy-uniform --seed 99999999999999999999", 2, {"seed"}},
      {"reproduce toy-uniform --quick --full", 2, {"--quick cannot be used with --full"}},
      {"reproduce toy-uniform -o a.pdf", 2, {"a.pdf: the name of the report must end with .html. Name it a.html."}},
      {"reproduce nothing-like-it", 2, {"See: fovea list experiments."}},
      {"reproduce toy-uniform --claim integrated-tim", 2, {"'integrated-tim'", "Did you mean 'integrated-time'?"}},
      {"reproduce toy-uniform --claim nothing",
       2,
       {"toy-uniform has no claim 'nothing' in the quick form", "fovea reproduce toy-uniform --explain"}},
      {"show 99", 2, {"no run 99"}},
      {"run toy-uniform --series", 2, {"--series needs --json"}},
      {"run toy-uniform --seed", 2, {"--seed needs a value"}},
      {"show", 2, {"fovea show needs RUN (the id of a run). See: fovea show --help"}},
      {"show x", 2, {"'x' is not the id of a run. An id is a number. See the ids: fovea runs."}},
      {"show 999999999999999999999", 2, {"there is no run 999999999999999999999. See: fovea runs."}},
      {"compare 1", 2, {"fovea compare needs B (the run or the group"}},
      {"runs toy-uniform extra", 2, {"'extra' is one argument too many for fovea runs"}},
      {"run toy-uniform --sed 3", 2, {"Did you mean '--set' or '--seed'?"}},
      {"run toy-uniform --resume 1", 2, {"--resume takes no experiment"}},
      {"run --resume 1 --quick", 2, {"--quick", "--resume"}},
      {"run .", 2, {"there is no experiment '.'. The name of a spec file must end in .toml."}},
      {"run toy-uniform --set task.name=copy", 2, {"--set task.name=copy: model 'toy-gate' needs"}},
      {"run toy-uniform --set 'intervene=[{hold=\"uniform\", until=50]'", 2, {"a } is missing in the value"}},
      {"run toy-uniform --set 'intervene=[{hold=\"uniform\", til=5}]'", 2, {"til=5}]: the intervention 'hold' has no"}},
      {"sweep toy-uniform --set 'train.rate=normal(0..1)' --draws 2",
       2,
       {"'normal' is not a distribution", "uniform("}},
      {"reproduce toy-lowloss --set sweep.seed=5..1", 2, {"--set sweep.seed=5..1: the range '5..1' runs backwards"}},
      {"reproduce toy-uniform -o missing/r.html", 2, {"missing/r.html: there is no folder 'missing'. Make it"}},
      {"plot 1 p -o missing/a.svg", 2, {"there is no folder 'missing'"}},
      {"compare 1 2 -o missing/a.svg", 2, {"there is no folder 'missing'"}},
      {"export --all --format csv -o .", 2, {"is a folder. Name a file."}},
      {"report --format png -o a.html", 2, {"--format needs --figures"}},
      {"tag --remove", 2, {"no tag is named. Write: fovea tag --remove good 3 7."}},
      {"data add x --train a.tsv --label 1 --dev b.tsv --dev-share 0.2",
       2,
       {"--dev-share splits texts off", "--dev names"}},
      {"predict copy --label 1", 2, {"--label is an option for files, and 'copy' is not a file"}},
      {"list experiments toy", 2, {"Names that begin so: toy-uniform, "}},
      {"reproduce --all toy-uniform", 2, {"--all", "'toy-uniform'", "one of the two"}},
      {"sweep toy-uniform --seeds 5..2", 2, {"--seeds 5..2: ", "2..5"}},
      {"sweep toy-uniform --seeds x", 2, {"--seeds x: ", "is not a seed", "0..19"}},
      {"serve --for 0", 2, {"--for", "0.001", "not '0'"}},
      {"serve --address 192.0.2.1 --port 0 --for 1", 2, {"192.0.2.1 is not an address of this machine"}},
      {"data add x --train a.tsv --label 1 --dev-share 2", 2, {"--dev-share", "0 to 1"}},
      {"sweep toy-uniform --seeds -3..2", 2, {"-3 is not a seed. Seeds are integers, 0 or more: 0..19, or 1,2,5."}},
      {"sweep toy-uniform --seeds 1 2 3", 2, {"Separate seeds by commas: --seeds 1,2,3"}},
      {"sweep toy-uniform --set 'train.rate=uniform(a..b)'", 2, {"needs two numbers with '..' between them"}},
      {"sweep toy-uniform --set 'train.rate=log(1e-4..1e-2'", 2, {"a ')' is missing in 'log(1e-4..1e-2'"}},
      {"run toy-uniform --checkpoints 5,abc", 2, {"--checkpoints has 'abc', and a step is an integer", "0,1,2,4"}},
      {"run toy-uniform --seed 1 --seed 2", 2, {"--seed takes one value, and several are given. Give one."}},
      {"run toy-uniform --set train.steps=1e2", 2, {"Write 100, without a point or an exponent."}},
      {"run toy-uniform --set model=seq2seq", 2, {"there is no setting 'model'. Did you mean 'model.name'?"}},
      {"run text-classify --set task.corpus=nope", 2, {"--set task.corpus=nope: there is no corpus 'nope'"}},
      {"run quote.toml", 2, {"quote.toml:1:9: this text has an opening quote and no closing quote"}},
      {"run table.toml", 2, {"must be a list of tables", "Write it as intervene = [{ hold = "}},
      {"run unnamed.toml", 2, {"the model has no name: model.name is missing. See: fovea list models."}},
      {"list settings train.optimiser", 2, {"Did you mean 'train.optimizer'?"}},
      {"runs mrge x.db", 2, {"Did you mean 'fovea runs merge'?"}},
      {"runs mrge", 2, {"no command 'mrge'", "fovea runs merge OTHER.db"}},
      {"runs 1", 2, {"'1' is the id of a run", "To show the run: fovea show 1."}},
      {"rm 1,2", 2, {"'1,2' is not the id of one run. Separate ids by spaces: 1 2."}},
      {"remove 1", 2, {"there is no command 'remove'. Did you mean 'rm'?"}},
      {"data import x", 2, {"there is no command 'data import'. Did you mean 'data add'?"}},
      {"report x.html", 2, {"To name a file to write: -o x.html"}},
      {"gc --dry-run", 2, {"fovea gc has no option '--dry-run'. Did you mean '--dry'?"}},
      {"predict copy --set vocab=40", 2, {"--set vocab=40: ", "settings of the task", "Write task.vocab."}},
      {"predict texts --format lines", 2, {"--format cannot be 'lines'. Known are: tsv, csv, jsonl, folder."}},
      {"predict texts", 2, {"texts: its name has no known ending. Give the format: --format tsv, csv or jsonl."}},
      {"check-attention texts", 2, {"its name has no known ending. Give the format: --format tsv, csv or jsonl."}},
      {"data add x --train one.tsv", 2, {"one.tsv:1: has no column 2", "Write the text and the label in two columns"}},
      {"data add x --train one.tsv --text 1", 2, {"one.tsv: has one column, and needs two. Write the text and the"}},
      {"data add x --train key.jsonl", 2, {"key.jsonl:1: has no key \"text\"", "or add --skip-bad."}},
      {"data add x --train-target texts", 2, {"--train-target names translations, and --train is missing"}},
      {"data get key.toml", 2, {"key.toml: names no file to download. Add the file, as in: file = [{ name = "}},
      {"plot abc p -o a.svg", 2, {"'abc'", "as a metric"}},
      {"plot 99 p -o a.svg", 2, {"no run 99"}},
      {"plot 1 p -o a.bmp", 2, {".bmp"}},
      {"runs --where 'accuracy >'", 2, {"--where"}},
      {"runs --limit -2", 2, {"--limit", "-1 or more, not '-2'"}},
      {"export --all -o a.xls", 2, {"a.xls"}},
      {"export --all -o a --format cvs", 2, {"--format cannot be 'cvs'. Did you mean 'csv'?"}},
      {"export 1 --all -o a.csv", 2, {"--all", "one of the two"}},
      {"export --all --where 'seed = 1' -o a.csv", 2, {"--where", "--all"}},
      {"export -o a.csv", 2, {"no run is named"}},
      {"show 1 --spec --json", 2, {"--spec", "--json"}},
      {"list task", 2, {"'tasks'"}},
      {"list seq2seq", 2, {"Write: fovea list models seq2seq"}},
      {"run copy-subset --set task.vocab=5", 2, {"--set task.vocab=5: task 'copy' cannot draw"}},
      {"report", 2, {"no experiment with claims has been reproduced"}},
      {"report -o a.pdf", 2, {"a.pdf: the name of the report must end with .html. Name it a.html."}},
      {"report -o a.html --data", 2, {"with --data the name of the file must end with .json. Name it a.json."}},
      {"report --figures . -o a.html", 2, {"--figures", "-o"}},
      {"bench --system copyng", 2, {"copyng", "Did you mean 'copying'?"}},
      {"bench --system missing.toml", 2, {"missing.toml", "no such file"}},
      {"bench --system toy-gate --set model.pp=1", 2, {"pp"}},
      {"bench --threads 0", 2, {"--threads", "1 to 1024"}},
  };
  for (const BadWords& bad : table) {
    const Outcome outcome = fovea(bad.words);
    EXPECT_EQ(outcome.code, bad.code) << bad.words << "\n" << outcome.err;
    EXPECT_EQ(outcome.out, "") << bad.words;
    for (const char* said : bad.said) {
      EXPECT_NE(outcome.err.find(said), std::string::npos) << bad.words << "\nsays: " << outcome.err;
    }
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << bad.words << "\nsays: " << outcome.err;
  }
  EXPECT_EQ(json("runs --json")["runs"].size(), 0u);
}

TEST_F(ProgramTest, NamesThatNoRunHasAreMistakesOnceThereAreRuns) {
  ASSERT_EQ(fovea("run toy-uniform --quiet").code, 0);
  const std::vector<BadWords> table{
      {"runs toy-unifrom", 2, {"toy-unifrom", "'toy-uniform'"}},
      {"runs --sort tau_p_reach_1", 2, {"--sort", "'tau_p_reaches_1'"}},
      {"runs --where 'state = done'", 2, {"'done' is a text without quotes. Write: state = \"done\"."}},
      {"runs --where 'experiment = toy-uniform'", 2, {"Write: experiment = \"toy-uniform\"."}},
      {"runs --where 'experiment = 3'",
       2,
       {"'experiment' is a text, and 3 is a number. Put the text in quotes: \"3\"."}},
      {"runs --where 'probe.names = \"loss\"'", 2, {"'probe.names' is a list, and a condition reads no list"}},
      {"compare toy-uniform 1", 2, {"A: 'toy-uniform' is the name of an experiment", "'experiment = \"toy-uniform\"'"}},
      {"compare 1,2 3", 2, {"A: '1,2' is not the id of one run", "'id = 1 or id = 2'"}},
      {"plot 1 accuracy -o a.svg", 2, {"none of these runs has the metric 'accuracy'"}},
      {"measure 1", 2, {"run 1 is of model 'toy-gate'", "seq2seq"}},
      {"runs --where 'train.stps > 3'", 2, {"--where", "'train.steps'"}},
      {"runs --show loss descent_ordre", 2, {"--show", "'descent_order'"}},
      {"export --where 'lsos < 1' -o a.csv", 2, {"'loss'"}},
      {"export --where 'loss > 1e9' -o a.csv", 2, {"no run meets the condition"}},
      {"plot --where 'lsos < 1' loss -o a.svg", 2, {"'loss'"}},
      {"export 1 7 -o a.csv", 2, {"no run 7"}},
      {"runs --where 'p >> 1'", 2, {"column 3: there is no operator '>>'. Write '>'."}},
      {"runs --where 'p between 1 and 2'", 2, {"there is no operator 'between'. Write, for example, seed >= 1 and"}},
      {"runs --where 'steps_to_200 > 1'", 2, {"there is no 'steps_to_200'. Write steps_to_1 to steps_to_100"}},
      {"compare 1 x", 2, {"B: 'x' is neither the id of a run nor a condition. Write an id (see: fovea runs), or a"}},
      {"runs --where 'step_of(p) > 1'",
       2,
       {"column 1: step_of takes a condition, and 'p' is a number. Write a comparison, as in step_of(p >= 1)."}},
      {"runs --where 'at(0.5, 3) < 1'",
       2,
       {"column 4: the first value of 'at' is a metric, not a number. Write at(METRIC, STEP), as in at(loss, 100)."}},
      {"runs --where \"experiment = 'a'; DROP TABLE runs\"", 2, {"--where"}},
  };
  for (const BadWords& bad : table) {
    const Outcome outcome = fovea(bad.words);
    EXPECT_EQ(outcome.code, bad.code) << bad.words << "\n" << outcome.err;
    EXPECT_EQ(outcome.out, "") << bad.words;
    for (const char* said : bad.said)
      EXPECT_NE(outcome.err.find(said), std::string::npos) << bad.words << "\nsays: " << outcome.err;
  }
  EXPECT_FALSE(fs::exists(folder_ / "a.csv"));
  EXPECT_EQ(fovea("runs toy-mistaken").out, "No run of toy-mistaken yet. Begin with: fovea run toy-mistaken\n");
  EXPECT_EQ(fovea("export 1 --where 'seed = 0' -o a.jsonl").code, 0);
  const std::string lines = read(folder_ / "a.jsonl");
  EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), 1);  // named in two ways, written once
}

TEST_F(ProgramTest, MetricsOfOtherRunsAreSaidToBeTheirs) {
  ASSERT_EQ(fovea("run toy-uniform --quiet").code, 0);
  ASSERT_EQ(fovea("run toy-uniform --quiet --set 'probe.names=[\"toy-flow\", \"loss\", \"evidence\"]'").code, 0);
  ASSERT_EQ(fovea("run toy-uniform --quiet --seed 7").code, 0);
  const std::vector<BadWords> table{
      {"plot 1 evidence_accuracy -o a.svg",
       2,
       {"none of the named runs has the metric 'evidence_accuracy'. Name runs of the store that have it: 2."}},
      {"measure 1 2", 2, {"run 1 is of model 'toy-gate', whose attention is not measured here. Name a run"}},
      {"compare 1 3 --metric accuracy", 2, {"--metric: run 1 has no metric or setting 'accuracy'. See the metrics"}},
      {"compare 1 2 --metric evidence_accuracy", 2, {"run 1 has no metric or setting 'evidence_accuracy'"}},
      {"compare 'seed = 7' 2 --metric tau_p_reach_1", 2, {"Did you mean 'tau_p_reaches_1'?"}},
      {"runs --where 'model.attention = 1'", 2, {"no run has a metric or setting 'model.attention'. See the names"}},
  };
  for (const BadWords& bad : table) {
    const Outcome outcome = fovea(bad.words);
    EXPECT_EQ(outcome.code, bad.code) << bad.words << "\n" << outcome.err;
    for (const char* said : bad.said)
      EXPECT_NE(outcome.err.find(said), std::string::npos) << bad.words << "\nsays: " << outcome.err;
  }
}

}  // namespace
}  // namespace fovea
