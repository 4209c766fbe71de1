"""Draws seconds over machines, both on logarithmic axes, as an SVG."""

import math

WIDTH, HEIGHT = 720, 420
LEFT, RIGHT, TOP, BOTTOM = 80, 150, 30, 60
COLORS = ['#1f6feb', '#b35900']


def _ticks(low, high):
    return [10 ** power for power in range(math.floor(math.log10(low)),
                                           math.ceil(math.log10(high)) + 1)]


def _duration(seconds):
    for unit, size in (('d', 86400), ('h', 3600), ('min', 60)):
        if seconds >= size:
            return f'{seconds / size:.3g} {unit}'
    return f'{seconds:.3g} s'


def draw(machines, lines):
    """`lines` has, for each number of bytes, the seconds per machine count."""
    highest = max(max(seconds) for seconds in lines.values())
    lowest = min(seconds[0] / machines[-1] for seconds in lines.values())
    x_ticks, y_ticks = _ticks(machines[0], machines[-1]), _ticks(lowest,
                                                                 highest)

    def x_of(count):
        return LEFT + (WIDTH - LEFT - RIGHT) * math.log10(count) / math.log10(
            x_ticks[-1])

    def y_of(seconds):
        low, high = math.log10(y_ticks[0]), math.log10(y_ticks[-1])
        share = (math.log10(seconds) - low) / (high - low)
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * share

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} '
           f'{HEIGHT}" font-family="sans-serif" font-size="12">',
           '<title>Time of a bulk load, by the model of '
           'scale_model.py</title>',
           f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>']
    for tick in x_ticks:
        out.append(f'<line x1="{x_of(tick):.1f}" x2="{x_of(tick):.1f}" '
                   f'y1="{TOP}" y2="{HEIGHT - BOTTOM}" stroke="#ddd"/>')
        out.append(f'<text x="{x_of(tick):.1f}" y="{HEIGHT - BOTTOM + 18}" '
                   f'text-anchor="middle">{tick}</text>')
    for tick in y_ticks:
        out.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" '
                   f'y1="{y_of(tick):.1f}" y2="{y_of(tick):.1f}" '
                   'stroke="#ddd"/>')
        out.append(f'<text x="{LEFT - 8}" y="{y_of(tick) + 4:.1f}" '
                   f'text-anchor="end">{_duration(tick)}</text>')
    out.append(f'<text x="{(LEFT + WIDTH - RIGHT) / 2:.0f}" '
               f'y="{HEIGHT - 15}" text-anchor="middle">machines of 16 '
               'cores</text>')
    for (size, seconds), color in zip(lines.items(), COLORS):
        points = ' '.join(f'{x_of(count):.1f},{y_of(value):.1f}'
                          for count, value in zip(machines, seconds))
        ideal = ' '.join(f'{x_of(count):.1f},{y_of(seconds[0] / count):.1f}'
                         for count in machines)
        out.append(f'<polyline points="{ideal}" fill="none" stroke="{color}" '
                   'stroke-dasharray="4 4" stroke-opacity="0.6"/>')
        out.append(f'<polyline points="{points}" fill="none" stroke="{color}" '
                   'stroke-width="2"/>')
        out.append(f'<text x="{WIDTH - RIGHT + 8}" '
                   f'y="{y_of(seconds[-1]) + 4:.1f}" fill="{color}">'
                   f'{size / 1e12:g} TB: {_duration(seconds[-1])}</text>')
    out.append(f'<text x="{WIDTH - RIGHT + 8}" y="{TOP + 12}">dashed: in '
               'proportion</text></svg>')
    return '\n'.join(out) + '\n'
