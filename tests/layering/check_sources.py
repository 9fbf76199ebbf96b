#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the source tree: includes against layer_table.py, file lengths, READMEs, licence lines.

usage: check_sources.py includes|habits ROOT [--qt-include DIR]     check_sources.py self-check
"""

import os
import re
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import layer_table  # noqa: E402

SOURCE_ENDINGS = (".h", ".cpp", ".cu", ".cuh")
CHECKED_TOPS = ("app", "engine", "net", "ui")
TOP_FOLDERS = {"app", "engine", "net", "ui", "resources", "installer", "tests", "translations", "build", "shared"}
MAX_LINES = 600
MAX_MAIN_LINES = 150
MAX_README_LINES = 30
WIRE_SPEC = "net/protocol/README.md"
INCLUDE = re.compile(r'^\s*#\s*include\s*(<([^>]+)>|"([^"]+)")')


def files_under(root, tops, endings):
    for top in tops:
        for folder, folders, names in os.walk(os.path.join(root, top)):
            folders[:] = sorted(name for name in folders if not name.startswith(".") and name not in ("build", "__pycache__"))
            for name in sorted(names):
                if name.endswith(endings):
                    yield os.path.relpath(os.path.join(folder, name), root).replace(os.sep, "/")


def read_lines(root, path):
    with open(os.path.join(root, path), encoding="utf-8") as source:
        return source.read().splitlines()


def includes_of(root, path):
    """[(line number, name, is_system)]"""
    found = []
    for number, line in enumerate(read_lines(root, path), 1):
        match = INCLUDE.match(line)
        if match:
            found.append((number, match.group(2) or match.group(3), match.group(2) is not None))
    return found


class QtModules:
    """Which Qt module a header like <QString> belongs to, from Qt's own include folders."""

    def __init__(self, include_dir):
        self.module_of = {}
        if include_dir and os.path.isdir(include_dir):
            for module in sorted(os.listdir(include_dir)):
                folder = os.path.join(include_dir, module)
                if module.startswith("Qt") and os.path.isdir(folder):
                    for name in os.listdir(folder):
                        # QtCore first where a name is in several (QtGlobal and the like).
                        if module == "QtCore" or name not in self.module_of:
                            self.module_of[name] = module

    def kind(self, name):
        first, _, rest = name.partition("/")
        if rest and re.fullmatch(r"Qt[A-Z][A-Za-z]*", first):
            return "qt_" + first[2:].lower()
        if re.fullmatch(r"Q[A-Z][A-Za-z0-9]*|Qt[A-Z][A-Za-z]*|q[a-z0-9_]+\.h", name):
            module = self.module_of.get(name)
            if module:
                return "qt_" + module[2:].lower()
            if re.fullmatch(r"Qt[A-Z][A-Za-z]*", name):
                return "qt_" + name[2:].lower()
            return "qt_unknown"
        return None


def layer_of(path):
    best = None
    for layer, (folders, _, _) in layer_table.ROWS.items():
        for folder in folders:
            if path.startswith(folder + "/") and (best is None or len(folder) > len(best[1])):
                best = (layer, folder)
    return best[0] if best else None


def outside_kind(name, qt):
    if name in layer_table.STANDARD_HEADERS:
        return "standard"
    best = None
    for kind, prefixes in layer_table.OUTSIDE.items():
        for prefix in prefixes:
            if name.startswith(prefix) and (best is None or len(prefix) > len(best[1])):
                best = (kind, prefix)
    return best[0] if best else qt.kind(name)


def agent_values(root):
    """agent_api.h and the agent headers it reaches: what ui and app_text may include of the agent."""
    reached, todo = set(), [layer_table.AGENT_VALUES_HEADER]
    while todo:
        path = todo.pop()
        if path in reached or not os.path.exists(os.path.join(root, path)):
            continue
        reached.add(path)
        todo += [name for _, name, is_system in includes_of(root, path) if not is_system and name.startswith("app/agent/")]
    return reached


def check_includes(root, qt_include):
    problems = []
    qt = QtModules(qt_include)
    agent_values_may, readers = agent_values(root), layer_table.AGENT_VALUES_READERS
    for path in files_under(root, CHECKED_TOPS, SOURCE_ENDINGS):
        layer = layer_of(path)
        if layer is None:
            problems.append(f"{path}: this folder has no row in tests/layering/layer_table.py")
            continue
        _, other_layers, outside = layer_table.ROWS[layer]
        for number, name, is_system in includes_of(root, path):
            where = f"{path}:{number}"
            if not is_system and name.split("/")[0] in CHECKED_TOPS:
                target = layer_of(name)
                if not os.path.exists(os.path.join(root, name)):
                    problems.append(f'{where}: "{name}" does not exist (includes are written from the root)')
                elif target != layer and target not in other_layers and not (layer in readers and name in agent_values_may):
                    problems.append(f'{where}: {layer} must not include "{name}" ({target or "no layer"})')
                continue
            if not is_system:
                if not name.endswith(".moc") and not (os.path.basename(name).startswith("moc_") and name.endswith(".cpp")):
                    problems.append(f'{where}: "{name}" is not written from the root; outside headers stand in <>')
                continue
            kind = outside_kind(name, qt)
            if kind in ("standard", *layer_table.OPEN_TO_ALL) or kind in outside:
                continue
            if any(path.startswith(folder + "/") for folder in layer_table.SYSTEM_FOLDERS) and kind in (None, "os", "sockets"):
                continue
            if kind is None:
                problems.append(f"{where}: <{name}> is of no known kind: give it one in tests/layering/layer_table.py")
            else:
                problems.append(f"{where}: {layer} must not include <{name}> ({kind})")
    return problems


def check_habits(root):
    problems = []
    for path in files_under(root, (*CHECKED_TOPS, "tests", "installer"), (*SOURCE_ENDINGS, ".py", ".sh", ".cmake", "CMakeLists.txt")):
        lines = read_lines(root, path)
        if len(lines) > MAX_LINES:
            problems.append(f"{path}: {len(lines)} lines, at most {MAX_LINES}")
        if os.path.basename(path) == "main.cpp" and len(lines) > MAX_MAIN_LINES:
            problems.append(f"{path}: {len(lines)} lines; a program's main.cpp only wires parts together, at most {MAX_MAIN_LINES}")
        if not any("SPDX-License-Identifier: Apache-2.0" in line for line in lines[:2]):
            problems.append(f"{path}: the first line lacks 'SPDX-License-Identifier: Apache-2.0'")
    folders = sorted({os.path.dirname(path) for path in files_under(root, CHECKED_TOPS, SOURCE_ENDINGS)})
    for folder in folders:
        readme = f"{folder}/README.md"
        if not os.path.exists(os.path.join(root, readme)):
            problems.append(f"{folder}: no README.md (purpose, entry type, thread, what it may include)")
        elif readme != WIRE_SPEC and len(read_lines(root, readme)) > MAX_README_LINES:
            problems.append(f"{readme}: {len(read_lines(root, readme))} lines, at most {MAX_README_LINES}")
    for name in sorted(os.listdir(root)):
        if os.path.isdir(os.path.join(root, name)) and not name.startswith(".") and name not in TOP_FOLDERS:
            problems.append(f"{name}: no top-level folder of the design")
    return problems + check_pins(root)


def check_pins(root):
    """The LibTorch version stands in two files; they must agree."""
    try:
        cmake = "\n".join(read_lines(root, "engine/libtorch.cmake"))
        wheels = "\n".join(read_lines(root, "installer/libtorch-requirements.txt"))
    except FileNotFoundError as error:
        return [f"{os.path.relpath(error.filename, root)}: missing"]
    in_cmake = re.search(r"set\(SUNLOCO_LIBTORCH_PINNED ([0-9.]+)\)", cmake)
    in_wheels = re.search(r"^torch==([0-9.]+) ", wheels, re.MULTILINE)
    if not in_cmake or not in_wheels or in_cmake.group(1) != in_wheels.group(1):
        return ["engine/libtorch.cmake and installer/libtorch-requirements.txt name different versions of LibTorch"]
    return []


def self_check():
    """Small trees with one fault each: a check that does not see them is worth nothing."""
    licence = "// SPDX-License-Identifier: Apache-2.0\n"
    clean = {
        "engine/libtorch.cmake": "# SPDX-License-Identifier: Apache-2.0\nset(SUNLOCO_LIBTORCH_PINNED 1.2.3)\n",
        "installer/libtorch-requirements.txt": "torch==1.2.3 --hash=sha256:00\n",
        "engine/core/result.h": licence + "#include <string>\n#include <nlohmann/json.hpp>\n",
        "engine/core/README.md": "core\n",
        "app/agent/agent_api.h": licence + '#include "app/agent/values.h"\n',
        "app/agent/values.h": licence + "#include <QtCore/QString>\n",
        "app/agent/journal.h": licence + "#include <SQLiteCpp/SQLiteCpp.h>\n",
        "app/agent/README.md": "agent\n",
        "ui/window.cpp": licence + '#include "app/agent/agent_api.h"\n#include "app/agent/values.h"\n#include <QtWidgets/QWidget>\n',
        "ui/README.md": "ui\n",
        "app/server/main.cpp": licence + "int main() {}\n",
        "app/server/README.md": "server\n",
    }
    faults = [
        # (check, file, text, part of the message that must come)
        ("includes", "engine/core/bad.h", licence + "#include <QtCore/QString>\n", "engine_core must not include <QtCore/QString>"),
        ("includes", "engine/outer/bad.cpp", licence + "#include <torch/torch.h>\n", "(torch)"),
        ("includes", "engine/outer/bad.cpp", licence + "#  include <ATen/core/Tensor.h>\n", "(torch)"),
        ("includes", "net/protocol/bad.cpp", licence + "#include <curl/curl.h>\n", "(curl)"),
        ("includes", "net/protocol/bad.cpp", licence + "#include <sys/socket.h>\n", "(sockets)"),
        ("includes", "net/server/bad.cpp", licence + "#include <QtCore/QObject>\n", "(qt_core)"),
        ("includes", "app/rules/bad.cpp", licence + "#include <unistd.h>\n", "(os)"),
        ("includes", "app/rules/bad.cpp", licence + '#include "app/agent/values.h"\n', "app_rules must not include"),
        ("includes", "app/agent/bad.cpp", licence + "#include <QtWidgets/QWidget>\n", "(qt_widgets)"),
        ("includes", "ui/bad.cpp", licence + '#include "app/agent/journal.h"\n', "ui must not include"),
        ("includes", "ui/bad.cpp", licence + "#include <sqlite3.h>\n", "(sqlite)"),
        ("includes", "ui/bad.cpp", licence + '#include "window.h"\n', "not written from the root"),
        ("includes", "engine/core/bad.cpp", licence + '#include "engine/core/absent.h"\n', "does not exist"),
        ("includes", "engine/core/bad.cpp", licence + "#include <some_new_library.h>\n", "no known kind"),
        ("includes", "app/novel/bad.cpp", licence, "no row"),
        ("habits", "engine/core/long.cpp", licence + "\n" * MAX_LINES, f"at most {MAX_LINES}"),
        ("habits", "app/server/main.cpp", licence + "\n" * MAX_MAIN_LINES, "only wires"),
        ("habits", "engine/core/bare.cpp", "int x;\n", "SPDX"),
        ("habits", "net/ipc/lonely.cpp", licence, "no README.md"),
        ("habits", "ui/README.md", "line\n" * (MAX_README_LINES + 1), "at most 30"),
        ("habits", "vendor/x.cpp", licence, "no top-level folder"),
        ("habits", "installer/libtorch-requirements.txt", "torch==9.9.9 --hash=sha256:00\n", "different versions"),
    ]
    failures = []

    def run(kind, tree):
        with tempfile.TemporaryDirectory() as root:
            for path, text in tree.items():
                os.makedirs(os.path.dirname(os.path.join(root, path)), exist_ok=True)
                with open(os.path.join(root, path), "w", encoding="utf-8") as out:
                    out.write(text)
            return check_includes(root, None) if kind == "includes" else check_habits(root)

    for kind in ("includes", "habits"):
        if problems := run(kind, clean):
            failures.append(f"the clean tree is refused by '{kind}': {problems}")
    for kind, path, text, expected in faults:
        problems = run(kind, {**clean, path: text})
        if len(problems) != 1 or expected not in problems[0]:
            failures.append(f"{kind}, {path}: expected one problem with '{expected}', got {problems}")
    return failures


def main():
    arguments = sys.argv[1:]
    qt_include = None
    if "--qt-include" in arguments:
        at = arguments.index("--qt-include")
        qt_include = arguments[at + 1]
        del arguments[at:at + 2]
    if arguments == ["self-check"]:
        problems = self_check()
    elif len(arguments) == 2 and arguments[0] == "includes":
        problems = check_includes(arguments[1], qt_include)
    elif len(arguments) == 2 and arguments[0] == "habits":
        problems = check_habits(arguments[1])
    else:
        print(__doc__, file=sys.stderr)
        return 2
    for problem in problems:
        print(problem)
    print(f"{len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
