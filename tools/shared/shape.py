# SPDX-License-Identifier: GPL-2.0-or-later
"""The shape of a YAML file, for generators: which keys it has, and of which types.

A shape is a type or a tuple of types; a list of one shape, for a list with at least one
item, each of that shape; or a dictionary of keys and their shapes. A key with a "?" may be
missing.
"""


def check_type(fail, where, item, types):
    types = types if isinstance(types, tuple) else (types,)
    # true and false are numbers for Python
    if not isinstance(item, types) or (isinstance(item, bool) and bool not in types):
        fail(where, f"{item!r} is not of type "
             + " or ".join(kind.__name__ for kind in types))


def check_shape(fail, where, item, shape, only_known=False):
    """Call fail(where, what) unless the item has all that the shape asks for.

    only_known: and no other keys.
    """
    if isinstance(shape, list):
        check_type(fail, where, item, list)
        if not item:
            fail(where, "is empty")
        for number, each in enumerate(item):
            name = each.get("name", number) if isinstance(each, dict) else number
            check_shape(fail, f"{where}.{name}", each, shape[0], only_known)
    elif isinstance(shape, dict):
        check_type(fail, where, item, dict)
        for key in item:
            if only_known and key not in shape and f"{key}?" not in shape:
                fail(where, f"has an unknown key {key!r}")
        for key, inner in shape.items():
            name = key.rstrip("?")
            if name in item:
                check_shape(fail, f"{where}.{name}", item[name], inner, only_known)
            elif not key.endswith("?"):
                fail(where, f"has no {key!r}")
    else:
        check_type(fail, where, item, shape)
