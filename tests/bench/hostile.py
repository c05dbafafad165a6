#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Show results whose texts mean something to what they are written into.

usage: hostile.py HBSBENCH FOLDER

Each text is a command, a tag, a formula or a path. hbsbench has to show it as a
text everywhere: in its tables, in CSV and HTML, and in what gnuplot reads. FOLDER
is empty. Prints TAP.
"""
import csv
import html.parser
import json
import pathlib
import subprocess
import sys
import xml.etree.ElementTree

from results import contender, results, row

# a command that ran leaves this file
OWNED = "owned"
HOSTILE = [
    f"`touch {OWNED}`",
    f"$(touch {OWNED})",
    f"x'; system('touch {OWNED}'); y = '",
    f"x\"; system(\"touch {OWNED}\"); y = \"",
    f"x\\\"; system(\"touch {OWNED}\"); #",
    f"'.system(\"touch {OWNED}\").'",
    f"EOD\\nsystem \"touch {OWNED}\"",
    f"!touch {OWNED}",
    f"' ; set output '{OWNED}' ; '",
    "@owned %s %n {/Bold x} &lt;b&gt;",
    "</td></svg><script>alert(1)</script><td>",
    "\" onload=\"alert(1)",
    "' onload='alert(1)",
    "&x; &#60;script> ]]> <!--",
    "=HYPERLINK(\"x\")",
    "+1+cmd|' /C calc'!A0",
    "-2+3",
    "@SUM(1)",
    "../../../escaped",
    "/escaped",
    "a,b\",\"c",
    "ok 1 - fine # SKIP",
    "\u00b5 \u4e2d \U0001f600",
    "n" * 60,
]


class Page(html.parser.HTMLParser):
    """The tags, attributes and texts of a page"""

    def __init__(self):
        super().__init__()
        self.tags = set()
        self.attributes = set()
        self.text = ""

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_data(self, data):
        self.text += data


def make(text):
    """Results with @text wherever a text can be"""
    both = [contender(text, what=text, version=text, ours=True),
            contender("peer" + text, what=text), contender("gone" + text, absent=text)]
    texts = {"workload": text, "unit": text, "placement": text}
    rows = [row(text, 2, 100.0, ours=True, **texts), row("peer" + text, 2, 200.0, **texts),
            row("gone" + text, 2, 1.0, **{**texts, "error": text, "repetitions": []})]
    return results(both, rows, {"fact": text, text: "fact", "several": [text, "b"]})


def check_html(path, text):
    """It is a text of the page, which has no script, and no handler"""
    page = Page()
    page.feed(path.read_text(encoding="utf-8"))
    assert not page.tags & {"script", "iframe", "object", "link", "b"}, page.tags
    assert not {name for name in page.attributes if name.startswith("on")}, page.attributes
    assert text in page.text, "the text is not on the page"


def check_csv(path, text):
    """Each line has all fields, and no field is a formula"""
    with open(path, newline="", encoding="utf-8") as file:
        lines = list(csv.reader(file))
    assert len(lines) == 6, lines
    for line in lines:
        assert len(line) == len(lines[0]), line
        assert not any(field[:1] in "=+@" and field for field in line), line
        assert not any(field.startswith("-") for field in line[:4]), line
    assert lines[1][0] in (text, "'" + text), lines[1]


def check_plots(folder, text):
    """They are there, each is a picture, and it has the name of the contender as a text"""
    plots = list(folder.glob("*.svg"))
    assert len(plots) == 3, plots
    for plot in plots:
        root = xml.etree.ElementTree.parse(plot).getroot()
        words = " ".join("".join(item.itertext()) for item in root.iter()
                         if item.tag.endswith("}text"))
        # which XML does not allow
        assert text.replace("]]>", "]] >") in words, (plot.name, words)


def check(program, folder, number, text):
    """Show one"""
    here = folder / str(number)
    here.mkdir()
    (here / "in.json").write_text(json.dumps(make(text)), encoding="utf-8")
    done = subprocess.run(
        [program, "show", "in.json", "--csv=out.csv", "--html=out.html", "--plots=plots"],
        cwd=here, capture_output=True, timeout=60, check=False)
    assert done.returncode == 0, done
    assert text in done.stdout.decode(), "the tables do not have it"
    found = sorted(str(path.relative_to(here)) for path in here.rglob("*"))
    assert [name for name in found if not name.startswith("plots/")] == [
        "in.json", "out.csv", "out.html", "plots"], found
    assert not list(folder.glob("*escaped*")) and not pathlib.Path("/escaped").exists()
    check_html(here / "out.html", text)
    check_csv(here / "out.csv", text)
    check_plots(here / "plots", text)


def main():
    """Show all"""
    program = str(pathlib.Path(sys.argv[1]).resolve())
    folder = pathlib.Path(sys.argv[2]).resolve()
    print(f"1..{len(HOSTILE)}")
    for number, text in enumerate(HOSTILE, 1):
        try:
            check(program, folder, number, text)
            print(f"ok {number} - a text of a file stays a text ({number})")
        except (AssertionError, OSError, ValueError, xml.etree.ElementTree.ParseError) as error:
            print(f"# {text!a}: {error!a}")
            print(f"not ok {number} - a text of a file stays a text ({number})")


main()
