#include "fovea/lab/export/export.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "fovea/base/file.h"
#include "tests/lab/store/store_sample.h"

namespace fovea {
namespace {

using namespace testing_parts;

RunRecord awkward() {
  RunRecord run = sample_run(7);
  run.id = 12;
  run.experiment = "a \"quoted\", name\nof two lines";
  run.series.clear();
  run.series["x,y"] = {{0, 10}, {0.1, HUGE_VAL}};
  run.series["z"] = {{-1}, {-std::numeric_limits<double>::quiet_NaN()}};
  run.series["empty"] = {};
  return run;
}

TEST(Export, CsvQuotesAndKeepsNumbersExact) {
  std::string out = csv_header();
  append_csv(out, awkward());
  const std::string front = "12,\"a \"\"quoted\"\", name\nof two lines\",7,";
  EXPECT_EQ(out, "run,experiment,seed,metric,step,value\n" + front + "\"x,y\",0,0.1\n" + front + "\"x,y\",10,inf\n" +
                     front + "z,-1,nan\n");
  RunRecord exact = sample_run(1);
  exact.series = {{"x", {{1, 2, 3}, {1.0 / 3, 5e-324, 1.7976931348623157e308}}}};
  out.clear();
  append_csv(out, exact);
  EXPECT_EQ(out,
            "0,copy-subset,1,x,1,0.3333333333333333\n0,copy-subset,1,x,2,5e-324\n0,copy-subset,1,x,3,1."
            "7976931348623157e+308\n");
}

TEST(Export, JsonLinesAreOneDocumentALine) {
  std::string out;
  RunRecord bad_bytes = sample_run(2);
  bad_bytes.error = "\xff";
  append_jsonl(out, awkward());
  append_jsonl(out, bad_bytes);
  ASSERT_EQ(std::ranges::count(out, '\n'), 2);
  const auto json = nlohmann::json::parse(out.substr(0, out.find('\n')));
  EXPECT_EQ(json["run"], 12);
  EXPECT_EQ(json["experiment"], awkward().experiment);
  EXPECT_EQ(json["spec"]["task"]["vocab"], 50);
  EXPECT_EQ(json["spec"]["task"]["distinct"], true);
  EXPECT_EQ(json["series"]["x,y"].dump(), R"([[0,0.1],[10,"inf"]])");
  EXPECT_EQ(json["metrics"]["z"], "nan");
  EXPECT_TRUE(json["series"]["empty"].empty());
  EXPECT_TRUE(nlohmann::json::accept(out.substr(out.find('\n') + 1)));
}

TEST(Export, FilesAreWholeAndMistakesNamed) {
  const Folder folder;
  Store store(folder / "runs.db");
  RunRecord a = sample_run(1), b = sample_run(2);
  store.keep(a);
  store.keep(b);
  export_runs(store, std::vector<std::int64_t>{b.id, a.id}, "csv", folder / "out.csv");
  std::string wanted = csv_header();
  append_csv(wanted, b);
  append_csv(wanted, a);
  EXPECT_EQ(read_file(folder / "out.csv", 1 << 20), wanted);
  const auto kind_of = [&](std::int64_t id, const std::string& format) {
    try {
      export_runs(store, std::vector<std::int64_t>{id}, format, folder / "out.csv");
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_NE(kind_of(99, "csv").find("no run 99"), std::string::npos);
  EXPECT_NE(kind_of(a.id, "cvs").find("Did you mean 'csv'"), std::string::npos) << kind_of(a.id, "cvs");
  EXPECT_EQ(read_file(folder / "out.csv", 1 << 20), wanted);
}

}  // namespace
}  // namespace fovea
