#include "fovea/view/report/page.h"

#include "fovea/base/error/error.h"
#include "fovea/io/base64.h"
#include "fovea/io/packed/deflate.h"

namespace fovea {

namespace {

std::string_view& page_of_this_program() {
  static std::string_view html;
  return html;
}

// Replaces the one place where `old` stands. The page is ours, so it is there.
void replace_once(std::string& page, std::string_view old, std::string_view with) {
  const std::size_t at = page.find(old);
  if (at == std::string::npos) throw failure("the page of this program has no element for its data");
  page.replace(at, old.size(), with);
}

std::string page_of(std::string_view source) {
  std::string page(shipped_page());
  replace_once(page, "name=\"fovea-source\" content=\"site\"",
               std::string("name=\"fovea-source\" content=\"") + std::string(source) + "\"");
  return page;
}

}  // namespace

std::string_view shipped_page() { return page_of_this_program(); }
ShippedPage::ShippedPage(std::string_view html) { page_of_this_program() = html; }

std::string served_page() { return page_of("served"); }

std::string page_with_story(std::string_view story, std::string_view without_scripts) {
  constexpr int level = 6;  // another would make a story of 8 MB 1 % smaller, in more than twice the time
  std::string page = page_of("report");
  std::string data = "<script type=\"application/octet-stream\" id=\"story\">";
  data += base64(deflate(story, level, DeflateFrame::zlib));
  data += "</script>\n<noscript>";
  data += without_scripts;
  data += "</noscript>\n<div id=\"page\"></div>";
  replace_once(page, "<div id=\"page\"></div>", data);
  return page;
}

}  // namespace fovea
