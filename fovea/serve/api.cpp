#include "fovea/serve/api.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <system_error>

#include "fovea/base/error/error.h"
#include "fovea/base/error/names.h"
#include "fovea/base/old_names.h"
#include "fovea/base/version.h"
#include "fovea/lab/analysis/reproduce.h"
#include "fovea/lab/record/machine.h"
#include "fovea/lab/record/record_json.h"
#include "fovea/lab/store/store.h"
#include "fovea/serve/answers.h"
#include "fovea/serve/group_answers.h"
#include "fovea/serve/run_answers.h"
#include "fovea/view/plot/run_data.h"
#include "fovea/view/report/page.h"
#include "fovea/view/report/story.h"

namespace fovea {

namespace {

constexpr std::int64_t runs_at_once = 2000;

RunQuery read_query(const HttpRequest& request, const Store& store) {
  RunQuery query;
  query.experiment = request.asked("experiment");
  if (const std::string where = request.asked("where"); !where.empty())
    query.where = Expression::parse(where, {"where"});
  query.sort = request.asked("sort").empty() ? "-id" : request.asked("sort");
  query.limit = runs_at_once;
  if (const std::string limit = request.asked("limit"); !limit.empty())
    query.limit = read_number(limit, "limit", 1, runs_at_once);
  if (!query.experiment.empty()) store.require_experiment(query.experiment);
  return query;
}

Json about() { return {{"name", "fovea"}, {"version", version()}, {"machine", machine_line()}}; }

Json names(const Store& store) {
  const Store::Names known = store.names();
  return {{"experiments", known.experiments},
          {"metrics", known.metrics},
          {"settings", known.settings},
          {"runs", store.count()}};
}

Json experiments(const Store& store) {
  std::vector<ClaimResult> claims = store.claims();
  Json list = Json::array();
  for (const std::string& name : experiment_names()) {
    const Experiment experiment = find_experiment(name);
    Json one{{"name", experiment.name},
             {"title", experiment.title},
             {"idea", experiment.idea},
             {"system", experiment.system},
             {"order", experiment.order}};
    add_texts(claims, experiment);
    Json& verdicts = one["claims"] = Json::array();
    for (const ClaimResult& claim : claims)
      if (claim.experiment == name && claim.source.empty()) verdicts.push_back(claim_json(claim));
    list.push_back(std::move(one));
  }
  return {{"findings", findings_json(results_of_findings(claims))},
          {"experiments", list},
          {"not_supported", not_supported_json()}};
}

Json runs(const HttpRequest& request, const Store& store) {
  refuse_unknown(request, {"experiment", "where", "sort", "limit"});
  std::int64_t matched = 0;
  Json list = Json::array();
  for (const RunRecord& run : store.query(read_query(request, store), &matched)) list.push_back(run_json(run, false));
  return {{"matched", matched}, {"runs", std::move(list)}};
}

// One line a run: what a metric came to over the steps.
Json lines(const HttpRequest& request, const Store& store) {
  refuse_unknown(request, {"experiment", "where", "sort", "limit", "metric"});
  const std::string metric = report_old_name(NameKind::metric, request.asked("metric"));
  if (metric.empty()) throw wrong_input("no metric is named", "add metric=accuracy, or another");
  const Quantity quantity(metric, {"metric"});
  const Expression read = Expression::parse(metric, {"metric"}).require_single_run();
  store.require_known(read.names(), {"metric"});
  RunQuery query = read_query(request, store);
  query.with_series = true;
  const std::set<std::string> columns = read.columns();
  query.columns.emplace(columns.begin(), columns.end());
  std::int64_t matched = 0;
  Json list = Json::array();
  for (const RunRecord& run : store.query(query, &matched)) {
    const Series series = run.series.empty() ? Series() : quantity.over_steps(run);
    if (series.steps.empty()) continue;
    Json values = Json::array();
    for (const double value : series.values) values.push_back(number_json(value));
    list.push_back({{"run", run.id},
                    {"experiment", run.experiment},
                    {"seed", run.spec.seed},
                    {"state", state_name(run.state)},
                    {"steps", series.steps},
                    {"values", std::move(values)}});
  }
  return {{"metric", metric}, {"matched", matched}, {"lines", std::move(list)}};
}

// As the page tells it: of an experiment that was not reproduced yet, what is asked and no more.
HttpAnswer told(const HttpRequest& request, const Store& store, const std::string& name) {
  refuse_unknown(request, {});
  const std::vector<std::string> known = experiment_names();
  if (std::ranges::find(known, name) == known.end())
    return error_answer(404, fmt::format("there is no experiment '{}'", name), suggest_name(name, known).text());
  const Experiment experiment = find_experiment(name);
  const std::optional<Reproduction> found = reproduced_before(store, experiment);
  return json_answer(
      told_json(found ? *found : Reproduction{experiment, Preset::quick, {}, {}, 0}, store.fetch_arrays()));
}

HttpAnswer wrong_method(const char* allowed) {
  HttpAnswer refusal = error_answer(405, fmt::format("this address takes {}", allowed));
  refusal.headers.emplace_back("Allow", allowed);
  return refusal;
}

// "/api/jobs", "/api/jobs/3/stop": what is after "/api/jobs".
HttpAnswer job_answer(const HttpRequest& request, Jobs& jobs, std::string_view rest) {
  refuse_unknown(request, {});
  const bool reads = request.method == "GET";
  if (rest.empty()) {
    if (reads) return json_answer(jobs.list());
    if (request.method != "POST") return wrong_method("GET, HEAD, POST");
    HttpAnswer made = json_answer(jobs.start(JobOrder::parse(request.body)));
    made.status = 201;
    return made;
  }
  constexpr std::string_view stop = "/stop";
  if (!rest.starts_with('/') || !rest.ends_with(stop) || rest.size() <= stop.size() + 1)
    return error_answer(404, "there is nothing at this address", "docs/reference/http-api.md lists all addresses");
  if (request.method != "POST") return wrong_method("POST");
  const std::string number(rest.substr(1, rest.size() - 1 - stop.size()));
  if (!jobs.stop(read_number(number, "the job", 1, std::int64_t{1} << 62)))
    return error_answer(404, fmt::format("there is no job {}", number), "/api/jobs lists them");
  return json_answer(jobs.list());
}

HttpAnswer bets_answer(const HttpRequest& request, Bets& bets) {
  if (request.method == "POST") {
    refuse_unknown(request, {});
    return json_answer(bets.take(request.body));
  }
  if (request.method != "GET") return wrong_method("GET, HEAD, POST");
  refuse_unknown(request, {"question"});
  return json_answer(bets.of(request.asked("question")));
}

}  // namespace

HttpAnswer Api::answer(const HttpRequest& request) const {
  const std::string_view path = request.path;
  constexpr std::string_view of_jobs = "/api/jobs";
  if (jobs_ && (path == of_jobs || path.starts_with("/api/jobs/")))
    return job_answer(request, *jobs_, path.substr(of_jobs.size()));
  if (bets_ && path == "/api/bets") return bets_answer(request, *bets_);
  if (request.method != "GET") return wrong_method("GET, HEAD");
  if (path == "/" || path == "/index.html") {
    if (shipped_page().empty())
      return error_answer(404, "this program was built without its page",
                          "install nodejs and npm and build it again; /api/runs and the like are there");
    return {.type = "text/html; charset=utf-8", .body = served_page()};
  }
  if (path == "/favicon.ico") return {.status = 204, .type = "image/x-icon"};
  if (path == "/api/about") {
    refuse_unknown(request, {});
    return json_answer(about());
  }
  constexpr std::string_view of_run = "/api/runs/", of_experiment = "/api/experiments/";
  const bool known = path == "/api/names" || path == "/api/experiments" || path == "/api/runs" ||
                     path == "/api/lines" || path == "/api/groups" || path.starts_with(of_run) ||
                     path.starts_with(of_experiment);
  if (!known)
    return error_answer(404, "there is nothing at this address", "docs/reference/http-api.md lists all addresses");
  // Opened anew for each question: another process may be making it, or have put another in its place.
  const Store store(store_file_, Store::Mode::read_only);
  if (path.starts_with(of_run)) return run_answer(request, store, path.substr(of_run.size()));
  if (path.starts_with(of_experiment)) return told(request, store, std::string(path.substr(of_experiment.size())));
  if (path == "/api/runs") return json_answer(runs(request, store));
  if (path == "/api/lines") return json_answer(lines(request, store));
  if (path == "/api/groups") return json_answer(groups_json(request, store));
  refuse_unknown(request, {});
  return json_answer(path == "/api/names" ? names(store) : experiments(store));
}

std::optional<HttpEvent> Api::news() {
  // Every change of the store is written to its file or to the log beside it; readers leave an empty log.
  std::string now;
  std::error_code error;
  for (const std::string& file : {store_file_.string(), store_file_.string() + "-wal"}) {
    const auto size = std::filesystem::file_size(file, error);
    const auto time = std::filesystem::last_write_time(file, error);
    if (!error && size > 0) now += fmt::format("{} {};", size, time.time_since_epoch().count());
  }
  if (now == seen_) return std::nullopt;
  seen_ = now;
  const Store store(store_file_, Store::Mode::read_only);
  return HttpEvent{"runs", json_text(Json{{"count", store.count()}})};
}

}  // namespace fovea
