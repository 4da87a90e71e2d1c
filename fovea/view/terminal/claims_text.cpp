#include "fovea/view/terminal/claims_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "fovea/base/number_text.h"
#include "fovea/view/canvas/canvas.h"

namespace fovea {

namespace {

TextTable::Cell verdict_cell(const ClaimResult& claim) {
  return {(claim.held ? "✓ " : "✗ ") + verdict_text(claim), claim.held ? Tone::good : Tone::bad};
}

// "needed: at least 1.5; null: 1 (both are equally fast)"
std::string needed_text(const ClaimResult& claim) {
  std::string bound = claim.wanted;
  if (bound.starts_with(">= ")) bound = "at least " + with_minus(bound.substr(3));
  if (bound.starts_with("<= ")) bound = "at most " + with_minus(bound.substr(3));
  std::string text = "needed: " + bound;
  if (!claim.text.title.empty())
    text += fmt::format("; null: {} ({})", number_text(claim.text.null), claim.text.null_means);
  return text;
}

}  // namespace

std::string verdict_text(const ClaimResult& claim) {
  switch (claim.verdict()) {
    case ClaimVerdict::supported:
      return "supported";
    case ClaimVerdict::not_supported:
      return "not supported";
    case ClaimVerdict::refuted:
      return "refutes " + claim.text.reference();
    case ClaimVerdict::not_refuted:
      return "does not refute " + claim.text.reference();
    case ClaimVerdict::no_value:
      break;
  }
  return "no value";
}

const std::string& shown_title(const ClaimResult& claim) {
  return claim.text.title.empty() ? claim.claim : claim.text.title;
}

std::string claims_table(std::span<const ClaimResult> claims, const Terminal& terminal) {
  std::string out;
  while (!claims.empty()) {
    const ClaimResult& first = claims.front();
    const auto other = [&first](const ClaimResult& claim) {
      return claim.experiment != first.experiment || claim.preset != first.preset || claim.source != first.source;
    };
    const auto end = std::ranges::find_if(claims, other);
    const auto own = claims.first(static_cast<std::size_t>(end - claims.begin()));
    claims = claims.subspan(own.size());
    TextTable table({{"verdict"},
                     {clean_utf8(first.experiment), TextTable::Align::left, true},
                     {"value", TextTable::Align::right},
                     {"threshold"},
                     {"null", TextTable::Align::right}});
    std::string notes;
    for (const ClaimResult& claim : own) {
      const bool titled = !claim.text.title.empty();
      table.row({verdict_cell(claim), shown_title(claim), number_text(claim.value), claim.wanted,
                 titled ? number_text(claim.text.null) : ""});
      if (!claim.note.empty()) notes += fmt::format("{}: {}\n", clean_utf8(shown_title(claim)), clean_utf8(claim.note));
    }
    out += (out.empty() ? "" : "\n") + table.text(terminal) + notes;
  }
  return out;
}

std::string findings_table(std::span<const FindingResult> findings, const Terminal& terminal) {
  std::string out;
  bool quick = false;
  for (const bool kept : {false, true}) {
    TextTable table(
        {{"verdict"},
         {kept ? "finding, kept result of the full form" : "finding, reproduced here", TextTable::Align::left, true}});
    for (const FindingResult& found : findings) {
      if (found.kept != kept) continue;
      const TextTable::Cell heading(found.finding.heading, Tone::strong);
      if (!found.result) {
        table.row({{"not run here", Tone::faint}, heading});
        continue;
      }
      const ClaimResult& claim = *found.result;
      quick = quick || claim.preset == word_of(Preset::quick);
      table.row({verdict_cell(claim), heading});
      table.row({"", fmt::format("measured: {} ({})", number_text(claim.value), found.finding.measures)});
      table.row({"", needed_text(claim)});
    }
    if (table.size() > 0) out += (out.empty() ? "" : "\n") + table.text(terminal);
  }
  return quick ? out + "\nThe quick form has smaller models and fewer runs than the full form.\n" : out;
}

std::string claims_explained(std::span<const ClaimResult> claims, const Terminal& terminal) {
  std::string out;
  for (const ClaimResult& claim : claims) {
    const ClaimText& text = claim.text;
    TextTable table(
        {{claim.experiment}, {claim.preset.empty() ? "" : claim.preset + " form", TextTable::Align::left, true}});
    const auto row = [&table](const std::string& field, const std::string& what) {
      if (!what.empty()) table.row({field, what});
    };
    table.row({verdict_cell(claim), {shown_title(claim), Tone::strong}});
    if (!text.title.empty()) row("says", claim.claim);
    row("name", text.name);
    row("value", number_text(claim.value));
    row("threshold", claim.wanted);
    if (!text.title.empty()) row("null", fmt::format("{}: {}", number_text(text.null), text.null_means));
    for (const ClaimText::Rival& rival : text.rivals)
      row("rival", fmt::format("{}: {}", number_text(rival.value), rival.name));
    row("metric", text.formula.empty() ? claim.metric : text.formula);
    row("of runs with", text.where);
    for (const auto& [name, expression] : text.define) row("definition", fmt::format("{} = {}", name, expression));
    row("source", text.source);
    row("note", claim.note);
    out += (out.empty() ? "" : "\n") + table.text(terminal);
  }
  return out;
}

std::string verdict_counts(std::span<const ClaimResult> claims) {
  const auto count = [&claims](ClaimVerdict verdict) {
    return std::ranges::count_if(claims, [verdict](const ClaimResult& claim) { return claim.verdict() == verdict; });
  };
  const auto refuted = count(ClaimVerdict::refuted);
  return fmt::format("{} of {} {} supported{}", count(ClaimVerdict::supported), claims.size(),
                     claims.size() == 1 ? "claim is" : "claims are",
                     refuted == 0 ? "" : fmt::format(", {} {} a source", refuted, refuted == 1 ? "refutes" : "refute"));
}

}  // namespace fovea
