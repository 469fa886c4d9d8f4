"""Finds the nodes in Python files by reading their syntax trees; nothing of them is imported or run.

Standard input: a JSON list of ``[name, text]``. Standard output: a JSON list of what was found in each, in order:
``{"nodes": [{"type", "description", "settings", "line"}]}`` or ``{"error": {"message", "line"}}``. What would take more
memory, or make a longer answer, than files that people write is an error, too: a short file could ask for any amount.
"""

import ast
import json
import re
import sys

SIMPLE = {
    "str": {"type": "string"},
    "int": {"type": "integer"},
    "float": {"type": "number"},
    "bool": {"type": "boolean"},
    "dict": {"type": "object"},
    "list": {"type": "array"},
    "tuple": {"type": "array"},
    "set": {"type": "array"},
    "None": {"type": "null"},
}
# Bytes of memory besides the interpreter's own files, and characters of the whole answer.
MOST_MEMORY = 512 * 1024 * 1024
MOST_FOUND = 8 * 1024 * 1024
LISTS = {"list", "List", "tuple", "Tuple", "set", "Set", "Sequence", "Iterable"}
MAPS = {"dict", "Dict", "Mapping"}


def type_of(name):
    """The name of a class in snake_case."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()


def name_of(node):
    """``Node`` for ``Node`` and for ``flow.Node``."""
    if isinstance(node, ast.Name):
        return node.id
    return node.attr if isinstance(node, ast.Attribute) else None


def either(schemas):
    known = []
    for schema in schemas:
        if schema not in known:
            known.append(schema)
    return known[0] if len(known) == 1 else {"anyOf": known}


def schema_of(annotation):
    """The JSON Schema of an annotation; for an unknown one an empty schema, which accepts everything."""
    if isinstance(annotation, ast.Constant):
        if annotation.value is None:
            return {"type": "null"}
        if isinstance(annotation.value, str):
            return schema_of(ast.parse(annotation.value, mode="eval").body)
        return {}
    if isinstance(annotation, ast.BinOp) and isinstance(annotation.op, ast.BitOr):
        return either([schema_of(annotation.left), schema_of(annotation.right)])
    if isinstance(annotation, ast.Subscript):
        base = name_of(annotation.value)
        inner = annotation.slice
        # Python 3.8 wrapped it.
        inner = getattr(inner, "value", inner) if type(inner).__name__ == "Index" else inner
        parts = inner.elts if isinstance(inner, ast.Tuple) else [inner]
        if base == "Literal":
            return {"enum": [ast.literal_eval(part) for part in parts]}
        if base == "Optional":
            return either([schema_of(parts[0]), {"type": "null"}])
        if base == "Union":
            return either([schema_of(part) for part in parts])
        if base in LISTS:
            return {"type": "array", "items": schema_of(parts[0])}
        if base in MAPS:
            values = schema_of(parts[1]) if len(parts) > 1 else {}
            return {"type": "object", **({"additionalProperties": values} if values else {})}
        if base in ("Annotated", "Final"):
            schema = schema_of(parts[0])
            notes = [part.value for part in parts[1:] if isinstance(part, ast.Constant) and isinstance(part.value, str)]
            return {**schema, "description": notes[0]} if notes else schema
        return {}
    return dict(SIMPLE.get(name_of(annotation) or "", {}))


def is_class_variable(annotation):
    base = annotation.value if isinstance(annotation, ast.Subscript) else annotation
    return name_of(base) == "ClassVar"


def settings_of(body, text):
    lines = text.splitlines()
    properties = {}
    optional = set()
    for statement in body:
        if not isinstance(statement, ast.AnnAssign) or not isinstance(statement.target, ast.Name):
            continue
        name = statement.target.id
        if name.startswith("_") or name == "type" or is_class_variable(statement.annotation):
            continue
        schema = schema_of(statement.annotation)
        # A comment behind the attribute, or one of "#:" above it, describes it.
        line = lines[(statement.end_lineno or statement.lineno) - 1]
        note = re.search(r"#:?\s*(\S.*)$", line[statement.end_col_offset or 0 :])
        above = lines[statement.lineno - 2].strip() if statement.lineno > 1 else ""
        if note:
            schema["description"] = note.group(1).strip()
        elif above.startswith("#:"):
            schema["description"] = above[2:].strip()
        if statement.value is not None:
            optional.add(name)
            try:
                value = ast.literal_eval(statement.value)
                json.dumps(value, allow_nan=False)
                schema["default"] = value
            except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
                pass
        properties[name] = schema
    required = [name for name in properties if name not in optional]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": properties,
        **({"required": required} if required else {}),
        "additionalProperties": False,
    }


def declared_type(definition):
    for statement in definition.body:
        target = value = None
        if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
            target, value = statement.targets[0], statement.value
        elif isinstance(statement, ast.AnnAssign):
            target, value = statement.target, statement.value
        if isinstance(target, ast.Name) and target.id == "type" and isinstance(value, ast.Constant):
            return value.value if isinstance(value.value, str) else None
    return None


def node_of(definition, bodies, text):
    """A class with what it inherits from node classes of the same file."""
    body = [statement for inherited in bodies for statement in inherited] + definition.body
    executes = any(
        isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)) and statement.name == "execute"
        for statement in body
    )
    if not executes:
        return None
    return {
        "type": declared_type(definition) or type_of(definition.name),
        "description": ast.get_docstring(definition) or "",
        "settings": settings_of(body, text),
        "line": definition.lineno,
    }


def scan(text):
    try:
        tree = ast.parse(text)
        known = {"Node": []}
        nodes = []
        for definition in tree.body:
            if not isinstance(definition, ast.ClassDef):
                continue
            bases = [name_of(base) for base in definition.bases if name_of(base) in known]
            if not bases:
                continue
            # Each class once, as in Python's order: what several classes inherit would double with each of them.
            inherited = list({id(body): body for base in reversed(bases) for body in known[base]}.values())
            known[definition.name] = inherited + [definition.body]
            if definition.name.startswith("_"):
                continue
            node = node_of(definition, inherited, text)
            if node is not None:
                nodes.append(node)
        return {"nodes": nodes}
    except SyntaxError as error:
        return {"error": {"message": error.msg or "invalid syntax", **({"line": error.lineno} if error.lineno else {})}}
    except MemoryError:
        return {"error": {"message": f"the file needs more than {MOST_MEMORY // 1024**2} MiB of memory to be read"}}
    except (ValueError, RecursionError) as error:
        return {"error": {"message": str(error) or type(error).__name__}}


def told(text, most):
    try:
        answer = json.dumps(scan(text))
    except MemoryError:
        answer = None
    if answer is not None and len(answer) <= most:
        return answer
    return json.dumps({"error": {"message": f"the nodes take more than {MOST_FOUND // 1024**2} MiB to describe"}})


def bound_memory():
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_DATA, (MOST_MEMORY, MOST_MEMORY))
    except (ImportError, OSError, ValueError):  # not on this system, or there is a lower one
        pass


def main():
    files = json.loads(sys.stdin.buffer.read())
    bound_memory()
    left = MOST_FOUND
    answers = []
    for _, text in files:
        answers.append(told(text, left))
        left -= len(answers[-1])
    sys.stdout.write(f"[{','.join(answers)}]")


if __name__ == "__main__":
    main()
