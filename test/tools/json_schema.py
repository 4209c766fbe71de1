"""JSON Schema 2020-12, as far as the schemas of this project use it.

An unknown keyword is an error: a schema must not promise what nothing checks.
Integers are stricter than in the standard: 1.0 is no integer.
"""

import json
import re

TYPES = {"object": dict, "array": list, "string": str, "integer": int,
         "number": (int, float), "boolean": bool}
NOTES = ("$schema", "$id", "title", "description")
SCHEMAS = ("items", "not", "if", "then", "propertyNames",
           "additionalProperties", "unevaluatedProperties")
LISTS = ("allOf", "anyOf", "oneOf")
MAPS = ("properties", "$defs")
PLAIN = ("$ref", "type", "const", "enum", "pattern", "minimum", "maximum",
         "minItems", "required", "dependentRequired")
# The keywords that Schema.check_members handles.
OF_MEMBERS = {"properties", "additionalProperties", "unevaluatedProperties",
              "required", "dependentRequired"}


def subschemas(schema, place="#"):
    """Yields (place, schema) of it and all schemas in it. Checks keywords."""
    if isinstance(schema, bool):
        return
    yield place, schema
    for word, argument in schema.items():
        at = f"{place}/{word}"
        if word in SCHEMAS:
            yield from subschemas(argument, at)
        elif word in LISTS:
            for i, part in enumerate(argument):
                yield from subschemas(part, f"{at}/{i}")
        elif word in MAPS:
            for name, part in argument.items():
                yield from subschemas(part, f"{at}/{name}")
        elif word not in PLAIN + NOTES:
            raise ValueError(f"{at}: this keyword is not known")


class Outcome:
    """The errors of a value, and the parts of the schema that it used."""

    def __init__(self):
        self.errors = []
        self.members = set()  # that a schema mentioned
        self.used = set()     # places of properties and values of enums

    def add(self, other, at=""):
        if other.errors:
            self.errors += [at + error for error in other.errors]
        if other.used:
            self.used |= other.used


class Schema:

    def __init__(self, root):
        self.root = root
        self.parts = dict(subschemas(root))
        self.used = set()
        # By place: for each keyword its check, its argument, and its own place.
        self.rules = {place: [
            (rule, schema[word], f"{place}/{word}") for word in schema
            if (rule := getattr(self, "check_" + word.lstrip("$"), None))]
            for place, schema in self.parts.items()}
        self.of_members = {place for place, schema in self.parts.items()
                           if not OF_MEMBERS.isdisjoint(schema)}
        # By place of an enum: its values as JSON, which tells true from 1.
        self.values = {f"{place}/enum": {json.dumps(one) for one in
                                         schema["enum"]}
                       for place, schema in self.parts.items()
                       if "enum" in schema}

    def places(self):
        """Yields the places of all usable parts: properties, enum values."""
        for place, part in self.parts.items():
            for name in part.get("properties", ()):
                yield f"{place}/properties/{name}"
            for value in part.get("enum", ()):
                yield f"{place}={json.dumps(value)}"

    def errors(self, value, place="#"):
        outcome = self.check(value, place)
        if not outcome.errors:
            self.used |= outcome.used
        return outcome.errors

    def check(self, value, place):
        out = Outcome()
        for rule, argument, at in self.rules[place]:
            rule(argument, value, at, out)
        if place in self.of_members and isinstance(value, dict):
            self.check_members(self.parts[place], value, place, out)
        return out

    def check_here(self, value, place, out):
        """Checks the same value with another schema."""
        other = self.check(value, place)
        out.add(other)
        out.members |= other.members

    def check_members(self, schema, value, place, out):
        for name in schema.get("required", ()):
            if name not in value:
                out.errors.append(f": no {name}")
        for name, others in schema.get("dependentRequired", {}).items():
            for other in others if name in value else ():
                if other not in value:
                    out.errors.append(f": {name} without {other}")
        own = schema.get("properties", {})
        for name in own.keys() & value.keys():
            out.used.add(f"{place}/properties/{name}")
            out.add(self.check(value[name], f"{place}/properties/{name}"),
                    f".{name}")
        for word, known in (("additionalProperties", own.keys()),
                            ("unevaluatedProperties",
                             own.keys() | out.members)):
            if word not in schema:
                continue
            for name in value.keys() - known:
                if schema[word] is False:
                    out.errors.append(f": {name} is not known")
                else:
                    out.add(self.check(value[name], f"{place}/{word}"),
                            f".{name}")
            out.members |= value.keys()
        out.members |= own.keys()

    def check_ref(self, target, value, _, out):
        self.check_here(value, target, out)

    def check_allOf(self, parts, value, place, out):
        for i in range(len(parts)):
            self.check_here(value, f"{place}/{i}", out)

    def check_anyOf(self, parts, value, place, out, most=None):
        outcomes = [self.check(value, f"{place}/{i}")
                    for i in range(len(parts))]
        good = [outcome for outcome in outcomes if not outcome.errors]
        if most and len(good) > most:
            out.errors.append(f": {len(good)} parts of {place} fit")
        # If all fail, the schema with the fewest errors gives the best message.
        for outcome in good or [min(outcomes, key=lambda o: len(o.errors))]:
            out.add(outcome)
            out.members |= outcome.members

    def check_oneOf(self, parts, value, place, out):
        self.check_anyOf(parts, value, place, out, most=1)

    def check_not(self, _, value, place, out):
        if not self.check(value, place).errors:
            out.errors.append(f": is what {place} forbids")

    def check_if(self, _, value, place, out):
        condition = self.check(value, place)
        if not condition.errors:
            out.add(condition)
            self.check_here(value, place[:-len("if")] + "then", out)

    def check_type(self, name, value, _, out):
        if (not isinstance(value, TYPES[name]) or
                isinstance(value, bool) and name != "boolean"):
            out.errors.append(f": {value!r} is no {name}")

    def check_const(self, wanted, value, _, out):
        if json.dumps(value) != json.dumps(wanted):
            out.errors.append(f": {value!r} is not {wanted!r}")

    def check_enum(self, values, value, place, out):
        text = json.dumps(value)
        if text not in self.values[place]:
            out.errors.append(f": {value!r} is none of {values}")
        out.used.add(f"{place[:-len('/enum')]}={text}")

    def check_pattern(self, pattern, value, _, out):
        # In Python, $ would also match before a final line break.
        if isinstance(value, str) and not re.search(
                pattern.replace("$", r"\Z"), value):
            out.errors.append(f": {value!r} does not match {pattern}")

    def check_minimum(self, least, value, _, out):
        if isinstance(value, (int, float)) and not value >= least:
            out.errors.append(f": {value} is less than {least}")

    def check_maximum(self, most, value, _, out):
        if isinstance(value, (int, float)) and not value <= most:
            out.errors.append(f": {value} is more than {most}")

    def check_minItems(self, least, value, _, out):
        if isinstance(value, list) and len(value) < least:
            out.errors.append(f": fewer than {least}")

    def check_items(self, _, value, place, out):
        if isinstance(value, list):
            for i, item in enumerate(value):
                out.add(self.check(item, place), f"[{i}]")

    def check_propertyNames(self, _, value, place, out):
        if isinstance(value, dict):
            for name in value:
                out.add(self.check(name, place))
