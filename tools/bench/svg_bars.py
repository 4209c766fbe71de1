"""Draws bars in panels as one SVG, which follows the reader's light or dark
scheme.

Used by the scripts that make the pictures of docs/. Takes numbers and returns
text, and reads or writes no files.
"""

import math
from dataclasses import dataclass
from xml.sax.saxutils import escape, quoteattr

PANEL_WIDTH = 470
PANEL_HEIGHT = 150  # of the bars only
TOP = 64  # title and legend
PANEL_TOP = 34
PANEL_BOTTOM = 44
LEFT = 46
RIGHT = 10

# The colors of each series, for light and dark pages.
COLOURS = (("#2563c9", "#6ea8ff"), ("#a9b1bd", "#5b6675"))


@dataclass
class Cluster:
    """Bars next to each other, one per series. None: not measured."""
    label: str
    values: list
    note: str = ""  # above the first bar


@dataclass
class Panel:
    title: str
    groups: list  # of (label, [Cluster])


def nice_limit(largest):
    """Returns the end of an axis: 1, 2, 4 or 8 times a power of ten, so that
    each quarter of it is a short number."""
    if largest <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(largest))
    for step in (1, 2, 4, 8, 10):
        if largest <= step * power * (1 + 1e-9):
            return step * power
    return 10 * power


def style():
    bars = "\n".join(f".s{i} {{ fill: {light}; }}"
                     for i, (light, _) in enumerate(COLOURS))
    dark = "\n".join(f"  .s{i} {{ fill: {dark}; }}"
                     for i, (_, dark) in enumerate(COLOURS))
    return f"""<style>
text {{ font: 11px system-ui, sans-serif; fill: #24292f; }}
.title {{ font-size: 15px; font-weight: 600; }}
.panel {{ font-size: 12px; font-weight: 600; }}
.small {{ font-size: 9px; fill: #57606a; }}
.ground {{ fill: #ffffff; }}
.line {{ stroke: #d0d7de; stroke-width: 1; }}
{bars}
@media (prefers-color-scheme: dark) {{
  text {{ fill: #e6edf3; }}
  .small {{ fill: #9198a1; }}
  .ground {{ fill: #0d1117; }}
  .line {{ stroke: #3d444d; }}
{dark}
}}
</style>"""


def text(x, y, words, kind="", anchor="middle"):
    kind = f" class={quoteattr(kind)}" if kind else ""
    return (f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{kind}>'
            f"{escape(words)}</text>")


def line(x1, x2, y):
    return (f'<line class="line" x1="{x1:.1f}" x2="{x2:.1f}" '
            f'y1="{y:.1f}" y2="{y:.1f}"/>')


def axis(left, right, bottom, limit):
    for part in range(5):
        y = bottom - PANEL_HEIGHT * part / 4
        yield line(left, right, y)
        yield text(left - 5, y + 3, f"{limit * part / 4:g}", "small", "end")


def cluster_bars(x, width, bottom, limit, cluster, names, where):
    bar = width / len(names)
    for i, value in enumerate(cluster.values):
        if value is None:
            continue
        height = PANEL_HEIGHT * value / limit
        told = escape(f"{names[i]}, {where}: {value:.3g}")
        yield (f'<rect class="s{i}" x="{x + i * bar:.1f}" '
               f'y="{bottom - height:.2f}" width="{bar:.1f}" '
               f'height="{height:.2f}"><title>{told}</title></rect>')
    first = cluster.values[0] or 0
    if cluster.note:
        y = bottom - PANEL_HEIGHT * first / limit - 3
        yield text(x + bar / 2, y, cluster.note, "small")


def panel_parts(x, y, panel, names):
    """Yields the parts of a panel whose upper left corner is at x, y."""
    left, right = x + LEFT, x + PANEL_WIDTH - RIGHT
    bottom = y + PANEL_TOP + PANEL_HEIGHT
    values = [value for _, clusters in panel.groups for cluster in clusters
              for value in cluster.values if value is not None]
    limit = nice_limit(max(values, default=0))
    yield text(left, y + 16, panel.title, "panel", "start")
    yield from axis(left, right, bottom, limit)
    room = (right - left) / max(1, len(panel.groups))
    for i, (label, clusters) in enumerate(panel.groups):
        start = left + i * room
        yield text(start + room / 2, bottom + 30, label)
        each = room / (len(clusters) + 0.5)
        for j, cluster in enumerate(clusters):
            at = start + (j + 0.25) * each
            yield text(at + each * 0.4, bottom + 14, cluster.label, "small")
            yield from cluster_bars(at, each * 0.8, bottom, limit, cluster,
                                    names, f"{label}, {cluster.label}")


def draw(title, subtitle, names, panels, columns):
    """Draws all panels, `columns` of them per row. `names` are the names of
    the series."""
    rows = -(-len(panels) // columns)
    height_of_row = PANEL_TOP + PANEL_HEIGHT + PANEL_BOTTOM
    width = columns * PANEL_WIDTH
    height = TOP + rows * height_of_row
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" '
        f'viewBox="0 0 {width} {height}" width="{width}" height="{height}">',
        f"<title>{escape(title)}</title>",
        f"<desc>{escape(subtitle)}</desc>", style(),
        f'<rect class="ground" width="{width}" height="{height}"/>',
        text(LEFT, 24, title, "title", "start"),
        text(LEFT, 44, subtitle, anchor="start"),
    ]
    x = width - RIGHT - 90 * len(names)
    for i, name in enumerate(names):
        parts.append(f'<rect class="s{i} key" x="{x + 90 * i}" y="14" '
                     f'width="11" height="11"/>')
        parts.append(text(x + 90 * i + 16, 24, name, anchor="start"))
    for i, panel in enumerate(panels):
        parts.extend(panel_parts(i % columns * PANEL_WIDTH,
                                 TOP + i // columns * height_of_row, panel,
                                 names))
    return "\n".join(parts + ["</svg>", ""])
