// For tests of canvases: a drawing that calls each function of one.
#pragma once

#include "fovea/view/canvas/canvas.h"

namespace fovea {

inline void draw_everything(Canvas& canvas) {
  const Point points[] = {{10, 10}, {50.123456, 40}, {90, 20}};
  canvas.begin_clip({0, 0, 100, 80});
  canvas.polyline(points, {Color::rgb(0x0072b2), 1.5, {4, 2}});
  canvas.polygon(points, Color::rgb(0xd55e00).faded(0.3), no_edge());
  canvas.circle({50, 50}, 8, Color::rgb(0x009e73), {Color::ink(), 1, {}});
  canvas.rectangle({60, 50, 20, 10}, Color::none(), {Color::muted(), 1, {}});
  canvas.end_clip();
  canvas.text({50, 70}, "<β₀ & “p”>", {10, Color::ink(), Anchor::middle, -90, true});
  canvas.image({5, 60, 10, 10}, {2, 1, {255, 0, 0, 0, 0, 255}});
}

}  // namespace fovea
