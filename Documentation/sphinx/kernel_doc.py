# SPDX-License-Identifier: GPL-2.0-or-later
"""The directive kernel-doc: the comments of a header, as the kernel's own script reads them.

    .. kernel-doc:: lib/hbs.h

The variable KERNEL_DOC of the environment names the script, scripts/kernel-doc of Linux.
"""
import os
import re
import subprocess

import sphinx
from docutils import nodes
from docutils.statemachine import StringList
from sphinx import addnodes
from sphinx.errors import ExtensionError
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# C has tags beside the names of functions, Sphinx has not: there they are in this namespace
TAGS = "tags_of_c"

logger = logging.getLogger(__name__)


def run_script(header):
    """what the script makes of a header, and its complaints"""
    script = os.environ.get("KERNEL_DOC")
    if not script:
        raise ExtensionError("KERNEL_DOC does not name the kernel's script: use make html")
    result = subprocess.run(["perl", script, "-rst", "-Werror", "-enable-lineno",
                             "-sphinx-version", sphinx.__version__, header],
                            capture_output=True, text=True, check=False)
    return result.stdout, result.stderr.strip()


def mark_up(line):
    """In text, HBS_POLICY_ is no link, and hbs_open() is one."""
    parts = re.split(r"(``.*?``)", line)
    for i in range(0, len(parts), 2):
        parts[i] = re.sub(r"\b(\w*)_(?!\w)", r"\1\\_", parts[i])
        parts[i] = re.sub(r"\b(hbs_[a-z_]+)\(\)", r":c:func:`\1`", parts[i])
    return "".join(parts)


def translate(output):
    """Lines for Sphinx of the script's lines, each with its number in the header."""
    number = 0
    literal = inside_tag = False
    for line in output.splitlines():
        mark = re.match(r"\.\. LINENO ([0-9]+)", line)
        if mark:
            number = int(mark.group(1))
            continue
        if re.match(r"\S", line):
            literal = False
            if inside_tag:
                yield ".. c:namespace-pop::", number
                yield "", number
            inside_tag = bool(re.match(r"\.\. c:(struct|union|enum)::", line))
            if inside_tag:
                yield ".. c:namespace-push:: " + TAGS, number
                yield "", number
        if literal or line.startswith(".. "):
            yield line, number
        else:
            yield mark_up(line), number
            literal = line.endswith("::")


class KernelDoc(SphinxDirective):
    """the directive"""
    required_arguments = 1

    def run(self):
        header = os.path.join(TOP, self.arguments[0])
        self.env.note_dependency(header)
        output, complaints = run_script(header)
        if complaints:
            logger.warning("%s", complaints, location=self.get_location())
        lines = StringList()
        for line, number in translate(output):
            lines.append(line, header, max(number - 1, 0))
        node = nodes.section()
        node.document = self.state.document
        self.state.nested_parse(lines, 0, node, match_titles=1)
        return node.children


def find_tags(_app, doctree):
    """In signatures, struct hbs_idle is not the function hbs_idle()."""
    for node in doctree.findall(addnodes.pending_xref):
        if node.get("refdomain") != "c" or node.get("reftype") != "identifier":
            continue
        place = node.parent.index(node)
        if place >= 2 and node.parent[place - 2].astext() in ("struct", "union", "enum"):
            node["reftarget"] = TAGS + "." + node["reftarget"]


def setup(app):
    """Called by Sphinx."""
    app.add_directive("kernel-doc", KernelDoc)
    app.connect("doctree-read", find_tags)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
