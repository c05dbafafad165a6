#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Make the uapi header, the driver's policies and the documentation's tables from the
specification of the generic netlink family.

usage: generate.py uapi|header|source|tables SPEC.yaml     print one of them

uapi: the names for userspace, hbs_netlink.h. header, source: policies and operations for
the driver, netlink_gen.[ch]. tables: for the documentation.
"""
import os
import sys
import textwrap

import yaml

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../shared"))
from shape import check_shape  # noqa: E402

SPEC = "hbs.yaml"
KERNEL_TYPES = {"u32": "NLA_U32", "u64": "NLA_U64"}
# A policy entry has room for 16 bits of a limit, with a sign
SMALL = (1 << 15) - 1

# The keys of a specification, and their types; a list has at least one item, each of that
# shape. A key with a "?" may be missing, and no other keys are there.
ATTRIBUTES = {"attributes": [str]}
DO = {"request": ATTRIBUTES, "reply?": ATTRIBUTES}
SHAPE = {
    "name": str, "protocol": str, "uapi-header": str, "doc": str,
    "definitions": [{"name": str, "type": str, "doc": str, "header?": str,
                     "value-start?": int, "entries": [(str, dict)]}],
    "attribute-sets": [{"name": str, "doc": str, "attributes": [
        {"name": str, "type": str, "doc?": str, "enum?": str, "enum-as-flags?": bool,
         "multi-attr?": bool, "nested-attributes?": str,
         "checks?": {"min?": int, "max?": int}}]}],
    "operations": {"name-prefix": str, "list": [
        {"name": str, "doc": str, "attribute-set?": str, "do?": DO,
         "dump?": dict(DO, **{"pre?": str, "post?": str}),
         "notify?": str, "event?": ATTRIBUTES, "mcgrp?": str}]},
    "mcast-groups": {"list": [{"name": str}]},
}


def fail(where, what):
    sys.exit(f"netlink: {where}: {what}")


def by_name(where, items):
    names = {item["name"]: item for item in items}
    if len(names) < len(items):
        fail(where, "has two of one name")
    return names


def entries(definition):
    """The (name, value, doc) of each entry."""
    value = definition.get("value-start", 0)
    for entry in definition["entries"]:
        if isinstance(entry, str):
            entry = {"name": entry}
        value = entry.get("value", value)
        yield entry["name"], value, entry.get("doc", "")
        value += 1


class Spec:
    def __init__(self, tree):
        check_shape(fail, "spec", tree, SHAPE, only_known=True)
        self.tree = tree
        self.definitions = by_name("definitions", tree["definitions"])
        self.sets = by_name("attribute-sets", tree["attribute-sets"])
        self.groups = by_name("mcast-groups", tree["mcast-groups"]["list"])
        self.operations = by_name("operations", tree["operations"]["list"])
        for name, item in self.sets.items():
            self.check_set(name, by_name(name, item["attributes"]))
        for operation in self.operations.values():
            self.check_operation(operation)

    def check_set(self, name, attributes):
        for attribute in attributes.values():
            where = f"{name}.{attribute['name']}"
            if attribute["type"] not in ("u32", "u64", "s64", "string", "flag", "nest", "pad"):
                fail(where, f"is of the type {attribute['type']!r}, which is unknown")
            if (attribute["type"] == "nest") != ("nested-attributes" in attribute):
                fail(where, "is a nest without nested attributes, or the reverse")
            if attribute.get("nested-attributes", name) not in self.sets:
                fail(where, f"there is no set {attribute['nested-attributes']!r}")
            if "enum" in attribute and attribute["enum"] not in self.definitions:
                fail(where, f"there is no definition {attribute['enum']!r}")
            if "64" in attribute["type"] and "pad" not in attributes:
                fail(where, "is of 64 bits, and the set has no pad")
            if attribute["type"] != "pad" and "doc" not in attribute:
                fail(where, "has no doc")

    def attributes(self, operation):
        name = operation.get("attribute-set")
        if name not in self.sets:
            fail(operation["name"], f"there is no set {name!r}")
        return by_name(name, self.sets[name]["attributes"])

    def check_operation(self, operation):
        name = operation["name"]
        kinds = {"do", "dump", "event", "notify"} & set(operation)
        if not kinds or len(kinds & {"event", "notify"}) + ("do" in kinds) != 1:
            fail(name, "is neither a request nor a notification")
        if "do" not in kinds and operation.get("mcgrp") not in self.groups:
            fail(name, f"there is no multicast group {operation.get('mcgrp')!r}")
        if "notify" in kinds:
            if "do" not in self.operations.get(operation["notify"], {}):
                fail(name, f"there is no request {operation['notify']!r}")
            return
        known = self.attributes(operation)
        for kind in kinds:
            for part in [operation[kind]] if kind == "event" else [
                    operation[kind][key] for key in ("request", "reply")
                    if key in operation[kind]]:
                for attribute in part["attributes"]:
                    if attribute not in known:
                        fail(name, f"there is no attribute {attribute!r}")

    def requested(self, operation):
        """The attributes of a request, for do and dump have one policy, in their order."""
        names = {name for kind in ("do", "dump") if kind in operation
                 for name in operation[kind]["request"]["attributes"]}
        return [attribute for attribute in self.sets[operation["attribute-set"]]["attributes"]
                if attribute["name"] in names]

    def command_max(self):
        return upper(self.tree["operations"]["name-prefix"], "max")

    def last(self, operation, kind):
        """The last attribute of a request; that of a dump has the first of the set."""
        asked = operation[kind]["request"]["attributes"]
        names = [attribute["name"] for attribute in self.requested(operation)]
        if asked != names[:len(asked)]:
            fail(operation["name"], f"{kind}: has not the first attributes of {names}")
        return attribute_name(self, operation["attribute-set"], asked[-1])

    def requests(self):
        return [operation for operation in self.operations.values() if "do" in operation]


def upper(*parts):
    return "_".join(part.strip("-").replace("-", "_").upper() for part in parts)


def lower(*parts):
    return upper(*parts).lower()


def attribute_name(spec, set_name, attribute):
    return upper(spec.tree["name"], "a", set_name, attribute)


def command_name(spec, operation):
    return upper(spec.tree["operations"]["name-prefix"], operation["name"])


def define(name, value, column=40):
    name = f"#define {name}"
    return name + "\t" * max(1, (column - len(name) + 7) // 8) + value


def wrapped(text, first, rest):
    return textwrap.wrap(" ".join(text.split()), 92, initial_indent=first, subsequent_indent=rest,
                         break_on_hyphens=False)


def generated(licence, opening, closing):
    yield f"{opening} SPDX-License-Identifier: {licence}{closing}"
    yield f"/* Generated by tools/netlink/generate.py from {SPEC}: do not edit. */"


def uapi_enum(spec, definition):
    name = lower(spec.tree["name"], definition["name"])
    yield "/**"
    yield from wrapped(f"enum {name} - {definition['doc']}", " * ", " *   ")
    for entry, _, doc in entries(definition):
        yield from wrapped(f"@{upper(name, entry)}: {doc}", " * ", " *   ")
    yield " */"
    yield f"enum {name} {{"
    due = 0
    for entry, value, _ in entries(definition):
        number = "" if value == due else f" = {value}"
        due = value + 1
        yield f"\t{upper(name, entry)}{number},"
    yield "};"
    yield ""


def uapi_list(prefix, names):
    """An enum of attributes or commands."""
    yield "enum {"
    for number, name in enumerate(names):
        yield f"\t{upper(prefix, name)}{'' if number else ' = 1'},"
    yield ""
    yield f"\t__{upper(prefix, 'max')},"
    yield f"\t{upper(prefix, 'max')} = (__{upper(prefix, 'max')} - 1)"
    yield "};"
    yield ""


def uapi(spec):
    family = spec.tree["name"]
    guard = "_UAPI_" + upper(spec.tree["uapi-header"].replace("/", "_").replace(".", "_"))
    yield from generated("GPL-2.0-only WITH Linux-syscall-note", "/*", " */")
    yield "/*"
    yield from wrapped(spec.tree["doc"], " * ", " * ")
    yield " */"
    yield f"#ifndef {guard}"
    yield f"#define {guard}"
    yield ""
    yield define(upper(family, "family-name"), f'"{family}"')
    yield define(upper(family, "family-version"), "1")
    yield ""
    for definition in spec.definitions.values():
        if "header" not in definition:
            yield from uapi_enum(spec, definition)
    for name, item in spec.sets.items():
        yield from comment(item["doc"])
        yield from uapi_list(f"{family}-a-{name}", [a["name"] for a in item["attributes"]])
    yield from uapi_list(spec.tree["operations"]["name-prefix"], spec.operations)
    for name in spec.groups:
        yield define(upper(family, "mcgrp", name), f'"{name}"')
    yield ""
    yield f"#endif /* {guard} */"


def comment(text):
    if len(text) <= 90:
        yield f"/* {text} */"
        return
    yield "/*"
    yield from wrapped(text, " * ", " * ")
    yield " */"


def handler(operation, kind):
    return lower("hbs-nl", operation["name"], kind)


def policy_name(operation):
    return lower("hbs-nl", operation["name"], "policy")


def source_header(spec):
    yield from generated("GPL-2.0-only", "/*", " */")
    yield "#ifndef HBS_NETLINK_GEN_H"
    yield "#define HBS_NETLINK_GEN_H"
    yield ""
    yield "#include <net/genetlink.h>"
    yield ""
    yield f"#include <{spec.tree['uapi-header']}>"
    yield ""
    hooks = sorted({operation["dump"][key] for operation in spec.requests()
                    for key in ("pre", "post") if key in operation.get("dump", {})}, reverse=True)
    for hook in hooks:
        yield f"int {lower(hook)}(struct netlink_callback *cb);"
    yield ""
    for operation in spec.requests():
        yield f"int {handler(operation, 'doit')}(struct sk_buff *skb, struct genl_info *info);"
        if "dump" in operation:
            yield (f"int {handler(operation, 'dumpit')}(struct sk_buff *skb, "
                   "struct netlink_callback *cb);")
    yield ""
    yield "enum {"
    for name in spec.groups:
        yield f"\t{upper('hbs-nl-mcgrp', name)},"
    yield "};"
    yield ""
    yield "/* The last attributes that a command's request has, and that its dump has */"
    yield f"extern const u8 hbs_nl_maxattr[{spec.command_max()} + 1];"
    yield f"extern const u8 hbs_nl_dump_maxattr[{spec.command_max()} + 1];"
    yield "extern struct genl_family hbs_nl_family;"
    yield ""
    yield "#endif /* HBS_NETLINK_GEN_H */"


def range_name(attribute):
    return lower(attribute["name"], "range")


def policy_entry(operation, attribute):
    kind = KERNEL_TYPES.get(attribute["type"])
    if not kind:
        fail(f"{operation['name']}.{attribute['name']}",
             f"no request can have an attribute of type {attribute['type']!r}")
    checks = attribute.get("checks", {})
    low, high = checks.get("min"), checks.get("max")
    if max(low or 0, high or 0) > SMALL:
        return f"NLA_POLICY_FULL_RANGE({kind}, &{range_name(attribute)})"
    if low is not None and high is not None:
        return f"NLA_POLICY_RANGE({kind}, {low}, {high})"
    if low is not None:
        return f"NLA_POLICY_MIN({kind}, {low})"
    if high is not None:
        return f"NLA_POLICY_MAX({kind}, {high})"
    return f"{{ .type = {kind}, }}"


def ranges(spec):
    """The limits that do not fit into a policy."""
    done = {}
    for operation in spec.requests():
        for attribute in spec.requested(operation):
            name, checks = range_name(attribute), attribute.get("checks")
            if "FULL_RANGE" not in policy_entry(operation, attribute):
                continue
            if done.setdefault(name, checks) is not checks:
                fail(f"{operation['name']}.{attribute['name']}", "has the limits of another set")
            yield f"static struct netlink_range_validation {name} = {{"
            for key in ("min", "max"):
                if key in checks:
                    yield f"\t.{key} = {checks[key]}ULL,"
            yield "};"
            yield ""


def policy(spec, operation):
    attributes = spec.requested(operation)
    last = attribute_name(spec, operation["attribute-set"], attributes[-1]["name"])
    yield f"static const struct nla_policy {policy_name(operation)}[{last} + 1] = {{"
    for attribute in attributes:
        name = attribute_name(spec, operation["attribute-set"], attribute["name"])
        yield f"\t[{name}] = {policy_entry(operation, attribute)},"
    yield "};"
    yield ""


def source(spec):
    yield from generated("GPL-2.0-only", "//", "")
    yield '#include "netlink_gen.h"'
    yield ""
    yield from ranges(spec)
    for operation in spec.requests():
        yield from policy(spec, operation)
    for name, kind in (("hbs_nl_maxattr", "do"), ("hbs_nl_dump_maxattr", "dump")):
        yield f"const u8 {name}[{spec.command_max()} + 1] = {{"
        for operation in spec.requests():
            if kind in operation:
                yield f"\t[{command_name(spec, operation)}] = {spec.last(operation, kind)},"
        yield "};"
        yield ""
    yield "static const struct genl_ops hbs_nl_ops[] = {"
    for operation in spec.requests():
        last = spec.requested(operation)[-1]["name"]
        yield "\t{"
        yield f"\t\t.cmd = {command_name(spec, operation)},"
        yield f"\t\t.policy = {policy_name(operation)},"
        yield f"\t\t.maxattr = {attribute_name(spec, operation['attribute-set'], last)},"
        yield f"\t\t.doit = {handler(operation, 'doit')},"
        if "dump" in operation:
            dump = operation["dump"]
            for key, member in (("pre", "start"), ("post", "done")):
                if key in dump:
                    yield f"\t\t.{member} = {lower(dump[key])},"
            yield f"\t\t.dumpit = {handler(operation, 'dumpit')},"
        yield "\t},"
    yield "};"
    yield ""
    yield "static const struct genl_multicast_group hbs_nl_mcgrps[] = {"
    for name in spec.groups:
        yield (f"\t[{upper('hbs-nl-mcgrp', name)}] = "
               f"{{ .name = {upper(spec.tree['name'], 'mcgrp', name)}, }},")
    yield "};"
    yield ""
    yield "/* All operations are strict: resv_start_op is 0, as for each new family. */"
    yield "struct genl_family hbs_nl_family __ro_after_init = {"
    yield f"\t.name = {upper(spec.tree['name'], 'family-name')},"
    yield f"\t.version = {upper(spec.tree['name'], 'family-version')},"
    yield "\t.netnsok = false,"
    yield "\t.parallel_ops = true,"
    yield "\t.module = THIS_MODULE,"
    yield "\t.ops = hbs_nl_ops,"
    yield "\t.n_ops = ARRAY_SIZE(hbs_nl_ops),"
    yield "\t.mcgrps = hbs_nl_mcgrps,"
    yield "\t.n_mcgrps = ARRAY_SIZE(hbs_nl_mcgrps),"
    yield "};"


def rst_table(head, rows):
    widths = [max(len(row[i]) for row in [head] + rows) for i in range(len(head))]
    rule = " ".join("=" * width for width in widths)

    def line(row):
        return " ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip()
    yield rule
    yield line(head)
    yield rule
    yield from (line(row) for row in rows)
    yield rule
    yield ""


def kind_of(attribute):
    kind = attribute["type"]
    if kind == "nest":
        kind = f"{attribute['nested-attributes']}, nested"
    if attribute.get("multi-attr"):
        kind += ", several"
    if "enum" in attribute:
        kind += f", {attribute['enum']}"
    return kind


def words(names):
    return ", ".join(f"``{name}``" for name in names)


def described(operation):
    """An operation, as an entry of a list of definitions."""
    yield f"``{operation['name']}``"
    yield from wrapped(operation["doc"], "    ", "    ")


def requests(spec):
    for operation in spec.requests():
        yield from described(operation)
        text = f"Attributes: {words(operation['do']['request']['attributes'])}"
        if "dump" in operation:
            text += f"; of a dump: {words(operation['dump']['request']['attributes'])}"
        yield from wrapped(f"{text}.", "    ", "    ")
    yield ""


def events(spec):
    for operation in spec.operations.values():
        if "mcgrp" in operation:
            yield from described(operation)
            if "event" in operation:
                yield f"    Attributes: {words(operation['event']['attributes'])}."
    yield ""


def tables(spec):
    yield ".. SPDX-License-Identifier: GPL-2.0-or-later"
    yield f".. Generated by tools/netlink/generate.py from {SPEC}: do not edit."
    yield ""
    yield "Messages of the netlink family"
    yield "=============================="
    yield ""
    for title, lines in (("Requests", requests), ("Events", events)):
        yield title
        yield "-" * len(title)
        yield ""
        yield from lines(spec)
    for name, item in spec.sets.items():
        title = f"Attributes of {name}"
        yield title
        yield "-" * len(title)
        yield ""
        yield item["doc"]
        yield ""
        yield from rst_table(["attribute", "number", "type", "meaning"], [
            [a["name"], str(number), kind_of(a), a["doc"]]
            for number, a in enumerate(item["attributes"], 1) if a["type"] != "pad"])
    for name, definition in spec.definitions.items():
        title = f"Values of {name}"
        yield title
        yield "-" * len(title)
        yield ""
        where = f" (``{definition['header']}``)" if "header" in definition else ""
        number = "bit" if definition["type"] == "flags" else "value"
        yield f"{definition['doc'].rstrip('.')}{where}."
        yield ""
        docs = any(doc for _, _, doc in entries(definition))
        yield from rst_table(["name", number] + ["meaning"] * docs, [
            [entry, str(value)] + [doc] * docs for entry, value, doc in entries(definition)])


PRODUCTS = {"uapi": uapi, "header": source_header, "source": source, "tables": tables}


def main():
    if len(sys.argv) != 3 or sys.argv[1] not in PRODUCTS:
        sys.exit(__doc__)
    try:
        with open(sys.argv[2], encoding="utf-8") as file:
            tree = yaml.safe_load(file)
    except (OSError, UnicodeError, yaml.YAMLError) as error:
        fail(sys.argv[2], getattr(error, "strerror", None) or error)
    lines = list(PRODUCTS[sys.argv[1]](Spec(tree)))
    while lines and not lines[-1]:
        lines.pop()
    try:
        print("\n".join(lines), flush=True)
    except OSError as error:
        # what is left is not tried again at the end
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        fail("standard output", error.strerror)


main()
