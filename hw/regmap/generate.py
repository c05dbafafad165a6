#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Make the C headers, the SystemVerilog package and the documentation tables from the
register map.

usage: generate.py header|list|package|tables MAP.yaml     print one of them

header: the names, hbs_regs.h. list: blocks and registers as X macros, for code that
goes through all of them, hbs_list.h. package: the names for the card in hardware,
hbs_regs_pkg.sv. tables: for the documentation.
"""
import os
import sys
import textwrap

import yaml

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../tools/shared"))
from shape import check_shape, check_type  # noqa: E402

FIELD_KEYS = {"name", "bits", "doc", "enum", "reserved"}
REGISTER_KEYS = {"name", "offset", "width", "access", "reset", "doc", "fields",
                 "count", "enum", "reserved"}
ACCESSES = {"ro", "rw", "wo", "w1c"}
CAPABILITIES = {"version", "features", "ports", "groups", "group_types"}


# The keys that a map has, and their types; a list has at least one item, each of that shape.
# A key with a "?" may be missing.
FIELD = {"name": str, "bits": (str, int), "doc": str, "enum?": str, "reserved?": bool}
REGISTER = {"name": str, "offset": int, "width": int, "access": str, "reset": (int, str),
            "doc": str, "fields?": [FIELD], "count?": int, "enum?": str, "reserved?": bool}
MAP = {
    "version": {"major": int, "minor": int},
    "pci": {},
    "bar0_size": int,
    "enums": [{"name": str, "doc": str, "values": [
        {"name": str, "doc": str, "value?": int, "bit?": int, "reserved?": bool}]}],
    "layouts": [{"name": str, "doc": str, "width": int, "fields": [FIELD]}],
    "records": [{"name": str, "doc": str, "stride": int, "words": [
        {"name": str, "doc": str, "offset": int, "width": int}]}],
    "blocks": [{"name": str, "block": str, "version": int, "offset": int, "doc": str,
                "stride?": int, "instances?": int, "registers": [REGISTER]}],
}


def fail(where, what):
    sys.exit(f"regmap: {where}: {what}")


def check_values(enum):
    for value in enum["values"]:
        if ("bit" in value) == ("value" in value):
            fail(f"{enum['name']}.{value['name']}", "has not one of 'value' and 'bit'")
        if ("bit" in value) != ("bit" in enum["values"][0]):
            fail(enum["name"], "has both values and bits")


def bit_range(where, bits):
    """The (high, low) pair of a field's "7:4" or "3"."""
    try:
        high, _, low = str(bits).partition(":")
        high, low = int(high), int(low or high)
    except ValueError:
        fail(where, f"bits {bits!r} is not HIGH:LOW")
    if high < low:
        fail(where, f"bits {bits!r}: the high bit comes first")
    return high, low


def check_fields(where, width, fields, enums):
    used = 0
    for field in fields:
        here = f"{where}.{field.get('name')}"
        if set(field) - FIELD_KEYS:
            fail(here, f"unknown keys {sorted(set(field) - FIELD_KEYS)}")
        high, low = bit_range(here, field["bits"])
        if high >= width:
            fail(here, f"bit {high} is outside {width} bits")
        mask = ((1 << (high - low + 1)) - 1) << low
        if mask & used:
            fail(here, "overlaps another field")
        used |= mask
        if field.get("enum", next(iter(enums))) not in enums:
            fail(here, f"no enum {field['enum']!r}")


def check_block(block, enums):
    end = 0
    for reg in block["registers"]:
        where = f"{block['name']}.{reg.get('name')}"
        if set(reg) - REGISTER_KEYS:
            fail(where, f"unknown keys {sorted(set(reg) - REGISTER_KEYS)}")
        size = reg["width"] // 8
        if reg["width"] not in (32, 64) or reg["offset"] % size:
            fail(where, "is not 32 or 64 bits wide and naturally aligned")
        if reg["offset"] < end:
            fail(where, "overlaps the register before it")
        if reg["access"] not in ACCESSES:
            fail(where, f"access {reg['access']!r} is none of {sorted(ACCESSES)}")
        if isinstance(reg["reset"], str) and reg["reset"] not in CAPABILITIES:
            fail(where, f"reset {reg['reset']!r} names no capability")
        end = reg["offset"] + size * reg.get("count", 1)
        check_fields(where, reg["width"], reg.get("fields", []), enums)
    if end > block.get("stride", end):
        fail(block["name"], "does not fit its stride")
    return block["offset"] + block.get("stride", end) * block.get("instances", 1)


def check_types(regmap):
    """Check that each block has a type of the block list."""
    types = {value["name"] for enum in regmap["enums"] if enum["name"] == "block"
             for value in enum["values"]}
    for block in regmap["blocks"]:
        if block["block"] not in types:
            fail(block["name"], f"{block['block']!r} is no block type")


def fields_of(regmap):
    for layout in regmap["layouts"]:
        yield from layout["fields"]
    for block in regmap["blocks"]:
        for reg in block["registers"]:
            yield from reg.get("fields", [])


def value_width(regmap, enum):
    """Bits of the fields that carry the enum; 32 if only words carry it."""
    widths = {high - low + 1 for high, low in (
        bit_range(enum["name"], field["bits"]) for field in fields_of(regmap)
        if field.get("enum") == enum["name"])} or {32}
    if len(widths) > 1:
        fail(enum["name"], "has fields of several widths")
    width = widths.pop()
    for value in enum["values"]:
        if value.get("value", 0) >> width:
            fail(f"{enum['name']}.{value['name']}", f"does not fit {width} bits")
    return width


def check(regmap):
    """Refuse a map that lacks something, or contradicts itself."""
    check_shape(fail, "map", regmap, MAP)
    for enum in regmap["enums"]:
        check_values(enum)
    for key, value in regmap["pci"].items():
        check_type(fail, f"map.pci.{key}", value, int)
    enums = {enum["name"]: enum for enum in regmap["enums"]}
    end = 0
    for block in regmap["blocks"]:
        if block["offset"] < end:
            fail(block["name"], "overlaps the block before it")
        end = check_block(block, enums)
    if end > regmap["bar0_size"]:
        fail("bar0_size", f"is smaller than the map, {end:#x}")
    for layout in regmap["layouts"]:
        check_fields(layout["name"], layout["width"], layout["fields"], enums)
    check_types(regmap)
    for enum in regmap["enums"]:
        value_width(regmap, enum)


def define(name, value, width=0):
    name = f"#define {name}"
    tabs = "\t" * max(1, (48 - len(name) + 7) // 8)
    suffix = "ULL" if width == 64 else ""
    text = value if isinstance(value, str) else f"{value:#x}{suffix}"
    return f"{name}{tabs}{text}"


def comment(text):
    """The lines of a C comment."""
    if len(text) <= 90:
        yield f"/* {text} */"
        return
    yield "/*"
    yield from textwrap.wrap(text, 90, initial_indent=" * ", subsequent_indent=" * ")
    yield " */"


def field_lines(prefix, width, fields):
    for field in fields:
        high, low = bit_range(prefix, field["bits"])
        name = f"{prefix}_{field['name'].upper()}"
        yield define(name, ((1 << (high - low + 1)) - 1) << low, width)
        if high != low:
            yield define(f"{name}_SHIFT", str(low))


def block_lines(block):
    prefix = f"HBSR_{block['name'].upper()}"
    base = block["offset"]
    yield from comment(block["doc"])
    if "stride" in block:
        yield define(f"{prefix}_BASE", base)
        yield define(f"{prefix}_STRIDE", block["stride"])
        base = 0
    for reg in block["registers"]:
        name = f"{prefix}_{reg['name'].upper()}"
        offset = base + reg["offset"]
        if "count" in reg:
            yield define(f"{name}(i)", f"({offset:#x} + (i) * {reg['width'] // 8})")
            yield define(f"{name}_COUNT", str(reg["count"]))
        else:
            yield define(name, offset)
        yield from field_lines(name, reg["width"], reg.get("fields", []))
        if isinstance(reg["reset"], int) and reg["reset"]:
            yield define(f"{name}_DEFAULT", reg["reset"])
    yield ""


def header(regmap):
    yield "/* SPDX-License-Identifier: GPL-2.0-or-later */"
    yield "/* Generated by hw/regmap/generate.py from hbs.yaml: do not edit. */"
    yield "#ifndef HBS_REGS_H"
    yield "#define HBS_REGS_H"
    yield ""
    for key, value in regmap["version"].items():
        yield define(f"HBSR_VERSION_{key.upper()}", str(value))
    for key, value in regmap["pci"].items():
        bar = key.startswith("bar_")
        yield define(f"HBSR_{key.upper()}" if bar else f"HBSR_PCI_{key.upper()}",
                     str(value) if bar else value)
    yield define("HBSR_BAR0_SIZE", regmap["bar0_size"])
    yield ""
    for enum in regmap["enums"]:
        yield from comment(enum["doc"])
        for value in enum["values"]:
            name = f"HBSR_{enum['name'].upper()}_{value['name'].upper()}"
            if "bit" in value:
                yield define(name, 1 << value["bit"], 64)
            else:
                yield define(name, str(value["value"]))
        yield ""
    for layout in regmap["layouts"]:
        yield from comment(layout["doc"])
        yield from field_lines(f"HBSR_{layout['name'].upper()}", layout["width"],
                               layout["fields"])
        yield ""
    for record in regmap["records"]:
        prefix = f"HBSR_{record['name'].upper()}"
        yield from comment(record["doc"])
        yield define(f"{prefix}_STRIDE", str(record["stride"]))
        for word in record["words"]:
            yield define(f"{prefix}_{word['name'].upper()}", word["offset"])
        yield ""
    for block in regmap["blocks"]:
        yield from block_lines(block)
    yield "#endif /* HBS_REGS_H */"


def block_size(block):
    """Bytes of a block, all its instances together."""
    last = block["registers"][-1]
    end = last["offset"] + last["width"] // 8 * last.get("count", 1)
    return block.get("stride", end) * block.get("instances", 1)


def meaningful(reg):
    """The bits of a register that are not reserved."""
    if "fields" not in reg:
        return (1 << reg["width"]) - 1
    mask = 0
    for field in reg["fields"]:
        if not field.get("reserved"):
            high, low = bit_range(reg["name"], field["bits"])
            mask |= ((1 << (high - low + 1)) - 1) << low
    return mask


def listed_register(block, reg):
    reset = reg["reset"]
    if isinstance(reset, str):
        reset = f"HBSR_RESET_{reset.upper()}"
    else:
        reset = f"{reset:#x}"
    fields = [block["name"].upper(), reg["name"].upper(),
              f"{(0 if 'stride' in block else block['offset']) + reg['offset']:#x}",
              str(reg["width"]), str(reg.get("count", 1)), reg["access"].upper(),
              reset, f"{meaningful(reg):#x}ULL"]
    return f"X({', '.join(fields)})"


def macro(name, lines):
    yield f"#define {name}(X) \\"
    for i, line in enumerate(lines):
        yield f"\t{line}" + (" \\" if i + 1 < len(lines) else "")
    yield ""


def register_list(regmap):
    yield "/* SPDX-License-Identifier: GPL-2.0-or-later */"
    yield "/* Generated by hw/regmap/generate.py from hbs.yaml: do not edit. */"
    yield "#ifndef HBS_LIST_H"
    yield "#define HBS_LIST_H"
    yield ""
    yield "/* Blocks: X(name, type, version, offset in BAR 0, size) */"
    yield from macro("HBSR_BLOCK_LIST", [
        f"X({b['name'].upper()}, HBSR_BLOCK_{b['block'].upper()}, {b['version']}, "
        f"{b['offset']:#x}, {block_size(b):#x})" for b in regmap["blocks"]])
    yield "/*"
    yield " * Registers that are not reserved: X(block, name, offset, width, count,"
    yield " * access, reset, bits that are not reserved). The offset is one in BAR 0, or"
    yield " * in the entry of the group table. Resets that are not numbers are for the"
    yield " * includer to define."
    yield " */"
    for block in regmap["blocks"]:
        yield from macro(f"HBSR_{block['name'].upper()}_REGISTERS", [
            listed_register(block, reg) for reg in block["registers"]
            if not reg.get("reserved")])
    yield "#endif /* HBS_LIST_H */"


def camel(*names):
    return "".join(part[:1].upper() + part[1:].lower()
                   for name in names for part in name.split("_"))


def number(name, value):
    """A constant that tools count with: a width, a stride, a bit."""
    return f"  localparam int unsigned {name} = {value};"


def vector(name, width, value):
    """A constant that signals of this width are compared with, or get."""
    return (f"  localparam logic [{width - 1}:0] {name} = "
            f"{width}'h{value:0{(width + 3) // 4}x};")


def remark(text):
    yield from textwrap.wrap(text, 98, initial_indent="  // ", subsequent_indent="  // ")


def address_width(size):
    return (size - 1).bit_length()


def package_fields(prefix, width, fields):
    for field in fields:
        high, low = bit_range(prefix, field["bits"])
        name = prefix + camel(field["name"])
        yield vector(f"{name}Mask", width, ((1 << (high - low + 1)) - 1) << low)
        yield number(f"{name}Low", low)
        yield number(f"{name}Width", high - low + 1)


def package_enum(regmap, enum):
    prefix = camel(enum["name"])
    yield from remark(enum["doc"])
    if "bit" in enum["values"][0]:
        for value in enum["values"]:
            name = prefix + camel(value["name"])
            yield vector(name, 64, 1 << value["bit"])
            yield number(f"{name}Bit", value["bit"])
        yield from remark("All of them that are not reserved.")
        yield vector(f"{prefix}All", 64, sum(
            1 << value["bit"] for value in enum["values"] if not value.get("reserved")))
    else:
        width = value_width(regmap, enum)
        yield number(f"{prefix}Width", width)
        for value in enum["values"]:
            yield vector(prefix + camel(value["name"]), width, value["value"])
    yield ""


def package_block(regmap, block):
    prefix = camel(block["name"])
    types = {value["name"]: value["value"] for enum in regmap["enums"]
             if enum["name"] == "block" for value in enum["values"]}
    yield from remark(block["doc"])
    # as the block list has them
    yield vector(f"{prefix}BlockType", 32, types[block["block"]])
    yield vector(f"{prefix}BlockVersion", 32, block["version"])
    yield vector(f"{prefix}BlockOffset", 32, block["offset"])
    yield vector(f"{prefix}BlockSize", 32, block_size(block))
    base, size = block["offset"], regmap["bar0_size"]
    if "stride" in block:
        base, size = 0, block["stride"]
        yield vector(f"{prefix}Base", address_width(regmap["bar0_size"]), block["offset"])
        yield number(f"{prefix}Stride", block["stride"])
        yield number(f"{prefix}Instances", block.get("instances", 1))
    for reg in block["registers"]:
        name = prefix + camel(reg["name"])
        yield vector(f"{name}Offset", address_width(size), base + reg["offset"])
        yield number(f"{name}Width", reg["width"])
        if "count" in reg:
            yield number(f"{name}Count", reg["count"])
            yield number(f"{name}Stride", reg["width"] // 8)
        if isinstance(reg["reset"], int) and reg["reset"]:
            yield vector(f"{name}Default", reg["width"], reg["reset"])
        if "fields" in reg:
            yield vector(f"{name}Mask", reg["width"], meaningful(reg))
            yield from package_fields(name, reg["width"], reg["fields"])
    yield ""


def package_constants(regmap):
    for key, value in regmap["version"].items():
        yield vector(f"Version{camel(key)}", 16, value)
    for key, value in regmap["pci"].items():
        if key.startswith("bar_"):
            yield number(camel(key), value)
        else:
            yield vector(f"Pci{camel(key)}", 16, value)
    yield number("Bar0Size", regmap["bar0_size"])
    yield number("Blocks", len(regmap["blocks"]))
    yield ""
    for enum in regmap["enums"]:
        yield from package_enum(regmap, enum)
    for layout in regmap["layouts"]:
        yield from remark(layout["doc"])
        yield from package_fields(camel(layout["name"]), layout["width"],
                                  layout["fields"])
        yield ""
    for record in regmap["records"]:
        prefix = camel(record["name"])
        yield from remark(record["doc"])
        yield number(f"{prefix}Stride", record["stride"])
        for word in record["words"]:
            yield vector(f"{prefix}{camel(word['name'])}Offset",
                         address_width(record["stride"]), word["offset"])
        yield ""
    for block in regmap["blocks"]:
        yield from package_block(regmap, block)


def package(regmap):
    yield "// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1"
    yield "// Generated by hw/regmap/generate.py from hbs.yaml: do not edit."
    yield "//"
    yield "// Offset: in BAR 0, in the entry of GRP or PRT, in the lane, or in the record. Stride:"
    yield "// bytes from one to the next. Low: the lowest bit of a field. Mask: the bits of a field,"
    yield "// or those of a register that are not reserved. Default: the value after a reset, where"
    yield "// it is not 0."
    yield ""
    yield "// verilator lint_off UNUSEDPARAM"
    yield "package hbs_regs_pkg;"
    yield ""
    lines = list(package_constants(regmap))
    names = set()
    for line in lines:
        name = line.partition(" = ")[0].rpartition(" ")[2]
        if line.startswith("  localparam") and name in names:
            fail(name, "is the name of two constants")
        names.add(name)
    yield from lines
    yield "endpackage"
    yield "// verilator lint_on UNUSEDPARAM"


def table(headings, rows):
    yield ".. list-table::"
    yield "   :header-rows: 1"
    yield ""
    for row in [headings, *rows]:
        for i, cell in enumerate(row):
            yield f"   {'*' if i == 0 else ' '} - {cell}".rstrip()
    yield ""


def title(text, line):
    yield text
    yield line * len(text)
    yield ""


def reset_text(reg):
    reset = reg["reset"]
    return f"{reset:#x}" if isinstance(reset, int) else f"*{reset}*"


def reserved(item):
    return "Reserved. " if item.get("reserved") else ""


def field_rows(fields):
    for field in fields:
        enum = f" Values: `{field['enum']}`_." if "enum" in field else ""
        yield [field["bits"], field["name"].upper(),
               f"{reserved(field)}{field['doc']}{enum}"]


def tables(regmap):
    yield ".. SPDX-License-Identifier: GPL-2.0-or-later"
    yield ".. Generated by hw/regmap/generate.py from hbs.yaml: do not edit."
    yield ""
    yield from title("Blocks", "-")
    yield from table(["offset", "block", "version", "what it is"], (
        [f"{b['offset']:#07x}", b["name"].upper(), b["version"], b["doc"]]
        for b in regmap["blocks"]))
    for block in regmap["blocks"]:
        name = block["name"].upper()
        yield from title(f"Block {name}", "-")
        where = f"BAR 0 offset {block['offset']:#07x}"
        if "stride" in block:
            where += f" + g * {block['stride']:#x}"
        yield f"{block['doc']} {where}."
        yield ""
        yield from table(["offset", "register", "bits", "access", "reset", "meaning"], (
            [f"{r['offset']:#05x}",
             f"{name}_{r['name'].upper()}" + (f" [{r['count']}]" if "count" in r else ""),
             r["width"], r["access"], reset_text(r), f"{reserved(r)}{r['doc']}"]
            for r in block["registers"]))
        for reg in block["registers"]:
            if "fields" in reg:
                yield f"Fields of {name}_{reg['name'].upper()}:"
                yield ""
                yield from table(["bits", "field", "meaning"],
                                 field_rows(reg["fields"]))
    for layout in regmap["layouts"]:
        yield from title(f"Layout of the epoch {layout['name']}", "-")
        yield layout["doc"]
        yield ""
        yield from table(["bits", "field", "meaning"], field_rows(layout["fields"]))
    for record in regmap["records"]:
        yield from title(f"Layout of a {record['name']}", "-")
        yield f"{record['doc']} {record['stride']} bytes."
        yield ""
        yield from table(["offset", "word", "bits", "meaning"], (
            [f"{w['offset']:#04x}", w["name"].upper(), w["width"], w["doc"]]
            for w in record["words"]))
    for enum in regmap["enums"]:
        yield from title(enum["name"], "-")
        yield enum["doc"]
        yield ""
        yield from table(["value", "name", "meaning"], (
            [f"bit {v['bit']}" if "bit" in v else v["value"], v["name"].upper(),
             f"{reserved(v)}{v['doc']}"] for v in enum["values"]))


OUTPUTS = {"header": header, "list": register_list, "package": package,
           "tables": tables}


def main(argv):
    if len(argv) != 3 or argv[1] not in OUTPUTS:
        sys.exit(__doc__.strip())
    try:
        with open(argv[2], encoding="utf-8") as file:
            regmap = yaml.safe_load(file)
    except (OSError, UnicodeError, yaml.YAMLError) as error:
        fail(argv[2], getattr(error, "strerror", error))
    check(regmap)
    lines = list(OUTPUTS[argv[1]](regmap))
    while lines and not lines[-1]:
        lines.pop()
    try:
        print("\n".join(lines), flush=True)
    except OSError as error:
        # what is left is not tried again at the end
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        fail("standard output", error.strerror)


main(sys.argv)
