# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Parameter groups of torch with rates and weight decays of their own, in a compiled step, against torch's own step()."""
import io
import re
import unittest

import mpc_compiler
from mpc_compiler import _groups
from wrap_test import WrapTest, batches, make_mlp, train

try:
    import torch
    from torch.nn import functional as F
except ImportError:
    torch = None

RULES = {
    "SGD": {"lr": 0.1, "momentum": 0.9}, "ASGD": {"lr": 0.1, "t0": 5}, "Adam": {"lr": 0.01}, "AdamW": {"lr": 0.01},
    "Adamax": {"lr": 0.01}, "NAdam": {"lr": 0.01}, "RAdam": {"lr": 0.01}, "Adagrad": {"lr": 0.05},
    "RMSprop": {"lr": 0.005}, "Adadelta": {"lr": 0.5}, "Rprop": {"lr": 0.001},
}  # fmt: skip
COUNT = 20


def in_groups(rule, m, **arguments):
    """Weights with decay, the first layer's of another rate, and biases without decay, the last's of a third rate."""
    rate = arguments["lr"]
    groups = [{"params": [m[0].weight], "lr": rate * 0.3, "weight_decay": 0.1},
              {"params": [m[2].weight], "weight_decay": 0.02},
              {"params": [m[0].bias], "weight_decay": 0.0},
              {"params": [m[2].bias], "lr": rate * 2, "weight_decay": 0.0}]
    for group in groups:
        if rule is torch.optim.Rprop:
            del group["weight_decay"]
        if rule is torch.optim.ASGD:
            group.pop("lr", None)
    return rule(groups, **arguments)


def decayed(m):
    """As trainings of transformers have them."""
    return torch.optim.AdamW([{"params": [m[0].weight, m[2].weight], "weight_decay": 0.1},
                              {"params": [m[0].bias, m[2].bias], "weight_decay": 0.0}], lr=0.01)


def written(optimizer):
    file = io.BytesIO()
    torch.save(optimizer.state_dict(), file)
    file.seek(0)
    return torch.load(file)


@unittest.skipIf(torch is None, "torch is not installed")
class Groups(WrapTest):
    def same(self, found, expected):
        (m, optimizer), (plain, own) = found, expected
        for a, b in zip(m.parameters(), plain.parameters()):
            self.assertLess((a - b).abs().max().item(), 1e-5)
            for name, value in own.state[b].items():
                error = (optimizer.state[a][name] - value).abs().max().item() if torch.is_tensor(value) else 0
                self.assertLessEqual(error, 1e-5 * max(1, abs(value).max().item() if torch.is_tensor(value) else 1), name)

    def pair(self, optimizer_of):
        return [(m, optimizer_of(m)) for m in (make_mlp(), make_mlp())]

    def compiled(self, m, optimizer, programs=1, **options):
        """A step that is compiled `programs` times, and is never torch's."""
        step = mpc_compiler.step(m, optimizer, F.cross_entropy, **options)
        self.addCleanup(lambda: self.assertNotIn("by torch:", str(step.report())))
        self.addCleanup(lambda: self.assertEqual(step.programs_of_test, programs))
        compile_one, step.programs_of_test = step._compile, 0

        def counted(*arguments):
            step.programs_of_test += 1
            compile_one(*arguments)

        step._compile = counted
        return step

    def loop(self, optimizer_of, change=lambda optimizer, i: None, programs=1, tolerance=5e-6, scheduler_of=None):
        """The same loop by a step and by torch, with a change of the optimizer before each batch."""
        (m, optimizer), (plain, own) = self.pair(optimizer_of)
        step = self.compiled(m, optimizer, programs)
        schedules = [scheduler_of(one) for one in (optimizer, own)] if scheduler_of else []
        for i, (x, y) in enumerate(batches(COUNT)):
            for one in (optimizer, own):
                change(one, i)
            self.near([step(x, y).item()], train(plain, own, [(x, y)]), tolerance)
            for schedule in schedules:
                schedule.step()
        self.same((m, optimizer), (plain, own))
        return step

    def test_each_rule_with_rates_and_decays(self):
        for name, arguments in RULES.items():
            with self.subTest(name):
                self.loop(lambda m: in_groups(getattr(torch.optim, name), m, **arguments))

    def test_each_rule_under_a_scheduler(self):
        """Whose factors differ between groups, and start at 0."""
        factors = [lambda step: min(step, 5) / 5, lambda step: 0.9**step, lambda step: 1.0, lambda step: min(step, 5) / 5]
        for name, arguments in RULES.items():
            if name == "ASGD":
                continue
            with self.subTest(name):
                # Two groups of Rprop are alike until the schedule parts them.
                self.loop(lambda m: in_groups(getattr(torch.optim, name), m, **arguments), programs=1 + (name == "Rprop"),
                          scheduler_of=lambda one: torch.optim.lr_scheduler.LambdaLR(one, factors))

    def test_decay_and_none(self):
        self.loop(decayed)
        self.loop(decayed, scheduler_of=lambda one: torch.optim.lr_scheduler.LambdaLR(one, lambda step: min(step, 4) / 4))

    def test_two_rates_of_sgd(self):
        self.loop(lambda m: torch.optim.SGD([{"params": m[0].parameters(), "lr": 0.01}, {"params": m[2].parameters()}],
                                            lr=0.1, momentum=0.9))

    def test_numbers_are_read_at_each_call(self):
        def change(optimizer, i):
            first, second, *_ = optimizer.param_groups
            if i == 3:
                first["lr"] = 0.03
            if i == 5:
                second["weight_decay"] = 0.3
            if i == 7:
                first["lr"], second["lr"] = 0.0, 0.02
            if i == 9:
                second["lr"] = torch.tensor(0.001)
            if i == 11:
                first["betas"] = second["betas"] = optimizer.param_groups[2]["betas"] = optimizer.param_groups[3]["betas"] = (0.8, 0.99)

        self.loop(lambda m: in_groups(torch.optim.AdamW, m, lr=0.01), change)

    def test_groups_that_begin_to_differ_are_compiled_once_more(self):
        def part(optimizer, i):
            first, second = optimizer.param_groups
            first["lr"] = 0.02 if i % 4 >= 2 else 0.01  # They meet again, which is no third program.

        self.loop(decayed, part, programs=2)

        def decay(optimizer, i):
            optimizer.param_groups[1]["weight_decay"] = 0.01 if i >= 5 else 0.0

        self.loop(decayed, decay, programs=2)

    def test_programs_of_several_shapes_have_one_state(self):
        (m, optimizer), (plain, own) = self.pair(lambda m: in_groups(torch.optim.AdamW, m, lr=0.01))
        step = self.compiled(m, optimizer, programs=2)
        for i, (few, many) in enumerate(zip(batches(COUNT, rows=4), batches(COUNT))):
            for one in (optimizer, own):  # Each program has one pair of numbers, most of the time.
                one.param_groups[0]["lr"] = 0.05 if i % 2 else 0.01
                one.param_groups[1]["weight_decay"] = 0.5 if i % 2 else 0.1
            x, y = few if i % 2 and i < 15 else many
            self.near([step(x, y).item()], train(plain, own, [(x, y)]), 5e-6)
        self.same((m, optimizer), (plain, own))

    def test_skipped_steps(self):
        for skipped in ({0, 1, 9}, {7, 8}):
            (m, optimizer), (plain, own) = self.pair(lambda m: in_groups(torch.optim.AdamW, m, lr=0.01))
            scaler, theirs = (torch.amp.GradScaler("cpu", init_scale=2.0**12) for _ in range(2))
            step = self.compiled(m, optimizer, precision="fp32", scaler=scaler)
            for i, (x, y) in enumerate(batches(COUNT)):
                x = x * (torch.inf if i in skipped else 1)
                step(x, y)
                self.assertEqual(step.result.skipped, i in skipped)
                own.zero_grad()
                theirs.scale(F.cross_entropy(plain(x), y)).backward()
                theirs.step(own)
                theirs.update()
                self.assertEqual(scaler.get_scale(), theirs.get_scale())
                if own.state:
                    self.same((m, optimizer), (plain, own))

    def test_clipped_and_accumulated(self):
        (m, optimizer), (plain, own) = self.pair(lambda m: in_groups(torch.optim.AdamW, m, lr=0.01))
        step = self.compiled(m, optimizer, clip_norm=0.1, accumulate=4)
        for i, (x, y) in enumerate(batches(COUNT)):
            loss = F.cross_entropy(plain(x), y)
            self.near([step(x, y).item()], [loss.item()], 5e-6)
            (loss / 4).backward()
            if i % 4 == 3:
                torch.nn.utils.clip_grad_norm_(plain.parameters(), 0.1)
                own.step()
                own.zero_grad()
        self.same((m, optimizer), (plain, own))

    def test_saved_and_loaded_both_ways(self):
        for name, arguments in RULES.items():
            with self.subTest(name):
                optimizer_of = lambda m: in_groups(getattr(torch.optim, name), m, **arguments)
                (plain, own), (m, optimizer) = self.pair(optimizer_of)
                expected, losses = train(plain, own, batches(COUNT)), []
                for door in (slice(0, 7), slice(7, 13), slice(13, COUNT)):
                    if door.start == 7:  # By torch, in the middle.
                        losses += train(m, optimizer, batches(COUNT)[door])
                    else:
                        step = self.compiled(m, optimizer)
                        losses += [step(x, y).item() for x, y in batches(COUNT)[door]]
                    weights, state = m.state_dict(), written(optimizer)
                    m, optimizer = self.pair(optimizer_of)[0]
                    m.load_state_dict(weights)
                    optimizer.load_state_dict(state)
                self.near(losses, expected, 5e-6)
                self.same((m, optimizer), (plain, own))

    def test_a_step_with_its_own_files(self):
        """compile_step takes the numbers over, its rate moves those of groups, and convert gives torch the state."""
        for name, arguments in RULES.items():
            with self.subTest(name):
                optimizer_of = lambda m: in_groups(getattr(torch.optim, name), m, **arguments)
                (other, theirs), (plain, own) = self.pair(optimizer_of)
                make = lambda: mpc_compiler.compile_step(
                    other, torch.nn.CrossEntropyLoss(), theirs, example_inputs=(batches(1)[0][0],))
                step = make()
                schedule = torch.optim.lr_scheduler.ExponentialLR(own, 0.9)
                losses, expected = [], []
                for x, y in batches(10):
                    losses.append(step(x, y).loss)
                    expected += train(plain, own, [(x, y)], schedule)
                    step.lr = step.lr * 0.9
                self.near(losses, expected, 5e-6)
                state = mpc_compiler.convert.to_torch(step.state_dict())
                (m, optimizer), _ = self.pair(optimizer_of)
                m.load_state_dict(state["model"])
                optimizer.load_state_dict(state["optimizer"])
                self.same((m, optimizer), (plain, own))
                for ours, group in zip(optimizer.param_groups, own.param_groups):
                    self.assertAlmostEqual(ours["lr"] / group["lr"], 1, delta=1e-6)
                    self.assertEqual(ours.get("weight_decay"), group.get("weight_decay"))
                back = make()
                back.load_state_dict({"model": plain.state_dict(), "optimizer": own.state_dict()})
                expected = train(plain, own, batches(COUNT)[10:])
                self.near([back(x, y).loss for x, y in batches(COUNT)[10:]], expected, 5e-6)
                self.near(train(m, optimizer, batches(COUNT)[10:]), expected, 5e-6)

    def test_a_rate_of_compile_step_moves_those_of_groups(self):
        x = batches(1)[0][0]
        found = []
        for rate, scale in ((None, 3), (0.009, 1)):  # The first group's is 0.003.
            m = make_mlp()
            step = mpc_compiler.compile_step(m, torch.nn.CrossEntropyLoss(), in_groups(torch.optim.AdamW, m, lr=0.01),
                                             lr=rate, example_inputs=(x,))
            step.lr = step.lr * scale
            found.append([step(x, y).loss for x, y in batches(8)])
        self.near(*found, 2e-6)

    def test_a_group_that_is_added(self):
        """Before the first step, and later where torch counts no steps: else its parameters have counted others."""
        def optimizer_of(m):
            optimizer = torch.optim.AdamW(m[2].parameters(), lr=0.01)
            optimizer.add_param_group({"params": m[0].parameters(), "lr": 0.002, "weight_decay": 0.5})
            return optimizer

        self.loop(optimizer_of)
        (m, optimizer), (plain, own) = self.pair(lambda m: torch.optim.SGD(m[2].parameters(), lr=0.1, momentum=0.9))
        step = self.compiled(m, optimizer, programs=2)
        for i, (x, y) in enumerate(batches(COUNT)):
            if i == 5:  # Torch's SGD counts no steps.
                for n, one in ((m, optimizer), (plain, own)):
                    one.add_param_group({"params": [n[0].weight], "lr": 0.01})
            self.near([step(x, y).item()], train(plain, own, [(x, y)]), 5e-6)

    def test_a_parameter_that_a_group_gets(self):
        (m, optimizer), (plain, own) = self.pair(lambda m: torch.optim.SGD(m[2].parameters(), lr=0.1, momentum=0.9))
        step = self.compiled(m, optimizer, programs=2)
        for i, (x, y) in enumerate(batches(COUNT)):
            if i == 5:
                for n, one in ((m, optimizer), (plain, own)):
                    one.param_groups[0]["params"].append(n[0].weight)
            self.near([step(x, y).item()], train(plain, own, [(x, y)]), 5e-6)

    def test_a_group_without_a_gradient(self):
        def optimizer_of(m):
            for parameter in m[0].parameters():
                parameter.requires_grad_(False)
            return torch.optim.AdamW([{"params": m[0].parameters(), "lr": 1e-3}, {"params": [m[2].weight]},
                                      {"params": [m[2].bias], "lr": 0.3}], lr=0.01)

        (m, optimizer), (plain, own) = self.pair(optimizer_of)
        step = self.compiled(m, optimizer)
        losses = [step(x, y).item() for x, y in batches(COUNT)]
        self.near(losses, train(plain, own, batches(COUNT)), 5e-6)

    def test_what_a_program_has_once_goes_to_torch_by_name(self):
        def betas(m):
            return torch.optim.AdamW([{"params": m[0].parameters(), "betas": (0.8, 0.9)}, {"params": m[2].parameters()}])

        def rates(m):
            return torch.optim.ASGD([{"params": m[0].parameters(), "lr": 0.1}, {"params": m[2].parameters()}])

        for optimizer_of, words in (
            (betas, "the optimizer's groups differ in 'betas' ((0.8, 0.9) and (0.9, 0.999)): mpc has one for all parameters"),
            (rates, "its groups have several learning rates, and a program of ASGD keeps one in its state"),
        ):
            m = make_mlp()
            step = mpc_compiler.step(m, optimizer_of(m), F.cross_entropy)
            for x, y in batches(3):
                step(x, y)
            self.assertIn(f"3 optimizer steps by torch: {words}", str(step.report()))

    def test_the_groups_are_the_optimizers(self):
        m = make_mlp()
        with self.assertRaisesRegex(mpc_compiler.UsageError, "group= says what the optimizer's param_groups say"):
            mpc_compiler.step(m, decayed(m), F.cross_entropy, group=["bias:lr=1"])

    def test_patterns_match_their_names_alone(self):
        names = [f"h.{i}.{part}.{kind}" for i in range(3) for part in ("ln", "fc") for kind in ("weight", "bias")]
        names += ["h.1", "wte", "h.1.ln.weight.g"]
        for chosen in (names[:1], names[::2], names, names[-3:], ["h.1", "h.1.ln.weight", "h.1.ln.weight.g"]):
            pattern = re.compile(_groups.pattern(chosen))
            self.assertEqual([name for name in names if pattern.search(name)], [n for n in names if n in chosen])
            for name in names:
                self.assertIsNone(pattern.search(name + "x"))
                self.assertIsNone(pattern.search("x" + name))


if __name__ == "__main__":
    unittest.main()
