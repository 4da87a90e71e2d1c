// The page (web/), one HTML file built into the program (room view/report). `fovea serve` sends it, and report files
// contain it. A text inside the file names the location of its data.
#pragma once

#include <string>
#include <string_view>

namespace fovea {

// As it lies on a host of static files. Empty where the program was built without it.
std::string_view shipped_page();

// Who links the page has one of these (cmake/page.cmake).
struct ShippedPage {
  explicit ShippedPage(std::string_view html);
};

// Told that the server that sends it has runs to show.
std::string served_page();

// With a story (view/report/story.h) in it, packed, and what is shown if no scripts are run.
std::string page_with_story(std::string_view story, std::string_view without_scripts);

}  // namespace fovea
