"""Finds places in C++ sources where a small change may go unnoticed.

It has no parser of C++: it looks at a text in which comments, literals of
characters and preprocessor lines are blank, and relies on clang-format's
spaces. What it finds need not compile. run.py leaves out what does not.

All mutants are compiled into one program. On(n) (mutant.h) is true while mutant
n is switched on, so the text that replaces the old one does what the old one
did unless On(n).
"""

import collections
import dataclasses
import random
import re

# The kinds of changes, and what each does.
KINDS = {
    "condition": "a condition is its opposite",
    "operand": "an operand of && or || does not count",
    "comparison": "a comparison takes or leaves out what is equal",
    "number": "a number is one more",
    "truth": "true is false, or false is true",
    "extreme": "std::min is std::max, or the other way round",
    "addition": "+= is -=, or the other way round",
    "statement": "a statement is left out",
}

# A line with one of these has values that are needed when it is compiled.
COMPILE_TIME = re.compile(
    r"\b(constexpr|consteval|static_assert|enum|case|template|constinit|using"
    r"|alignas|concept|requires|namespace)\b"
    r"|^\s*k\w+(?: = [^;]*)?,$")  # the last is an enumerator
COMPARISONS = {" < ": " <= ", " <= ": " < ", " > ": " >= ", " >= ": " > "}


@dataclasses.dataclass(frozen=True)
class Mutant:
    """A change of text[start:end]. `switched` has {n} where its number goes."""
    path: str
    start: int
    end: int
    kind: str
    old: str
    switched: str

    def line(self, text):
        return text.count("\n", 0, self.start) + 1


def masked(text):
    """The same text, with blanks for what is not code. Offsets stay."""
    pattern = re.compile(
        r'//[^\n]*|/\*.*?\*/|R"\((?:.*?)\)"|"(?:\\.|[^"\\\n])*"'
        r"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'"
        r"|^[ \t]*#(?:\\\n|[^\n])*", re.S | re.M)
    return pattern.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), text)


def closing(code, opening):
    """Where the parenthesis closes that opens at `opening`, or None."""
    depth = 0
    for at in range(opening, len(code)):
        if code[at] in "([{":
            depth += 1
        elif code[at] in ")]}":
            depth -= 1
            if depth == 0:
                return at
    return None


def split(code, start, end, separators):
    """Parts of code[start:end] between separators outside of parentheses.

    Returns the parts as pairs of offsets, and the set of separators found."""
    parts, found, depth, begin, at = [], set(), 0, start, start
    while at < end:
        if code[at] in "([{":
            depth += 1
        elif code[at] in ")]}":
            depth -= 1
        elif depth == 0:
            for separator in separators:
                if code.startswith(separator, at):
                    parts.append((begin, at))
                    found.add(separator)
                    at += len(separator) - 1
                    begin = at + 1
                    break
        at += 1
    parts.append((begin, end))
    return parts, found


def stripped(code, start, end):
    while start < end and code[start].isspace():
        start += 1
    while start < end and code[end - 1].isspace():
        end -= 1
    return start, end


def in_comparison(path, text, code, start, end):
    """The mutants of code[start:end], if it is one comparison."""
    start, end = stripped(code, start, end)
    parts, found = split(code, start, end, list(COMPARISONS))
    if len(parts) != 2 or len(found) != 1:
        return
    if any(mark in code[start:end] for mark in ("?", " = ", "&&", "||", "<<")):
        return
    sign = found.pop()
    left, right = (text[a:b] for a, b in parts)
    yield Mutant(path, start, end, "comparison", text[start:end],
                 f"(ashlar_mutants::On({{n}}) ? ({left}){COMPARISONS[sign]}"
                 f"({right}) : ({left}){sign}({right}))")


def in_condition(path, text, code, start, end):
    """The mutants of the condition at code[start:end]."""
    # `if (auto found = ...; found.ok())` has it in its last part.
    start = split(code, start, end, [";"])[0][-1][0]
    start, end = stripped(code, start, end)
    if start == end:
        return
    old = text[start:end]
    yield Mutant(path, start, end, "condition", old,
                 f"static_cast<bool>({old}) != ashlar_mutants::On({{n}})")
    operands, found = split(code, start, end, ["&&", "||"])
    for a, b in operands:
        a, b = stripped(code, a, b)
        yield from in_comparison(path, text, code, a, b)
        if len(found) != 1 or len(operands) < 2:
            continue
        ignored = ("ashlar_mutants::On({n}) ||" if "&&" in found else
                   "!ashlar_mutants::On({n}) &&")
        yield Mutant(path, a, b, "operand", text[a:b],
                     f"({ignored} static_cast<bool>({text[a:b]}))")


def conditions(path, text, code):
    for match in re.finditer(r"\b(?:if|while) \(", code):
        opening = match.end() - 1
        end = closing(code, opening)
        if end is not None:
            yield from in_condition(path, text, code, opening + 1, end)
    for match in re.finditer(r"\bfor \(", code):
        opening = match.end() - 1
        end = closing(code, opening)
        if end is None:
            continue
        parts, _ = split(code, opening + 1, end, [";"])
        if len(parts) == 3:
            yield from in_comparison(path, text, code, *parts[1])
    for match in re.finditer(r"\breturn ([^;{}]+);", code):
        start, end = match.span(1)
        for a, b in split(code, start, end, ["&&", "||"])[0]:
            yield from in_comparison(path, text, code, a, b)


def literals(path, text, code):
    for match in re.finditer(
            r"(?<![\w.'<])(0x[0-9A-Fa-f]+|\d+)[uUlL]*(?![\w.'])", code):
        old = match.group()
        yield Mutant(path, *match.span(), "number", old,
                     f"(ashlar_mutants::On({{n}}) ? 1 + {old} : {old})")
    for match in re.finditer(r"\b(?:true|false)\b", code):
        yield Mutant(path, *match.span(), "truth", match.group(),
                     f"({match.group()} != ashlar_mutants::On({{n}}))")


def extremes(path, text, code):
    for match in re.finditer(r"\bstd::(min|max)(?:<[\w:]+>)?\(", code):
        end = closing(code, match.end() - 1)
        if end is None:
            continue
        old = text[match.start():end + 1]
        other = "max" if match.group(1) == "min" else "min"
        new = old.replace("std::" + match.group(1), "std::" + other, 1)
        yield Mutant(path, match.start(), end + 1, "extreme", old,
                     f"(ashlar_mutants::On({{n}}) ? {new} : {old})")


# A statement of one line: a call, or an assignment to what exists.
STATEMENT = re.compile(
    r"^[ ]+((?:\+\+|--|\*)?[A-Za-z_][\w.:\[\]]*(?:->[\w.\[\]]+)*"
    r"(?:\([^;{}]*\)|(?:->|\.)\w+\([^;{}]*\)| [-+|&^*]?= [^;{}]+|)"
    r");$", re.M)
NO_STATEMENT = re.compile(
    r"(return|break|continue|delete|throw|goto|co_\w+|using|typedef|friend"
    r"|public|private|protected|static_assert|assert)\b")


def statements(path, text, code):
    for match in STATEMENT.finditer(code):
        start, end = match.span(1)
        old = text[start:end]
        # A line that goes on from the one before is a part of a statement.
        before = code[:match.start()].rstrip()
        if NO_STATEMENT.match(old) or before[-1:] not in (";", "{", "}", ""):
            continue
        if old.count("(") != old.count(")") or re.fullmatch(r"\w+", old):
            continue
        yield Mutant(path, start, end, "statement", old,
                     f"if (!ashlar_mutants::On({{n}})) {old}")
        sign = re.search(r" ([-+])= ", old)
        if sign:
            other = " -= " if sign.group(1) == "+" else " += "
            new = old[:sign.start()] + other + old[sign.end():]
            yield Mutant(path, start, end, "addition", old,
                         f"if (ashlar_mutants::On({{n}})) {new}; else {old}")


def of_source(path, text):
    """All mutants of a source, in the order of their places."""
    code = masked(text)
    found = []
    for finder in (conditions, literals, extremes, statements):
        for mutant in finder(path, text, code):
            begin = code.rfind("\n", 0, mutant.start) + 1
            end = code.find("\n", mutant.end)
            if not COMPILE_TIME.search(code[begin:end]):
                found.append(mutant)
    return sorted(found, key=lambda m: (m.start, m.end, m.kind))


def overlaps(mutant, others):
    return any(mutant.path == other.path and mutant.start < other.end and
               other.start < mutant.end for other in others)


def in_random_order(mutants, seed):
    """One of each kind after the other: half of all mutants are numbers or
    statements, and every kind shall be among the first."""
    shuffled = list(mutants)
    random.Random(seed).shuffle(shuffled)
    place = collections.Counter()
    ordered = []
    for mutant in shuffled:
        ordered.append((place[mutant.kind], list(KINDS).index(mutant.kind),
                        mutant))
        place[mutant.kind] += 1
    return [mutant for *_, mutant in sorted(ordered, key=lambda x: x[:2])]


def applied(text, numbered):
    """The text with mutants, given as pairs of a number and a mutant."""
    for n, mutant in sorted(numbered, key=lambda x: -x[1].start):
        assert text[mutant.start:mutant.end] == mutant.old
        text = (text[:mutant.start] + mutant.switched.replace("{n}", str(n)) +
                text[mutant.end:])
    return text
