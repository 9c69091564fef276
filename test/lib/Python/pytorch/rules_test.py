# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Each rule of torch.optim that a step compiles, with its numbers and switches, against torch's own step()."""
import io
import unittest

import mpc_compiler
from wrap_test import WrapTest, batches, make_mlp, train

try:
    import torch
    from torch.nn import functional as F
except ImportError:
    torch = None

# Arguments of each rule. The first have weight decay, where the rule has it.
RULES = {
    "NAdam": [{"lr": 0.01, "weight_decay": 0.1, "momentum_decay": 0.1}, {"lr": 0.01}, {"lr": 0.01, "maximize": True},
              {"lr": 0.01, "betas": (0.8, 0.95), "eps": 1e-6, "weight_decay": 0.1, "decoupled_weight_decay": True}],
    "RAdam": [{"lr": 0.01, "weight_decay": 0.1}, {"lr": 0.01, "betas": (0.8, 0.5)}, {"lr": 0.01, "maximize": True},
              {"lr": 0.01, "betas": (0.8, 0.95), "eps": 1e-6, "weight_decay": 0.1, "decoupled_weight_decay": True}],
    "Rprop": [{"lr": 0.001}, {"lr": 0.001, "etas": (0.4, 1.5), "step_sizes": (0.0008, 0.002)}, {"lr": 0.001, "maximize": True}],
    "ASGD": [{"lr": 0.1, "weight_decay": 0.1, "t0": 5}, {"lr": 0.1}, {"lr": 0.01, "maximize": True, "t0": 0},
             {"lr": 0.1, "lambd": 0.1, "alpha": 0.5, "t0": 5}, {"lr": 0.1, "lambd": 0.0, "alpha": 0.0}],
    "Adadelta": [{"lr": 0.5, "rho": 0.8, "eps": 1e-4, "weight_decay": 0.1}, {"lr": 1.0}, {"lr": 0.1, "maximize": True}],
}


def lion():
    """A class as packages beside torch have it: Chen et al. 2023, program 1."""
    class Lion(torch.optim.Optimizer):
        def __init__(self, params, lr, betas=(0.9, 0.99), weight_decay=0.0, cautious=False):
            super().__init__(params, {"lr": lr, "betas": betas, "weight_decay": weight_decay, "cautious": cautious})

        @torch.no_grad()
        def step(self, closure=None):
            for group in self.param_groups:
                (beta1, beta2), rate = group["betas"], group["lr"]
                for p in filter(lambda p: p.grad is not None, group["params"]):
                    mean = self.state[p].setdefault("exp_avg", torch.zeros_like(p))
                    p.mul_(1 - rate * group["weight_decay"])
                    p.add_(mean.mul(beta1).add_(p.grad, alpha=1 - beta1).sign_(), alpha=-rate)
                    mean.mul_(beta2).add_(p.grad, alpha=1 - beta2)

    return Lion


def rule_of(name):
    return lion() if name == "Lion" else getattr(torch.optim, name)


RULES["Lion"] = [{"lr": 0.001, "weight_decay": 0.1}, {"lr": 0.01, "betas": (0.8, 0.5)}]
COUNT = 20
# Of a skipped batch.
LATER, FIRST = {7, 8}, {0, 1, 9}


def each(test):
    """Runs a test for all arguments of all rules."""
    def run(self):
        for name, all_arguments in RULES.items():
            for arguments in all_arguments:
                with self.subTest(name, **arguments):
                    test(self, rule_of(name), arguments)

    return run


def written(optimizer):
    """The state as torch.save has it in a file."""
    file = io.BytesIO()
    torch.save(optimizer.state_dict(), file)
    file.seek(0)
    return torch.load(file)


@unittest.skipIf(torch is None, "torch is not installed")
class Rules(WrapTest):
    def same(self, found, expected):
        """The weights and the states of two optimizers."""
        (m, optimizer), (plain, own) = found, expected
        for a, b in zip(m.parameters(), plain.parameters()):
            self.assertLess((a - b).abs().max().item(), 1e-5)
            # Files count the steps of every rule.
            self.assertEqual(optimizer.state[a].keys() | {"step"}, own.state[b].keys() | {"step"})
            for name, value in own.state[b].items():
                error = (optimizer.state[a][name] - value).abs().max().item()
                self.assertLessEqual(error, 1e-5 * max(1, value.abs().max().item()), name)

    def pair(self, rule, arguments):
        """Two equal modules, each with its optimizer."""
        modules = make_mlp(), make_mlp()
        return [(m, rule(m.parameters(), **arguments)) for m in modules]

    def compiled(self, m, optimizer, **options):
        step = mpc_compiler.step(m, optimizer, F.cross_entropy, **options)
        self.addCleanup(lambda: self.assertNotIn("by torch:", str(step.report())))
        return step

    def test_an_argument_that_no_program_knows_is_for_torch(self):
        m = make_mlp()
        step = mpc_compiler.step(m, lion()(m.parameters(), lr=0.01, cautious=True), F.cross_entropy)
        step(*next(iter(batches(1))))
        self.assertIn("Lion with cautious has no compiled rule", str(step.report()))

    @each
    def test_twenty_steps(self, rule, arguments):
        (m, optimizer), (plain, own) = self.pair(rule, arguments)
        step = self.compiled(m, optimizer)
        losses = [step(x, y).item() for x, y in batches(COUNT)]
        self.near(losses, train(plain, own, batches(COUNT)), 5e-6)
        self.same((m, optimizer), (plain, own))

    @each
    def test_groups_with_weight_decay_and_without(self, rule, arguments):
        def groups(m):
            return [{"params": [m[0].weight, m[2].weight]},
                    {"params": [m[0].bias, m[2].bias], **({"weight_decay": 0.0} if "weight_decay" in arguments else {})}]

        m, plain = make_mlp(), make_mlp()
        optimizer, own = (rule(groups(n), **arguments) for n in (m, plain))
        step = self.compiled(m, optimizer)
        losses = [step(x, y).item() for x, y in batches(COUNT)]
        self.near(losses, train(plain, own, batches(COUNT)), 5e-6)
        self.same((m, optimizer), (plain, own))

    @each
    def test_a_scheduler_moves_the_rate(self, rule, arguments):
        (m, optimizer), (plain, own) = self.pair(rule, arguments)
        step = self.compiled(m, optimizer)
        schedules = [torch.optim.lr_scheduler.StepLR(one, 3, 0.7) for one in (optimizer, own)]
        for x, y in batches(COUNT):
            self.near([step(x, y).item()], train(plain, own, [(x, y)]), 5e-6)
            for schedule in schedules:
                schedule.step()
        self.same((m, optimizer), (plain, own))

    @each
    def test_saved_and_loaded_both_ways(self, rule, arguments):
        (plain, own), (m, optimizer) = self.pair(rule, arguments)
        expected, losses = train(plain, own, batches(COUNT)), []
        for door in (slice(0, 7), slice(7, 13), slice(13, COUNT)):
            if door.start == 7:  # By torch, in the middle.
                losses += train(m, optimizer, batches(COUNT)[door])
            else:
                step = self.compiled(m, optimizer)
                losses += [step(x, y).item() for x, y in batches(COUNT)[door]]
            weights, state = m.state_dict(), written(optimizer)
            m, optimizer = self.pair(rule, arguments)[0]
            m.load_state_dict(weights)
            optimizer.load_state_dict(state)
        self.near(losses, expected, 5e-6)
        self.same((m, optimizer), (plain, own))

    @each
    def test_turns_with_torch(self, rule, arguments):
        (plain, own), (m, optimizer) = self.pair(rule, arguments)
        expected, losses = train(plain, own, batches(COUNT)), []
        step = self.compiled(m, optimizer)
        for i, (x, y) in enumerate(batches(COUNT)):
            losses += train(m, optimizer, [(x, y)]) if i % 3 == 1 else [step(x, y).item()]
        self.near(losses, expected, 5e-6)
        self.same((m, optimizer), (plain, own))

    @each
    def test_a_step_that_is_skipped_changes_nothing(self, rule, arguments):
        for skipped in (FIRST, LATER):
            (m, optimizer), (plain, own) = self.pair(rule, arguments)
            # Powers of two, which change no bit of a gradient in f32.
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

    @each
    def test_goes_on_by_torch_after_a_first_step_that_is_skipped(self, rule, arguments):
        (m, optimizer), (plain, own) = self.pair(rule, arguments)
        step = self.compiled(m, optimizer, precision="fp32", scaler=torch.amp.GradScaler("cpu"))
        x, y = batches(1)[0]
        step(x * torch.inf, y)
        optimizer.state[m[0].bias].clear()  # Of one that torch has not seen yet.
        step(x * torch.inf, y)
        optimizer.load_state_dict(written(optimizer))
        self.near(train(m, optimizer, batches(5)), train(plain, own, batches(5)), 5e-6)
        self.same((m, optimizer), (plain, own))

    @each
    def test_a_step_with_its_own_files(self, rule, arguments):
        """compile_step takes the numbers over, and convert gives torch the state."""
        (other, theirs), (plain, own) = self.pair(rule, arguments)
        step = mpc_compiler.compile_step(other, torch.nn.CrossEntropyLoss(), theirs, example_inputs=(batches(1)[0][0],))
        losses = [step(x, y).loss for x, y in batches(10)]
        self.near(losses, train(plain, own, batches(10)), 5e-6)
        state = mpc_compiler.convert.to_torch(step.state_dict())
        (m, optimizer), _ = self.pair(rule, arguments)
        m.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        self.same((m, optimizer), (plain, own))
        back = mpc_compiler.compile_step(other, torch.nn.CrossEntropyLoss(), theirs, example_inputs=(batches(1)[0][0],))
        back.load_state_dict({"model": plain.state_dict(), "optimizer": own.state_dict()})
        expected = train(plain, own, batches(COUNT)[10:])
        self.near([back(x, y).loss for x, y in batches(COUNT)[10:]], expected, 5e-6)
        self.near(train(m, optimizer, batches(COUNT)[10:]), expected, 5e-6)

    def test_numbers_that_differ_between_parameters_go_to_torch(self):
        m = make_mlp()
        optimizer = torch.optim.NAdam(m.parameters(), lr=0.01)
        step = mpc_compiler.step(m, optimizer, F.cross_entropy)
        x, y = batches(1)[0]
        step(x, y)
        optimizer.state[m[0].weight]["mu_product"] *= 0.5
        step(x, y)
        self.assertIn("the optimizer's state has another 'mu_product' for other parameters: torch runs its step()",
                      str(step.report()))


if __name__ == "__main__":
    unittest.main()
