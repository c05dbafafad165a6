# SPDX-License-Identifier: GPL-2.0-or-later
"""Links between pages.

A page refers to another one, and to a section of it, by the name of its file:
`library.rst <library.rst#waiting>`_. So the link works too where a hosting site
shows the files. This makes links of the HTML pages of them, and warns of those
that lead nowhere.
"""
import posixpath
import re

from docutils import nodes
from sphinx.util import logging

logger = logging.getLogger(__name__)


def ids_of(env, docname, cache):
    """the anchors of a page"""
    if docname not in cache:
        cache[docname] = set(env.get_doctree(docname).ids)
    return cache[docname]


def resolve(app, doctree, docname):
    """Replace the names of files by the addresses of pages."""
    cache = app.env.temp_data.setdefault("page_links_ids", {})
    for node in doctree.findall(nodes.reference):
        uri = node.get("refuri", "")
        if not uri or node.get("internal") or re.match(r"[a-z]+:", uri):
            continue
        path, _, anchor = uri.partition("#")
        target = posixpath.normpath(posixpath.join(posixpath.dirname(docname), path))
        page = re.sub(r"\.rst$", "", target)
        if page == target or page not in app.env.found_docs:
            logger.warning("the link %s leads to no page", uri, location=node)
            continue
        if anchor and anchor not in ids_of(app.env, page, cache):
            logger.warning("the link %s leads to no section of that page", uri, location=node)
        node["refuri"] = app.builder.get_relative_uri(docname, page) + (anchor and "#" + anchor)


def setup(app):
    """Called by Sphinx."""
    app.connect("doctree-resolved", resolve)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
