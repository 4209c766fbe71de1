// SvgText: the text of one SVG picture that needs no other files. Its style
// follows the reader's choice of light or dark pages.
//
// Used by the charts of programs. Classes of the style: text "title", "panel"
// and "small", lines "grid" and "axis", and for series from 0 "s0" (its stroke)
// and "f0" (its fill). Not a drawing library: it only writes what it is given.
// For one thread at a time.
#ifndef ASHLAR_TOOLS_REPLAY_SVG_TEXT_H_
#define ASHLAR_TOOLS_REPLAY_SVG_TEXT_H_

#include <cstddef>
#include <string>

namespace ashlar::sim {

// Returns a short decimal number.
std::string SvgNumber(double x);
// Returns text that means itself in XML. What XML does not allow becomes '?'.
std::string SvgEscape(const std::string& text);

class SvgText {
 public:
  static constexpr size_t kColours = 9;

  SvgText(double width, double height, const std::string& title);

  void Words(double x, double y, const std::string& words,
             const std::string& attributes = "");
  void Line(double x1, double y1, double x2, double y2,
            const std::string& attributes);
  void Raw(const std::string& text) { out_ += text; }
  // Returns the whole picture.
  [[nodiscard]] std::string text() const { return out_ + "</svg>\n"; }

  // Return the classes of a series.
  static std::string StrokeClass(size_t series);
  static std::string FillClass(size_t series);

 private:
  std::string out_;
};

// Returns the end of an axis from 0: a short number that is not below the
// largest value.
double AxisEnd(double largest);

}  // namespace ashlar::sim

#endif  // ASHLAR_TOOLS_REPLAY_SVG_TEXT_H_
