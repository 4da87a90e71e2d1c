#include "fovea/serve/api.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include "fovea/base/error/error.h"
#include "fovea/lab/analysis/reproduce.h"
#include "fovea/lab/record/json.h"
#include "tests/lab/store/store_sample.h"

namespace fovea {
namespace {

class ApiTest : public testing::Test {
 protected:
  ApiTest() : api_(folder_ / "runs.db") {}

  void keep(int runs) {
    Store store(folder_ / "runs.db");
    for (int seed = 0; seed < runs; ++seed) {
      RunRecord run = testing_parts::sample_run(static_cast<std::uint64_t>(seed));
      run.arrays.push_back({"attention", 200, {1, 2, 2}, {0.5f, 0.5f, 1.0f, 0.0f}});
      store.keep(run);
    }
  }

  HttpAnswer ask(const std::string& target, const std::string& method = "GET") const {
    HttpRequest request;
    request.method = method;
    read_target(target, request);
    return api_.answer(request);
  }
  Json get(const std::string& target) const {
    const HttpAnswer answer = ask(target);
    EXPECT_EQ(answer.status, 200) << target << answer.body;
    return Json::parse(answer.body);
  }

  testing_parts::Folder folder_;
  Api api_;
};

TEST_F(ApiTest, AnEmptyStoreHasNoRuns) {
  EXPECT_EQ(get("/api/runs")["runs"].size(), 0u);
  EXPECT_EQ(get("/api/names")["metrics"].size(), 0u);
  EXPECT_GT(get("/api/experiments")["experiments"].size(), 10u);  // the shipped ones
  EXPECT_FALSE(std::filesystem::exists(folder_ / "runs.db"));     // reading makes nothing
}

TEST_F(ApiTest, RunsAreFoundByConditionAndOrder) {
  keep(6);
  const Json all = get("/api/runs");
  EXPECT_EQ(all["matched"], 6);
  EXPECT_EQ(all["runs"][0]["run"], 6);  // the newest first
  EXPECT_EQ(get("/api/names")["runs"], 6);
  EXPECT_EQ(all["runs"][0]["settings"]["task"]["vocab"], 60);
  const Json some = get("/api/runs?experiment=copy-subset&where=seed%20%3E%3D%202&sort=seed&limit=3");
  EXPECT_EQ(some["matched"], 4);
  ASSERT_EQ(some["runs"].size(), 3u);
  EXPECT_EQ(some["runs"][0]["seed"], 2);
  EXPECT_EQ(some["runs"][0]["metrics"]["accuracy"], 0.002);
}

TEST_F(ApiTest, LinesAreTheSeriesOfOneMetric) {
  keep(2);
  const Json lines = get("/api/lines?metric=loss&sort=seed");
  ASSERT_EQ(lines["lines"].size(), 2u);
  EXPECT_EQ(lines["lines"][1]["steps"], Json({0, 100, 200}));
  EXPECT_EQ(lines["lines"][1]["values"], Json({3.5, 2.0, 1 - 0.001}));
}

TEST_F(ApiTest, AHeldRunIsAnsweredAsItTrains) {
  {
    Store store(folder_ / "runs.db");
    for (const bool held : {false, true}) {
      RunRecord run = testing_parts::sample_run(held);
      if (held) run.series["accuracy_held"] = {run.series["accuracy"].steps, {0.1, 0.2, 0.3}};
      store.keep(run);
    }
  }
  const Json runs = get("/api/runs?sort=-as_trained(accuracy)")["runs"];
  EXPECT_EQ(runs[0]["run"], 2);
  EXPECT_EQ(runs[0]["as_trained"], (Json{{"accuracy", 0.3}}));
  EXPECT_FALSE(runs[1].contains("as_trained"));
  const Json lines = get("/api/lines?metric=as_trained(accuracy)&sort=seed")["lines"];
  EXPECT_EQ(lines[1]["values"], Json({0.1, 0.2, 0.3}));
  EXPECT_EQ(lines[0], get("/api/lines?metric=accuracy&sort=seed")["lines"][0]);
  const Json groups = get("/api/groups?metric=as_trained(accuracy)&by=seed")["groups"];
  EXPECT_EQ(groups[1]["median"], 0.3);
}

TEST_F(ApiTest, ARunTrainsWithoutAHoldThatEnded) {
  {
    Store store(folder_ / "runs.db");
    RunRecord run = testing_parts::sample_run(0);
    run.series["accuracy_held"] = {{0}, {0.1}};
    store.keep(run);
  }
  const Json run = get("/api/runs")["runs"][0];
  EXPECT_EQ(run["as_trained"], (Json{{"accuracy", run["metrics"]["accuracy"]}}));
}

TEST_F(ApiTest, ARunHasItsSeriesSpecAndArrays) {
  keep(1);
  const Json run = get("/api/runs/1");
  EXPECT_EQ(run["series"]["loss"][0], Json({0, 3.5}));
  EXPECT_NE(run["spec"].get<std::string>().find("task.vocab = 40"), std::string::npos);
  const Json arrays = get("/api/runs/1/arrays?name=attention");
  ASSERT_EQ(arrays["arrays"].size(), 1u);
  EXPECT_EQ(arrays["arrays"][0]["values"], Json({0.5, 0.5, 1.0, 0.0}));
}

TEST_F(ApiTest, ARunSaysWhichArraysItHasAndGivesOneExample) {
  keep(1);
  const Json arrays = get("/api/runs/1")["arrays"];
  const auto attention = std::ranges::find(arrays, Json("attention"), [](const Json& one) { return one["name"]; });
  ASSERT_NE(attention, arrays.end());
  EXPECT_EQ((*attention)["steps"], Json::array({200}));
  EXPECT_EQ(get("/api/runs/1/arrays?name=attention&example=0")["arrays"][0]["shape"], Json({1, 2, 2}));
  EXPECT_THROW(ask("/api/runs/1/arrays?name=attention&example=1"), Error);
}

TEST_F(ApiTest, GroupsAreComparedWithOneOfThem) {
  keep(6);
  const Json groups = get("/api/groups?metric=accuracy&by=task.vocab&against=60");
  ASSERT_EQ(groups["groups"].size(), 3u);  // 40, 50 and 60, two seeds each
  EXPECT_EQ(groups["against"], 60);
  EXPECT_EQ(get("/api/groups?metric=accuracy&by=task.vocab&against=60.0")["against"], 60);
  EXPECT_EQ(groups["groups"][0]["value"], 40);
  EXPECT_TRUE(groups["groups"][0].contains("test"));
  EXPECT_FALSE(groups["groups"][2].contains("test"));
  EXPECT_EQ(groups["groups"][2]["runs"], 2);
  EXPECT_FALSE(groups["groups"][2].contains("interval"));  // of two runs
  EXPECT_EQ(groups["groups"][2]["range"].size(), 2u);
  EXPECT_EQ(groups["groups"][0]["test"].at("problem"),
            "no pair of runs has the same seed and the other settings alike");
  for (const char* path :
       {"/api/groups?metric=accuracy", "/api/groups?by=task.vocab", "/api/groups?metric=nothing&by=task.vocab",
        "/api/groups?metric=accuracy&by=nothing", "/api/groups?metric=accuracy&by=accuracy",
        "/api/groups?metric=accuracy&by=task.vocab&against=7"})
    EXPECT_THROW(ask(path), Error) << path;
}

TEST_F(ApiTest, FewPairsHaveARangeAndNoInterval) {
  keep(1);
  {
    Store store(folder_ / "runs.db");
    RunRecord other = testing_parts::sample_run(0);
    other.spec.task = {{"name", testing_parts::value("copy")},
                       {"vocab", testing_parts::value(60)},
                       {"distinct", testing_parts::value(true)}};
    other.hash = other.spec.hash();
    store.keep(other);
  }
  const Json groups = get("/api/groups?metric=accuracy&by=task.vocab&against=60");
  const Json& test = groups["groups"].at(0).at("test");
  EXPECT_EQ(test.at("pairs"), 1);
  EXPECT_EQ(test.at("range").size(), 2u);
  EXPECT_TRUE(test.at("low").is_null());
}

TEST_F(ApiTest, GroupsAreOfTheRunsThatAreDone) {
  keep(6);
  {
    Store store(folder_ / "runs.db");
    RunRecord stopped = testing_parts::sample_run(6);
    stopped.state = RunState::stopped;
    store.keep(stopped);
  }
  const Json groups = get("/api/groups?metric=accuracy&by=task.vocab");
  EXPECT_EQ(groups["left_out"], 1);
  std::size_t runs = 0;
  for (const Json& group : groups["groups"]) runs += group["runs"].get<std::size_t>();
  EXPECT_EQ(runs, 6u);
}

TEST_F(ApiTest, WhatIsNotThereIsSaid) {
  keep(1);
  for (const char* path : {"/nothing", "/api", "/api/", "/api/runs/2", "/api/runs/1/weights", "/api/runs/1/arrays/x"})
    EXPECT_EQ(ask(path).status, 404) << path;
  for (const char* path :
       {"/api/runs/x", "/api/runs/0", "/api/runs/-1", "/api/runs/1e3", "/api/runs/99999999999999999999", "/api/runs/",
        "/api/runs?where=accuracy%20%3E", "/api/runs?where=nothing%20%3E%201", "/api/runs?sort=nothing",
        "/api/runs?limit=0", "/api/runs?limit=1000000", "/api/runs?limit=x", "/api/runs?experiment=nothing",
        "/api/runs?were=1", "/api/lines", "/api/lines?metric=nothing", "/api/names?x=1", "/api/about?x"})
    EXPECT_THROW(ask(path), Error) << path;
  EXPECT_EQ(ask("/api/runs", "POST").status, 405);
}

TEST_F(ApiTest, AnExperimentIsToldAsItWasReproduced) {
  const Json untold = get("/api/experiments/toy-uniform");
  EXPECT_TRUE(untold["claims"].empty() && untold["figures"].empty());
  EXPECT_FALSE(untold["idea"].get<std::string>().empty());
  {
    Store store(folder_ / "runs.db");
    reproduce(store, find_experiment("toy-uniform"), Preset::quick, {}, {});
  }
  const Json told = get("/api/experiments/toy-uniform");
  EXPECT_GT(told["claims"].size(), 2u);
  EXPECT_EQ(told["form"], "quick");
  EXPECT_TRUE(told["figures"][0]["wide"].get<std::string>().starts_with("<svg"));
  for (const char* path :
       {"/api/experiments/nothing", "/api/experiments/", "/api/experiments/..x", "/api/experiments/a/b"})
    EXPECT_EQ(ask(path).status, 404) << path;
  EXPECT_THROW(ask("/api/experiments/toy-uniform?form=full"), Error);
}

TEST_F(ApiTest, WhatIsStartedIsListedAndStopped) {
  std::atomic<int> orders{0};
  Jobs jobs([&](const JobOrder&, const SweepOptions& options) {
    ++orders;
    while (!*options.stop) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    SweepProgress stopped;
    stopped.total = stopped.stopped = 1;
    return stopped;
  });
  const Api api(folder_ / "runs.db", &jobs);
  const auto ask_it = [&](const std::string& method, const std::string& target, const std::string& body = {}) {
    HttpRequest request;
    request.method = method;
    request.body = body;
    read_target(target, request);
    return api.answer(request);
  };
  EXPECT_EQ(ask_it("POST", "/api/jobs", R"({"experiment": "toy-uniform"})").status, 201);
  while (orders == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  // Reading stops nothing, whatever is read.
  EXPECT_EQ(ask_it("GET", "/api/jobs/1/stop").status, 405);
  EXPECT_EQ(ask_it("DELETE", "/api/jobs").status, 405);
  EXPECT_EQ(Json::parse(ask_it("GET", "/api/jobs").body)["jobs"][0]["state"], "running");
  for (const char* path : {"/api/jobs/", "/api/jobs/1", "/api/jobs//stop", "/api/jobs/2/stop", "/api/jobs/1/stop/x"})
    EXPECT_EQ(ask_it("POST", path).status, 404) << path;
  EXPECT_THROW(ask_it("POST", "/api/jobs/x/stop"), Error);
  EXPECT_THROW(ask_it("POST", "/api/jobs", "{}"), Error);
  EXPECT_THROW(ask_it("POST", "/api/jobs?experiment=toy-uniform"), Error);
  EXPECT_EQ(ask_it("POST", "/api/jobs/1/stop").status, 200);
  EXPECT_EQ(ask("/api/jobs").status, 404);  // of a server that starts nothing
}

TEST_F(ApiTest, NewsAreToldOnce) {
  EXPECT_FALSE(api_.news());
  keep(1);
  const auto news = api_.news();
  ASSERT_TRUE(news);
  EXPECT_EQ(news->name, "runs");
  EXPECT_EQ(news->data, R"({"count":1})");
  EXPECT_FALSE(api_.news());
  keep(2);
  EXPECT_TRUE(api_.news());
}

}  // namespace
}  // namespace fovea
