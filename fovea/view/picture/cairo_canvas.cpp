#include "fovea/view/picture/cairo_canvas.h"

#include <cairo-pdf.h>
#include <cairo.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "fovea/base/error/error.h"

namespace fovea {

namespace {

cairo_status_t append(void* closure, const unsigned char* data, unsigned length) {
  static_cast<std::string*>(closure)->append(reinterpret_cast<const char*>(data), length);
  return CAIRO_STATUS_SUCCESS;
}

void check(cairo_status_t status) {
  if (status == CAIRO_STATUS_SUCCESS) return;
  throw failure(std::string("the figure could not be drawn: ") + cairo_status_to_string(status),
                "a smaller scale may help");
}

struct SurfaceFree {
  void operator()(cairo_surface_t* surface) const { cairo_surface_destroy(surface); }
};
using Surface = std::unique_ptr<cairo_surface_t, SurfaceFree>;

Surface surface_of(const Image& image) {
  Surface surface(cairo_image_surface_create(CAIRO_FORMAT_RGB24, std::max(image.width, 1), std::max(image.height, 1)));
  check(cairo_surface_status(surface.get()));
  cairo_surface_flush(surface.get());
  unsigned char* const pixels = cairo_image_surface_get_data(surface.get());
  const int stride = cairo_image_surface_get_stride(surface.get());
  for (int row = 0; row < image.height; ++row) {
    auto* const line = reinterpret_cast<std::uint32_t*>(pixels + std::ptrdiff_t{row} * stride);
    const std::uint8_t* from = image.rgb.data() + std::ptrdiff_t{row} * image.width * 3;
    for (int column = 0; column < image.width; ++column, from += 3)
      line[column] = std::uint32_t{from[0]} << 16 | std::uint32_t{from[1]} << 8 | std::uint32_t{from[2]};
  }
  cairo_surface_mark_dirty(surface.get());
  return surface;
}

// The toy text interface takes one font for a text. Helvetica's kin hold Latin, Greek and the usual signs; for the rest
// (raised digits, arrows) DejaVu Sans, which holds nearly everything; where it is missing fontconfig picks a
// sans-serif.
const char* font_for(std::string_view words) {
  for (const char32_t c : code_points(words)) {
    const bool usual = c < 0x180 || (c >= 0x370 && c < 0x400) || (c >= 0x2010 && c <= 0x2026) || c == 0x2212 ||
                       c == 0x2264 || c == 0x2265 || c == 0x221a || c == 0x221e;
    if (!usual) return "DejaVu Sans";
  }
  return "Helvetica";
}

}  // namespace

struct CairoCanvas::State {
  Kind kind;
  std::string bytes;
  Surface surface;
  cairo_t* context = nullptr;
  ~State() {
    if (context) cairo_destroy(context);
  }
};

CairoCanvas::CairoCanvas(Kind kind, double width, double height, double scale, const std::string& title)
    : state_(std::make_unique<State>()) {
  state_->kind = kind;
  const double wide = std::ceil(width * scale), high = std::ceil(height * scale);
  if (kind == Kind::pdf) {
    state_->surface.reset(cairo_pdf_surface_create_for_stream(append, &state_->bytes, wide, high));
    cairo_pdf_surface_set_metadata(state_->surface.get(), CAIRO_PDF_METADATA_TITLE, clean_utf8(title).c_str());
  } else {
    state_->surface.reset(
        cairo_image_surface_create(CAIRO_FORMAT_RGB24, static_cast<int>(wide), static_cast<int>(high)));
  }
  check(cairo_surface_status(state_->surface.get()));
  state_->context = cairo_create(state_->surface.get());
  check(cairo_status(state_->context));
  cairo_scale(state_->context, scale, scale);
  cairo_set_line_join(state_->context, CAIRO_LINE_JOIN_ROUND);
  rectangle({0, 0, wide / scale, high / scale}, Color::paper(), no_edge());
}

CairoCanvas::~CairoCanvas() = default;

namespace {

void set_color(cairo_t* context, const Color& color) {
  cairo_set_source_rgba(context, color.red / 255.0, color.green / 255.0, color.blue / 255.0, color.alpha);
}

void trace(cairo_t* context, std::span<const Point> points) {
  cairo_new_path(context);
  for (const Point& p : points) cairo_line_to(context, p.x, p.y);
}

}  // namespace

void CairoCanvas::paint(const Color& fill, const Stroke& edge) {
  cairo_t* const context = state_->context;
  if (fill.visible()) {
    set_color(context, fill);
    cairo_fill_preserve(context);
  }
  if (edge.color.visible() && edge.width > 0) {
    set_color(context, edge.color);
    cairo_set_line_width(context, edge.width);
    cairo_set_dash(context, edge.dash.data(), static_cast<int>(edge.dash.size()), 0);
    cairo_stroke_preserve(context);
  }
  cairo_new_path(context);
}

void CairoCanvas::polyline(std::span<const Point> points, const Stroke& stroke) {
  if (points.size() < 2) return;
  trace(state_->context, points);
  paint(Color::none(), stroke);
}

void CairoCanvas::polygon(std::span<const Point> points, const Color& fill, const Stroke& edge) {
  trace(state_->context, points);
  cairo_close_path(state_->context);
  paint(fill, edge);
}

void CairoCanvas::circle(Point centre, double radius, const Color& fill, const Stroke& edge) {
  cairo_new_path(state_->context);
  cairo_arc(state_->context, centre.x, centre.y, radius, 0, 2 * std::numbers::pi);
  paint(fill, edge);
}

void CairoCanvas::rectangle(const Box& box, const Color& fill, const Stroke& edge) {
  cairo_new_path(state_->context);
  cairo_rectangle(state_->context, box.x, box.y, box.width, box.height);
  paint(fill, edge);
}

void CairoCanvas::text(Point at, std::string_view words, const TextStyle& style) {
  cairo_t* const context = state_->context;
  const std::string clean = clean_utf8(words);
  cairo_save(context);
  cairo_select_font_face(context, font_for(clean), CAIRO_FONT_SLANT_NORMAL,
                         style.bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
  cairo_set_font_size(context, style.size);
  cairo_text_extents_t extents;
  cairo_text_extents(context, clean.c_str(), &extents);
  const double back = style.anchor == Anchor::start ? 0 : style.anchor == Anchor::middle ? 0.5 : 1;
  cairo_translate(context, at.x, at.y);
  cairo_rotate(context, style.turn * std::numbers::pi / 180);
  cairo_move_to(context, -back * extents.x_advance, 0);
  set_color(context, style.color);
  cairo_show_text(context, clean.c_str());
  cairo_restore(context);
  cairo_new_path(context);
}

void CairoCanvas::image(const Box& box, const Image& image) {
  if (image.width <= 0 || image.height <= 0) return;
  cairo_t* const context = state_->context;
  const Surface pixels = surface_of(image);
  cairo_save(context);
  cairo_translate(context, box.x, box.y);
  cairo_scale(context, box.width / image.width, box.height / image.height);
  cairo_set_source_surface(context, pixels.get(), 0, 0);
  cairo_pattern_set_filter(cairo_get_source(context), CAIRO_FILTER_NEAREST);
  cairo_rectangle(context, 0, 0, image.width, image.height);
  cairo_fill(context);
  cairo_restore(context);
}

void CairoCanvas::begin_clip(const Box& box) {
  cairo_save(state_->context);
  cairo_new_path(state_->context);
  cairo_rectangle(state_->context, box.x, box.y, box.width, box.height);
  cairo_clip(state_->context);
}

void CairoCanvas::end_clip() { cairo_restore(state_->context); }

std::string CairoCanvas::finish() {
  check(cairo_status(state_->context));
  if (state_->kind == Kind::png) {
    check(cairo_surface_write_to_png_stream(state_->surface.get(), append, &state_->bytes));
  } else {
    cairo_show_page(state_->context);
    cairo_surface_finish(state_->surface.get());
    check(cairo_surface_status(state_->surface.get()));
  }
  return std::move(state_->bytes);
}

}  // namespace fovea
