#include "fovea/view/report/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "fovea/base/duration.h"
#include "fovea/base/number_text.h"
#include "fovea/lab/analysis/findings.h"
#include "fovea/lab/analysis/kept_results.h"
#include "fovea/view/report/report_style.h"
#include "fovea/view/report/reproduced.h"
#include "fovea/view/terminal/claims_text.h"
#include "fovea/view/terminal/measures_text.h"
#include "fovea/view/terminal/shades.h"

namespace fovea {

namespace {

const auto& safe = escape_markup;

std::string counted(std::size_t count, const std::string& noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string badge(bool held, const std::string& words) {
  return fmt::format("<span class=\"{}\">{} {}</span>", held ? "held" : "broken", held ? "✓" : "✗", safe(words));
}

std::string settings_list(const std::vector<RunRecord>& runs) {
  std::string list = "<dl>\n";
  for (const auto& [key, values] : settings_of(runs)) {
    std::string text;
    for (std::size_t i = 0; i < values.size(); ++i) text += (i ? ", " : "") + values[i];
    list += fmt::format("<dt>{}</dt><dd><code>{}</code></dd>\n", safe(key), safe(text));
  }
  return list + "</dl>\n";
}

std::string figure_html(const FigureSpec& spec, const Reproduction& r, const FetchArrays& arrays,
                        const std::string& id) {
  try {
    Figure figure = make_figure(spec, r.runs, arrays);
    const std::string caption =
        figure.title.empty() ? "" : fmt::format("<figcaption>{}</figcaption>\n", safe(figure.title));
    if (figure.title.empty()) figure.title = r.experiment.title.empty() ? r.experiment.name : r.experiment.title;
    // Laid out twice: side by side, and for a phone under each other; the page shows the one that fits.
    const FigureLook wide{640, false, true, id}, narrow{330, false, true, id + "n"};
    return fmt::format("<figure>\n{}<div class=\"wide\">{}</div>\n<div class=\"narrow\">{}</div>\n</figure>\n", caption,
                       figure_svg(figure, wide), figure_svg(figure, narrow));
  } catch (const Error& error) {
    return fmt::format("<p class=\"problem\">This figure could not be drawn. {}</p>\n", safe(error.what()));
  }
}

std::string claims_of(const Reproduction& r) {
  if (r.claims.empty()) return {};
  std::string html =
      "<h4>Claims</h4>\n<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Claims\"><table "
      "class=\"claims\">\n<thead><tr>"
      "<th scope=\"col\">Verdict</th><th scope=\"col\">Claim</th><th scope=\"col\" class=\"number\">Value</th><th "
      "scope=\"col\">Threshold</th><th scope=\"col\" class=\"number\">Null value</th></tr></thead>\n<tbody>\n";
  for (const ClaimResult& claim : r.claims) {
    const ClaimText& text = claim.text;
    html += fmt::format("<tr><td class=\"word\">{}</td><td>{}", badge(claim.held, verdict_text(claim)),
                        safe(shown_title(claim)));
    if (!text.title.empty()) html += fmt::format("<br><span class=\"soft\">{}</span>", safe(claim.claim));
    if (!claim.metric.empty()) html += fmt::format("<br><code class=\"soft\">{}</code>", safe(claim.metric));
    for (const ClaimText::Rival& rival : text.rivals)
      html += fmt::format("<br><span class=\"soft\">Rival: {}, {}</span>", safe(rival.name), number_text(rival.value));
    if (!claim.note.empty()) html += fmt::format("<br><span class=\"soft\">{}</span>", safe(claim.note));
    html += fmt::format(
        "</td><td class=\"number\" data-head=\"Value\">{}</td><td class=\"word\" data-head=\"Threshold\">{}</td>"
        "<td class=\"number\" data-head=\"Null value\">{}</td></tr>\n",
        number_text(claim.value), safe(claim.wanted),
        text.title.empty()
            ? ""
            : fmt::format("<span title=\"{}\">{}</span>", safe(text.null_means), number_text(text.null)));
  }
  return html + "</tbody></table></div>\n";
}

std::string runs_html(const Reproduction& r, const Wording& wording) {
  double seconds = 0;
  std::size_t failed = 0;
  std::string errors;
  for (const RunRecord& run : r.runs) {
    seconds += run.seconds;
    if (run.state != RunState::failed) continue;
    if (++failed <= 5)
      errors += fmt::format("<p class=\"problem\">Seed {} failed. {}</p>\n", run.spec.seed, safe(run.error));
  }
  std::string html = errors;
  html += fmt::format(
      "<details><summary>Settings, seeds and how to run it again</summary>\n<pre>{}</pre>\n",
      safe(wording.remedy(Remedy::reproduce(r.experiment.name, word_of(r.preset), r.preset == Preset::quick))));
  html += fmt::format("<p>{}, seeds {}; {} of computing.</p>\n", counted(r.runs.size(), "run"),
                      safe(seeds_text(r.runs)), duration_text(seconds));
  if (!r.runs.empty()) {
    const RunRecord& first = r.runs.front();
    html += fmt::format("<p class=\"soft\">Version {}; {}; first run started {}.</p>\n", safe(first.version),
                        safe(first.machine), safe(first.started));
  }
  return html + settings_list(r.runs) + "</details>\n";
}

std::string anchor_of(std::size_t index) { return fmt::format("experiment-{}", index + 1); }

// The findings, each with a link to its experiment if that is one of `all`.
std::string findings_html(const std::vector<const Reproduction*>& all, std::span<const FindingResult> findings) {
  std::string html =
      "<section aria-labelledby=\"findings\"><h2 id=\"findings\">Findings</h2>\n<div class=\"scroll\" "
      "tabindex=\"0\" role=\"region\" aria-label=\"Findings\"><table class=\"claims\">\n<thead><tr><th "
      "scope=\"col\">Verdict</th><th scope=\"col\">Finding</th><th scope=\"col\" class=\"number\">Value</th><th "
      "scope=\"col\">Threshold</th></tr></thead>\n<tbody>\n";
  for (const FindingResult& found : findings) {
    std::string heading = safe(found.finding.heading);
    for (std::size_t i = 0; i < all.size(); ++i)
      if (all[i]->experiment.name == found.finding.experiment && all[i]->experiment.source.empty())
        heading = fmt::format("<a href=\"#{}\">{}</a>", anchor_of(i), heading);
    const std::optional<ClaimResult>& result = found.result;
    html += fmt::format(
        "<tr><td class=\"word\">{}</td><td>{}<br><span class=\"soft\">{}{} Value: {}.</span></td><td class=\"number\" "
        "data-head=\"Value\">{}</td><td class=\"word\" data-head=\"Threshold\">{}</td></tr>\n",
        result ? badge(result->held, verdict_text(*result)) : "not run here", heading, safe(found.finding.why),
        found.kept ? " Kept result of the full form; the quick form does not test it." : "",
        safe(found.finding.measures), result ? number_text(result->value) : "", result ? safe(result->wanted) : "");
  }
  return html + "</tbody></table></div>\n</section>\n";
}

std::string not_supported_html() {
  std::string html =
      "<section aria-labelledby=\"not-supported\"><h2 id=\"not-supported\">What was not supported</h2>\n<p>Claims of "
      "full forms that failed when the full forms were last run. These are kept results, not results of the runs "
      "above.</p>\n";
  for (const KeptFailure& failure : kept_failures()) {
    html += fmt::format("<h3><span class=\"name\">{}{}</span></h3>\n", safe(failure.experiment),
                        failure.corpus.empty() ? "" : " on " + safe(failure.corpus));
    for (const ClaimResult& claim : failure.claims)
      html += fmt::format("<p>{} {} <span class=\"soft\">Value {}, threshold {}.</span></p>\n",
                          badge(claim.held, verdict_text(claim)), safe(shown_title(claim)), number_text(claim.value),
                          safe(claim.wanted));
    html += fmt::format("<p>{}</p>\n", safe(failure.says));
  }
  return html + "</section>\n";
}

std::string summary_html(const std::vector<const Reproduction*>& all) {
  std::vector<ClaimResult> claims;
  std::size_t runs = 0;
  for (const Reproduction* r : all) {
    claims.insert(claims.end(), r->claims.begin(), r->claims.end());
    runs += r->runs.size();
  }
  std::string html = fmt::format(
      "<section aria-labelledby=\"summary\"><h2 id=\"summary\">Results by experiment</h2>\n<p class=\"toll\">{}, in "
      "{} and {}.</p>\n",
      verdict_counts(claims), counted(all.size(), "experiment"), counted(runs, "run"));
  html +=
      "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Summary of "
      "experiments\"><table>\n<thead><tr><th scope=\"col\">Experiment</th>"
      "<th scope=\"col\">Claims</th><th scope=\"col\" class=\"number\">Runs</th><th scope=\"col\" "
      "class=\"number\">Time</th></tr></thead>\n<tbody>\n";
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Reproduction& r = *all[i];
    const std::size_t good = as_stated(r);
    const std::string verdict =
        r.claims.empty() ? "–" : badge(good == r.claims.size(), fmt::format("{} of {}", good, r.claims.size()));
    html += fmt::format(
        "<tr><td><a href=\"#{}\">{}</a><br><span class=\"name\">{}</span></td><td class=\"word\">{}</td><td "
        "class=\"number\">{}</td><td class=\"number\">{}</td></tr>\n",
        anchor_of(i), safe(r.experiment.title.empty() ? r.experiment.name : r.experiment.title),
        safe(r.experiment.name), verdict, r.runs.size(), duration_text(r.seconds));
  }
  return html + "</tbody></table></div>\n</section>\n";
}

std::string experiment_html(const Reproduction& r, std::size_t index, const FetchArrays& arrays,
                            const Wording& wording) {
  const Experiment& e = r.experiment;
  std::string html =
      fmt::format("<section aria-labelledby=\"{0}\">\n<h3 id=\"{0}\">{1} <span class=\"name\">{2}</span></h3>\n",
                  anchor_of(index), safe(e.title.empty() ? e.name : e.title), safe(e.name));
  if (!e.idea.empty()) html += fmt::format("<p>{}</p>\n", safe(e.idea));
  for (std::size_t k = 0; k < e.figures.size(); ++k)
    html += figure_html(e.figures[k], r, arrays, fmt::format("f{}-{}", index + 1, k + 1));
  if (r.measures) html += measures_html(*r.measures);
  for (const ExampleView& seen : r.examples) html += shades_html(seen);
  return html + claims_of(r) + runs_html(r, wording) + "</section>\n";
}

}  // namespace

std::string report_html(std::span<const Reproduction> reproductions, const FetchArrays& arrays,
                        const ReportFacts& facts, const Wording& wording) {
  const std::vector<const Reproduction*> all = in_order_of_the_tour(reproductions);
  std::string html = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
      "content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"fovea-source\" content=\"report\">\n<title>{0}</title>\n<style>{1}</style>\n</head>\n<body>\n<a "
      "class=\"skip\" href=\"#findings\">To the "
      "findings</a>\n<header>\n<h1>{0}</h1>\n"
      "<p>How does attention learn its position? The account that is tested here has two stages. While attention is "
      "still uniform, a model learns from co-occurrence which input word goes with which output. Only then does "
      "attention have a reason to move to that word. Each experiment below shows, breaks or measures a part of this "
      "account. Its claims are tested on the runs.</p>\n</header>\n<main>\n",
      safe(facts.title), report_style);
  html += findings_html(all, results_of_findings(reproductions));
  html += summary_html(all);
  std::string chapter;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string& system = all[i]->experiment.system;
    if (i == 0 || system != chapter) {
      std::string heading = system.empty() ? "Other experiments" : system;
      if (heading[0] >= 'a' && heading[0] <= 'z') heading[0] = static_cast<char>(heading[0] - 'a' + 'A');
      html += fmt::format("<h2>{}</h2>\n", safe(heading));
      chapter = system;
    }
    html += experiment_html(*all[i], i, arrays, wording);
  }
  html += not_supported_html();
  html += "</main>\n<footer class=\"soft\">\n<p>";
  html += fmt::format("Made by Fovea {}{}{}.", safe(facts.version), facts.made.empty() ? "" : " on " + safe(facts.made),
                      facts.machine.empty() ? "" : ", " + safe(facts.machine));
  html +=
      " The same experiment and seed give the same numbers on any number of "
      "threads.</p>\n</footer>\n</body>\n</html>\n";
  return html;
}

std::string claims_html(std::span<const Reproduction> reproductions, const Wording& wording) {
  std::string html = fmt::format(
      "<main>\n<h1>What came out</h1>\n<p>The figures of this page are drawn by a script, and scripts are switched off "
      "here: {}.</p>\n",
      safe(wording.remedy(Remedy::reproduce_plain())));
  html += findings_html({}, results_of_findings(reproductions));
  for (const Reproduction* r : in_order_of_the_tour(reproductions)) {
    const Experiment& e = r->experiment;
    html +=
        fmt::format("<section>\n<h2>{}</h2>\n{}</section>\n", safe(e.title.empty() ? e.name : e.title), claims_of(*r));
  }
  return html + not_supported_html() + "</main>\n";
}

}  // namespace fovea
