# SPDX-License-Identifier: GPL-2.0-or-later
"""Plots by gnuplot."""
import subprocess

from runs import Failed

HEAD = """set terminal svg size 720,480 dynamic background rgb "white"
set output "{path}"
set title "{title}"
set xlabel "{x}"
set ylabel "{y}"
set key outside right
set grid
"""


def draw(path, script):
    try:
        done = subprocess.run(["gnuplot"], input=script, capture_output=True, text=True,
                              check=False)
    except FileNotFoundError:
        raise Failed("gnuplot is not here (Debian: gnuplot-nox)") from None
    if done.returncode:
        raise Failed(f"gnuplot: {path}: {done.stderr.strip()}")


def blocks(series):
    """Each series as data that gnuplot reads from the script."""
    for number, points in enumerate(series.values()):
        yield f"$points{number} << END"
        yield from (f"{x:.9g} {y:.9g}" for x, y in points)
        yield "END"


def lines(path, title, x, y, series, logarithmic):
    """@series: by name, its points."""
    names = ", ".join(f"$points{number} using 1:2 with linespoints title \"{name}\""
                      for number, name in enumerate(series))
    axes = f"set logscale {logarithmic}\n" if logarithmic else ""
    draw(path, HEAD.format(path=path, title=title, x=x, y=y) + axes +
         "\n".join(blocks(series)) + f"\nplot {names}\n")


def picture(path, title, side, values):
    """The values of a grid of @side times @side vertices."""
    rows = [values[start:start + side] for start in range(0, side * side, side)]
    matrix = "\n".join(" ".join(map(str, row)) for row in rows)
    draw(path, HEAD.format(path=path, title=title, x="x", y="y") +
         "set palette gray negative\nset yrange [] reverse\nset size ratio 1\n"
         f"$values << END\n{matrix}\nEND\nplot $values matrix with image notitle\n")
