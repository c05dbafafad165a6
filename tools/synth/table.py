# SPDX-License-Identifier: GPL-2.0-or-later
"""Lines of text for the results."""
import textwrap

LINE = "{:<9} {:<6} {:>8} {:>10} {:>8}  {}"


def heading():
    yield LINE.format("card", "family", "LUTs", "flip-flops", "seconds",
                      "memories, and share of FPGAs")


def cells_of(name, family, usage, remarks, seconds):
    """The lines of a row: its figures, and a line for each remark."""
    yield LINE.format(name, family, f"{usage.luts:,}", f"{usage.flops:,}", f"{seconds:.0f}",
                      usage.memory_text())
    for remark in remarks:
        yield LINE.format("", "", "", "", "", remark)


def failure(name, family, why):
    yield LINE.format(name, family, "failed", "", "", why).rstrip()


def paragraph(title, items):
    yield f"{title}:"
    for item in items:
        yield from textwrap.wrap(item, 98, initial_indent="  ", subsequent_indent="    ")


def columns(rows):
    """Rows of texts, set in columns; the second and third are numbers."""
    rows = list(rows)
    widths = [max(len(row[i]) for row in rows) for i in range(4)]
    for module, luts, flops, memories in rows:
        yield (f"  {module:<{widths[0]}}  {luts:>{widths[1]}}  {flops:>{widths[2]}}  "
               f"{memories}").rstrip()
