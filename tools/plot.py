"""Plots as SVG, light and dark, without any library: lines over logarithms, and bars."""

import math
import re

# Okabe and Ito's colours, as in the program's own pictures.
COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8a7f00", "#777777"]
STYLE = """<style>text{font:12px sans-serif;fill:#222}.grid{stroke:#ddd}.axis{stroke:#222}svg{background:#fff}
@media(prefers-color-scheme:dark){text{fill:#ddd}.grid{stroke:#444}.axis{stroke:#ddd}svg{background:#1b1b1b}}</style>"""


def escaped(text):
    return str(text).replace("&", "&amp;").replace("<", "&lt;")


def text(x, y, words, anchor="start", more=""):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" {more}>{escaped(words)}</text>'


def svg(width, height, parts):
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}">{STYLE}\n' + "\n".join(parts) + "\n</svg>\n"


def power(exponent):
    """A power of ten as short text."""
    return f"{10 ** exponent:g}" if -4 < exponent < 5 else f"10^{exponent}"


def lines(panels, width=460, height=380):
    """Panels side by side, each (title, x label, y label, {name: [(x, y), …]}) on logarithmic axes; one legend for all."""
    names = list(dict.fromkeys(name for *_, series in panels for name in series))
    colour = {name: COLOURS[at % len(COLOURS)] for at, name in enumerate(names)}
    dash = {name: ["", "6 3", "2 3"][at // len(COLOURS) % 3] for at, name in enumerate(names)}
    parts = []
    for at, (title, x_label, y_label, series) in enumerate(panels):
        left, top, right, bottom = at * width + 62, 34, (at + 1) * width - 12, height - 46
        points = [point for values in series.values() for point in values]
        ranges = []
        for axis in (0, 1):
            logs = [math.log10(point[axis]) for point in points]
            ranges.append((math.floor(min(logs)), max(math.ceil(max(logs)), math.floor(min(logs)) + 1)))
        (x_low, x_high), (y_low, y_high) = ranges
        place_x = lambda x: left + (math.log10(x) - x_low) / (x_high - x_low) * (right - left)
        place_y = lambda y: bottom - (math.log10(y) - y_low) / (y_high - y_low) * (bottom - top)
        parts.append(text((left + right) / 2, 20, title, "middle", 'font-weight="bold"'))
        for exponent in range(x_low, x_high + 1):
            x = place_x(10 ** exponent)
            parts += [f'<path class="grid" d="M{x:.1f} {top}V{bottom}"/>', text(x, bottom + 16, power(exponent), "middle")]
        for exponent in range(y_low, y_high + 1):
            y = place_y(10 ** exponent)
            parts += [f'<path class="grid" d="M{left} {y:.1f}H{right}"/>', text(left - 6, y + 4, power(exponent), "end")]
        parts += [f'<path class="axis" fill="none" d="M{left} {top}V{bottom}H{right}"/>', text((left + right) / 2, bottom + 36, x_label, "middle")]
        middle = (top + bottom) / 2
        parts.append(text(left - 46, middle, y_label, "middle", f'transform="rotate(-90 {left - 46} {middle})"'))
        for name, values in series.items():
            path = "M" + "L".join(f"{place_x(x):.1f} {place_y(y):.1f}" for x, y in values)
            parts.append(f'<path fill="none" stroke="{colour[name]}" stroke-width="2" stroke-dasharray="{dash[name]}" d="{path}"/>')
            parts += [f'<circle cx="{place_x(x):.1f}" cy="{place_y(y):.1f}" r="3" fill="{colour[name]}"/>' for x, y in values]
    columns = max(1, len(panels) * width // 230)
    for at, name in enumerate(names):
        x, y = 20 + at % columns * 230, height + 8 + at // columns * 20
        parts += [f'<path stroke="{colour[name]}" stroke-width="3" stroke-dasharray="{dash[name]}" d="M{x} {y - 4}h26"/>', text(x + 32, y, name)]
    return svg(len(panels) * width, height + 20 + (len(names) - 1) // columns * 20, parts)


def bars(title, rows, mark=None, width=760):
    """A bar for every (name, value, words); a line at `mark`, if given. Linear scale from 0."""
    left, right, most = 210, width - 130, max([value for _, value, _ in rows] + [mark or 0])
    parts = [text(width / 2, 20, title, "middle", 'font-weight="bold"')]
    for at, (name, value, words) in enumerate(rows):
        y, length = 36 + at * 24, value / most * (right - left)
        parts += [text(left - 8, y + 13, name, "end"), f'<rect x="{left}" y="{y}" width="{length:.1f}" height="17" fill="{COLOURS[0]}"/>', text(left + length + 6, y + 13, words)]
    bottom = 36 + len(rows) * 24
    if mark is not None:
        x = left + mark / most * (right - left)
        parts.append(f'<path class="axis" stroke-dasharray="4 3" d="M{x:.1f} 30V{bottom}"/>')
    return svg(width, bottom + 8, parts)


def stack(pictures):
    """Stacks pictures vertically."""
    sizes = [[float(number) for number in re.search(r'viewBox="0 0 (\S+) (\S+)"', picture).groups()] for picture in pictures]
    parts, top = [], 0
    for picture, (_, height) in zip(pictures, sizes):
        parts.append(picture.replace("<svg ", f'<svg y="{top:g}" ', 1).replace(STYLE, "").strip())
        top += height + 12
    return svg(max(width for width, _ in sizes), top, parts)


def exponent(points):
    """The slope of the best line through the logarithms, or None with a single point."""
    if len(points) < 2:
        return None
    xs, ys = [math.log(x) for x, _ in points], [math.log(y) for _, y in points]
    mean_x, mean_y = sum(xs) / len(xs), sum(ys) / len(ys)
    spread = sum((x - mean_x) ** 2 for x in xs)
    return sum((x - mean_x) * (y - mean_y) for x, y in zip(xs, ys)) / spread if spread else None
