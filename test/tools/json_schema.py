"""The schemas of this project, checked by the package `jsonschema`.

The schemas are checked more strictly than JSON Schema 2020-12 asks for: an
unknown keyword is an error, 1.0 is not an integer, and a pattern that ends in $
refuses a line break at the end of the text.

For speed, Schema replaces the rules of three more keywords. The package's own
rules resolve the URI of each $ref, collect what is wrong with each part of a
oneOf, and check all members again for each unevaluatedProperties. With them,
ashlar_schema_test.py takes 110 seconds of CPU time instead of 17 (version 4.10
of the package, which Debian 12 has).
"""

import json
import re

from jsonschema import Draft202012Validator, ValidationError, validators
from jsonschema.exceptions import best_match

KEYWORDS = {*Draft202012Validator.VALIDATORS, "$schema", "$id", "$defs",
            "title", "description", "then"}
# Their arguments have schemas by name, or no schemas.
MAPS = {"properties", "$defs"}
PLAIN = {"const", "enum", "required", "dependentRequired"}
ALL_MEMBERS = {"additionalProperties", "unevaluatedProperties"}


def subschemas(schema, place="#"):
    """Yields (place, schema) of it and of all in it, and checks keywords."""
    if not isinstance(schema, dict):
        return
    yield place, schema
    for word, argument in schema.items():
        at = f"{place}/{word}"
        if word not in KEYWORDS:
            raise ValueError(f"{at}: this keyword is not known")
        if word in MAPS:
            for name, part in argument.items():
                yield from subschemas(part, f"{at}/{name}")
        elif isinstance(argument, list):
            for i, part in enumerate(argument):
                yield from subschemas(part, f"{at}/{i}")
        elif word not in PLAIN:
            yield from subschemas(argument, at)


class Schema:

    def __init__(self, root):
        Draft202012Validator.check_schema(root)
        # Where jsonschema meets $schema, it takes the rules of the standard.
        root = {word: root[word] for word in root if word != "$schema"}
        self.parts = dict(subschemas(root))
        self.place_of = {id(part): place for place, part in self.parts.items()}
        self.used = set()  # places of properties and values of enums
        self.validator = validators.extend(
            Draft202012Validator,
            {"$ref": self.ref, "oneOf": self.one_of, "pattern": self.pattern,
             "unevaluatedProperties": self.unevaluated_properties},
            type_checker=Draft202012Validator.TYPE_CHECKER.redefine(
                "integer", lambda _, value: type(value) is int))(root)

    def places(self):
        """Yields all that can be used: properties, and values of enums."""
        for place, part in self.parts.items():
            for name in part.get("properties", ()):
                yield f"{place}/properties/{name}"
            for value in part.get("enum", ()):
                yield f"{place}={json.dumps(value)}"

    def fits(self, value, place="#"):
        return self.fits_part(value, self.parts[place])

    def fits_part(self, value, part):
        return self.validator.evolve(schema=part).is_valid(value)

    def errors(self, value, place="#"):
        """Returns what is wrong with a value. If it fits, notes which parts of
        the schema it uses."""
        part = self.parts[place]
        errors = []
        for error in self.validator.evolve(schema=part).iter_errors(value):
            error = best_match([error])
            errors.append(f"{error.json_path}: {error.message[:300]}")
        if not errors:
            self.use(value, part)
        return errors

    def use(self, value, schema):
        """Notes which properties and values of enums a value has, by a schema
        that it fits."""
        if not isinstance(schema, dict):
            return
        place = self.place_of[id(schema)]
        for part in self.parts_for(value, schema):
            self.use(value, part)
        if "enum" in schema:
            self.used.add(f"{place}={json.dumps(value)}")
        if isinstance(value, list):
            for item in value:
                self.use(item, schema.get("items"))
        if not isinstance(value, dict):
            return
        for name, member in value.items():
            self.use(name, schema.get("propertyNames"))
            if name in schema.get("properties", ()):
                self.used.add(f"{place}/properties/{name}")
                self.use(member, schema["properties"][name])
            else:
                self.use(member, schema.get("additionalProperties"))

    def parts_for(self, value, schema):
        """Returns the parts of a schema that take the same value."""
        parts = [*schema.get("allOf", ())]
        parts += [part for word in ("anyOf", "oneOf")
                  for part in schema.get(word, ())
                  if self.fits_part(value, part)]
        if "$ref" in schema:
            parts.append(self.parts[schema["$ref"]])
        if "if" in schema and self.fits_part(value, schema["if"]):
            parts += [schema["if"], schema["then"]]
        return parts

    def members(self, value, schema):
        """Returns the names of members that a schema speaks of."""
        if not ALL_MEMBERS.isdisjoint(schema):
            return value.keys()
        return schema.get("properties", {}).keys() | {
            name for part in self.parts_for(value, schema)
            for name in self.members(value, part)}

    # --- Rules of keywords ----------------------------------------------------

    def ref(self, validator, target, value, _):
        yield from validator.descend(value, self.parts[target])

    def one_of(self, _, parts, value, __):
        fitting = sum(self.fits_part(value, part) for part in parts)
        if fitting != 1:
            yield ValidationError(f"{fitting} parts of a oneOf fit")

    def pattern(self, _, pattern, value, __):
        # A $ of Python would let a line break pass.
        if isinstance(value, str) and not re.search(
                pattern.replace("$", r"\Z"), value):
            yield ValidationError(f"{value!r} does not match {pattern}")

    def unevaluated_properties(self, validator, argument, value, schema):
        if not isinstance(value, dict):
            return
        others = {word: schema[word] for word in schema
                  if word != "unevaluatedProperties"}
        for name in value.keys() - self.members(value, others):
            if argument is False:
                yield ValidationError(f"{name} is not known")
            else:
                yield from validator.descend(value[name], argument, path=name)
