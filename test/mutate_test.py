#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which mutants mutate.py makes, and how a campaign goes on."""
import pathlib
import subprocess
import tempfile
import time
import unittest
import unittest.mock

import mutate


class Stub:
    """A workshop in which every other mutant survives."""

    def __init__(self):
        self.tried = []

    def try_mutant(self, mutant):
        self.tried.append(mutant.id)
        return ("survived", None) if len(self.tried) % 2 else ("killed", "a test")


class Mutate(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        source = self.root / "dialects/NN/Ops/A.cpp"
        source.parent.mkdir(parents=True)
        source.write_text("// a + b\nint f(int a) {\n  return a + 2;\n}\n")
        self.results = mutate.Results(self.root / "results.json")

    def of(self, line):
        return [changed.strip() for changed in mutate.changes(line)]

    def test_operators_and_predicates(self):
        self.assertIn("x = a - b;", self.of("  x = a + b;"))
        self.assertIn("if (a <= b)", self.of("  if (a < b)"))
        self.assertIn("if (!ready)", self.of("  if (ready)"))
        self.assertIn("return g.sub(a, b);", self.of("  return g.add(a, b);"))
        self.assertIn("CompareKind::GE, x", self.of("  CompareKind::GT, x"))

    def test_constants(self):
        self.assertIn("half = a * 0.25;", self.of("  half = a * 0.5;"))
        self.assertIn("rank = n - 2;", self.of("  rank = n - 1;"))
        self.assertEqual([], self.of("  f32(x);")[1:])

    def test_statements_are_dropped_but_declarations_are_not(self):
        self.assertIn("", self.of("  count.push_back(a);"))
        self.assertNotIn("", self.of("  int count = a;"))
        self.assertNotIn("", self.of("  return a;"))
        self.assertNotIn("", self.of("  call(a,"))

    def test_comments_and_messages_are_left_alone(self):
        for line in ("  // a + b", '  emitError() << "1 + 1";', "#include <a + b>", "  assert(a < b);"):
            self.assertEqual([], self.of(line))

    def test_of_a_line_with_a_comment_the_code_changes(self):
        found = self.of("  half = a * 0.5; // 1 + 1")
        self.assertIn("half = a / 0.5; // 1 + 1", found)
        self.assertTrue(all(changed.endswith("// 1 + 1") for changed in found))

    def test_comments_of_c_are_left_alone(self):
        found = self.of("  kTwo = 2, /* 1 + 1, and\n")
        self.assertEqual({"kTwo = 3, /* 1 + 1, and", "kTwo = 1, /* 1 + 1, and"}, set(found))
        self.assertEqual({2, 3}, mutate.comments_of("a = 1; /* of\n1 and\n2. */\nb = 2; /* 3 */\n"))

    def test_python_has_operators_of_its_own(self):
        found = [changed.strip() for changed in mutate.python_changes("    if a and b is None:  # a or b\n")]
        self.assertIn("if a or b is None:  # a or b", found)
        self.assertIn("if a and b is not None:  # a or b", found)
        self.assertIn("if not a and b is None:  # a or b", found)
        for line in ("    # a and b", "def f(a=1):", '    raise Error(f"{a} and {b}")'):
            self.assertEqual([], list(mutate.python_changes(line)))

    def test_texts_of_python_are_left_alone(self):
        source = self.root / "lib/Python/mpc_compiler/a.py"
        source.parent.mkdir(parents=True)
        source.write_text('"""Text of\n\n1 and 2.\n"""\nx = 1\n')
        self.assertEqual({5}, {mutant.number for mutant in mutate.mutants_of("python", self.root)})

    def test_every_area_has_sources(self):
        for name in mutate.AREAS:
            self.assertTrue(next(mutate.mutants_of(name, mutate.ROOT), None), name)

    def test_every_source_is_in_one_area(self):
        found = [m for area in mutate.AREAS.values() for p in area.sources for m in mutate.ROOT.glob(p)]
        self.assertEqual(len(found), len(set(found)))
        folders = ("dialects", "include", "lib", "passes", "runtime", "tools")
        sources = [
            path
            for folder in folders
            for path in (mutate.ROOT / folder).rglob("*")
            if path.suffix in (".cpp", ".h", ".cuh", ".py")
        ]
        self.assertEqual([], sorted(set(sources) - set(found)))

    def test_order_follows_from_the_seed(self):
        first, again, other = ([m.id for m in mutate.choose(["ops"], seed, self.root)] for seed in "112")
        self.assertEqual(first, again)
        self.assertEqual(sorted(first), sorted(other))
        self.assertGreater(len(first), 2)

    def test_lines_of_a_commit_may_be_left_out(self):
        def git(*arguments):
            author = ["-c", "user.name=a", "-c", "user.email=a@example.com"]
            subprocess.run(["git", "-C", str(self.root), *author, *arguments], check=True)

        git("init", "-q")
        git("add", ".")
        git("commit", "-q", "-m", "first")
        source = self.root / "dialects/NN/Ops/A.cpp"
        source.write_text("int g() { return 1; }\n" + source.read_text() + "int h() { return 2; }\n")
        (source.parent / "B.cpp").write_text("int k() { return 3; }\n")
        git("add", ".")
        found = {(m.path, m.number) for m in mutate.choose(["ops"], "1", self.root, "HEAD")}
        folder = "dialects/NN/Ops"
        self.assertEqual({(f"{folder}/A.cpp", 1), (f"{folder}/A.cpp", 6), (f"{folder}/B.cpp", 1)}, found)

    def test_a_campaign_goes_on_where_it_stopped(self):
        mutants = list(mutate.choose(["ops"], "1", self.root))
        stub = Stub()
        mutate.campaign(stub, self.results, mutants, 2)
        self.assertEqual(2, len(stub.tried))
        again = mutate.Results(self.results.path)
        mutate.campaign(stub, again, mutants, 3)
        self.assertEqual(3, len(set(stub.tried)))
        self.assertEqual("1 killed, 2 survived", again.summary())

    def test_a_survivor_is_judged(self):
        mutants = list(mutate.choose(["ops"], "1", self.root))
        mutate.campaign(Stub(), self.results, mutants, 1)
        mutate.judge(self.results, f"{mutants[0].id}=never 0")
        self.assertEqual({}, self.results.survivors())
        with self.assertRaises(SystemExit):
            mutate.judge(self.results, f"{mutants[0].id}=again")

    def test_a_source_is_as_it_was_after_a_mutant(self):
        mutant = next(m for m in mutate.choose(["ops"], "1", self.root))
        workshop = mutate.Workshop(self.root, 1, 10)
        seen = []
        workshop.judge = lambda m: seen.append((self.root / m.path).read_text()) or ("killed", "x")
        before = (self.root / mutant.path).read_text()
        workshop.try_mutant(mutant)
        self.assertNotEqual(before, seen[0])
        self.assertEqual(before, (self.root / mutant.path).read_text())

    def test_only_suites_whose_programs_differ_run(self):
        mutant = next(m for m in mutate.choose(["ops"], "1", self.root))
        suites = mutate.AREAS["ops"].suites
        for differing, outcome, runs in ((0, "same program", 0), (1, "survived", 1), (2, "killed", 1)):
            workshop, ran = mutate.Workshop(self.root, 1, 10), []
            workshop.original = {suite.name(): "as it was" for suite in suites}
            workshop.ninja = lambda *_: 0
            workshop.commands = lambda suite, _: [suite.name()]
            now = dict(zip(workshop.original, ["as it was", "other"] + ["as it was"] * len(suites)))
            workshop.programs = lambda suite: {suite.name(): now[suite.name()] if differing else "as it was"}
            workshop.run = lambda command, _: ran.append(command) or (1 if differing == 2 else 0)
            self.assertEqual((outcome, runs), (workshop.judge(mutant)[0], len(ran)))

    def test_a_suite_that_runs_too_long_is_told_apart(self):
        mutant = next(m for m in mutate.choose(["ops"], "1", self.root))
        for status, by in ((1, ""), (-1, ", by time")):
            workshop = mutate.Workshop(self.root, 1, 10)
            workshop.original, workshop.programs = {"a": "b"}, lambda suite: {"a": "c"}
            workshop.ninja, workshop.commands = lambda *_: 0, lambda *_: [["test"]]
            workshop.run = lambda *_: status
            self.assertEqual(("killed", mutate.AREAS["ops"].suites[0].name() + by), workshop.judge(mutant))

    def test_tests_with_the_name_of_a_source_are_the_nearest(self):
        suite = mutate.Suite(lit=["passes/NN", "passes/pipelines.mlir"], tools=["mpc-opt"])
        self.assertEqual([], suite.nearest(mutate.ROOT, "passes/NN/CastPlacement.cpp"))
        nearest = suite.nearest(mutate.ROOT, "passes/NN/AddLoss.cpp")
        self.assertIn("passes/NN/add-loss.mlir", nearest)
        self.assertIn("passes/NN/add-loss-errors.mlir", nearest)

    def test_tests_of_python_run_the_nearest_in_front(self):
        workshop = mutate.Workshop(mutate.ROOT, 1, 10)

        def patterns(suite, source, python):
            with unittest.mock.patch.dict("os.environ", MPC_TORCH_PYTHON=python):
                return [command[-1] for command in workshop.commands(suite, source)]

        folder = "lib/Python/mpc_compiler"
        self.assertEqual([], patterns(mutate.PYTORCH, f"{folder}/_wrap.py", ""))
        self.assertEqual(["wrap*_test.py", "*_test.py"], patterns(mutate.PYTORCH, f"{folder}/_wrap.py", "python3"))
        self.assertEqual(["*_test.py"], patterns(mutate.PYTHON, f"{folder}/_wrap.py", ""))

    def test_what_runs_too_long_is_ended_with_all_that_it_started(self):
        workshop = mutate.Workshop(self.root, 1, 10)
        pids = self.root / "pids"
        command = ["bash", "-c", f"sleep 1000 & echo $! > {pids}; wait"]
        start = time.monotonic()
        while not pids.exists() or not pids.read_text().strip():
            self.assertEqual(-1, workshop.run(command, 0.2))
        self.assertLess(time.monotonic() - start, 100)
        state = pathlib.Path(f"/proc/{pids.read_text().strip()}/stat")
        while state.exists() and state.read_text().split()[2] != "Z":
            self.assertLess(time.monotonic() - start, 100)

    def test_a_program_is_what_is_built_and_not_what_a_test_installs(self):
        workshop = mutate.Workshop(self.root, 1, 10)
        for name in ("Output/lib/libx.so", "lib/libx.so", "lib/other/Output/libx.so"):
            path = workshop.build / name
            path.parent.mkdir(parents=True)
            path.touch()
        self.assertEqual(workshop.build / "lib/libx.so", workshop.find("libx.so"))

    def test_the_tree_of_the_script_is_left_alone(self):
        with self.assertRaises(SystemExit):
            mutate.Workshop(mutate.ROOT, 1, 10).prepare(["ops"])

    def test_every_test_that_an_area_names_is_there(self):
        for area in mutate.AREAS.values():
            for name in (name for suite in area.suites for name in suite.lit):
                self.assertTrue((mutate.ROOT / "test" / name).exists(), name)


if __name__ == "__main__":
    unittest.main()
