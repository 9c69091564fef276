# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Derivatives inside of a forward: equations of physics, penalties on gradients, forces, steps of an inner loop."""
import copy
import threading
import unittest

import mpc_compiler
from wrap_test import WrapTest

try:
    import torch
    from torch import nn
    from torch.nn import functional as F
except ImportError:
    torch = None


class Network(nn.Module if torch else object):
    """A loss of what `equation` gives for a network and the points."""

    def __init__(self, equation):
        super().__init__()
        torch.manual_seed(0)
        self.body, self.equation = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 1)), equation

    def forward(self, points):
        return self.equation(self.body, points).square().mean()


class Part(nn.Module if torch else object):
    """The square of the gradient of a part's output by its input, and the output."""

    def __init__(self, part):
        super().__init__()
        self.part = part

    def forward(self, x):
        x = x.detach().requires_grad_(True)
        y = self.part(x)
        gradient = torch.autograd.grad(y, x, torch.ones_like(y).cumsum(-1), create_graph=True)[0]
        return gradient.square().mean() + y.square().mean()


class Forces(nn.Module if torch else object):
    """An energy by pairs of atoms, as SchNet has it, and the forces that follow from it."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.kinds = nn.Embedding(4, 8)
        self.filter = nn.Sequential(nn.Linear(6, 8), nn.SiLU(), nn.Linear(8, 8))
        self.atom = nn.Sequential(nn.Linear(8, 8), nn.Softplus(), nn.Linear(8, 1))
        self.register_buffer("centers", torch.linspace(0, 3, 6))

    def forward(self, kinds, positions, left, right, forces):
        positions.requires_grad_(True)
        distances = (positions[left] - positions[right]).norm(dim=-1, keepdim=True)
        weights = self.filter(torch.exp(-2 * (distances - self.centers) ** 2))
        atoms = self.kinds(kinds)
        atoms = atoms.index_add(0, left, weights * atoms[right])
        energy = self.atom(atoms).sum()
        found = -torch.autograd.grad(energy, positions, create_graph=True)[0]
        return 0.1 * energy.square() + (found - forces).square().mean()


def along(function, points, axis):
    direction = torch.zeros_like(points)
    direction[:, axis] = 1
    return torch.func.jvp(function, (points,), (direction,))[1]


def by(value, points):
    return torch.autograd.grad(value, points, torch.ones_like(value), create_graph=True)[0]


def of(u):
    """A number of one point."""
    return lambda point: u(point).sum()


def burgers(u, points):
    points.requires_grad_(True)
    value = u(points)
    first = by(value, points)
    second = by(first[:, :1], points)
    return first[:, 1] + value[:, 0] * first[:, 0] - 0.1 * second[:, 0]


def inner_step(u, points):
    """MAML: the loss behind a step of gradient descent."""
    weights = dict(u.named_parameters())
    loss = torch.func.functional_call(u, weights, (points,)).square().mean()
    found = torch.autograd.grad(loss, list(weights.values()), create_graph=True)
    moved = {name: w - 0.1 * g for (name, w), g in zip(weights.items(), found)}
    return torch.func.functional_call(u, moved, (points + 1,))


def of_weights(u, points):
    loss = lambda weights: torch.func.functional_call(u, weights, (points,)).square().mean()
    return torch.stack([g.norm() for g in torch.func.grad(loss)(dict(u.named_parameters())).values()])


def penalty(u, points):
    """WGAN-GP's, as its code is copied."""
    mixed = (0.3 * points + 1).requires_grad_(True)
    found = torch.autograd.grad(outputs=u(mixed), inputs=mixed, grad_outputs=torch.ones(len(points), 1, dtype=points.dtype),
                                create_graph=True, retain_graph=True, only_inputs=True)[0]
    return found.norm(2, dim=1) - 1


def in_between(u, points):
    """By values that other ops read too, one of which follows from the other."""
    first = u[0](points)
    second = u[1](first)
    found = torch.autograd.grad(u[2](second).sum(), [first, second], create_graph=True)
    return found[0] * first + found[1] + first


def without_graph(u, points):
    own = points.detach().requires_grad_()
    return torch.autograd.grad(u(own).sum(), own)[0] * u(points)


def partly_unused(u, points):
    one, other = points.clone().requires_grad_(), points.clone().requires_grad_()
    found = torch.autograd.grad(u(one).sum(), [one, other], create_graph=True, allow_unused=True)
    assert found[1] is None
    return found[0]


def in_regions(u, points):
    with torch.no_grad():
        start = points * 2
    own = start.requires_grad_()
    value = u(own)
    with torch.autocast("cpu", enabled=False):
        return by(value, own)


def equations():
    func = torch.func
    return {
        "burgers": burgers, "inner_step": inner_step, "of_weights": of_weights, "penalty": penalty, "in_between": in_between,
        "without_graph": without_graph, "partly_unused": partly_unused, "in_regions": in_regions,
        "jvp": lambda u, p: along(u, p, 0) - 0.1 * along(lambda q: u(q).sin(), p, 1) + u(p),
        "jvp of jvp": lambda u, p: along(lambda q: along(u, q, 0), p, 1),
        "grad": lambda u, p: func.grad(of(u))(p),
        "grad of grad": lambda u, p: func.grad(lambda q: func.grad(of(u))(q).square().sum())(p),
        "grad beside": lambda u, p: func.grad(lambda q: (u(q) * u(p)).sum())(p),
        "grad and value": lambda u, p: sum(func.grad_and_value(of(u))(p)),
        "by both": lambda u, p: sum(func.grad(lambda a, b: u(a * b).sum(), argnums=(0, 1))(p, p + 1)),
        "vjp": lambda u, p: func.vjp(u, p)[1](torch.full_like(u(p), 2))[0],
        "jacrev": lambda u, p: func.jacrev(lambda q: u(q)[:2])(p),
        "jacfwd": lambda u, p: func.jacfwd(lambda q: u(q)[:2])(p),
        "hessian": lambda u, p: func.hessian(of(u))(p[0]),
        "jacobian": lambda u, p: torch.autograd.functional.jacobian(lambda q: u(q).sum(0), p, create_graph=True),
        "vmap of grad": lambda u, p: func.vmap(func.grad(of(u)))(p),
        "vmap of vjp": lambda u, p: func.vmap(lambda q: func.vjp(u, q)[1](q[:1] + 2)[0])(p),
        "vmap of vjp of one": lambda u, p: func.vmap(lambda q: func.vjp(lambda r: u(r) * r, q)[1](p.detach()[0].sin())[0])(p),
        "vmap over columns": lambda u, p: func.vmap(func.grad(of(u)), in_dims=1)(p.T),
        "vmap of hessian": lambda u, p: func.vmap(func.hessian(of(u)))(p),
        "vmap of vmap": lambda u, p: func.vmap(func.vmap(func.grad(of(u))))(p.reshape(3, 2, 2)),
    }


class Attention(nn.MultiheadAttention if torch else object):
    def forward(self, x):
        return super().forward(x, x, x, need_weights=False)[0]


class States(nn.LSTM if torch else object):
    def forward(self, x):
        return super().forward(x)[0]


class Function(nn.Module if torch else object):
    def __init__(self, function):
        super().__init__()
        self.function, self.scale = function, nn.Parameter(torch.tensor(1.5))

    def forward(self, x):
        return self.function(x * self.scale)


def parts():
    """Parts of networks, and the sizes of what they read."""
    return {
        "critic": (nn.Sequential(nn.Conv2d(2, 4, 3, 2, 1), nn.InstanceNorm2d(4, affine=True), nn.LeakyReLU(0.2),
                                 nn.Conv2d(4, 4, 3, padding=1, groups=2), nn.SiLU(), nn.AvgPool2d(2), nn.Flatten(),
                                 nn.Linear(16, 1)), (3, 2, 8, 8)),
        "generator": (nn.Sequential(nn.ConvTranspose2d(3, 4, 4, 2, 1), nn.BatchNorm2d(4, track_running_stats=False),
                                    nn.Softplus(), nn.Conv2d(4, 2, 3)), (2, 3, 4, 4)),
        "max": (nn.Sequential(nn.Conv1d(2, 4, 3), nn.ReLU(), nn.MaxPool1d(2), nn.Conv1d(4, 2, 1)), (3, 2, 9)),
        "transformer": (nn.TransformerEncoderLayer(8, 2, 16, 0.0, "gelu", batch_first=True), (2, 5, 8)),
        "attention": (Attention(8, 2, batch_first=True), (2, 5, 8)),
        "causal": (Function(lambda x: F.scaled_dot_product_attention(x, x.sin(), x, is_causal=True)), (2, 2, 5, 4)),
        "lstm": (States(3, 4, batch_first=True), (2, 6, 3)),
        "norms": (nn.Sequential(nn.LayerNorm(6), nn.Linear(6, 6), nn.GroupNorm(1, 6), nn.GELU("tanh"), nn.RMSNorm(6)), (4, 6)),
        "softmax": (Function(lambda x: x.softmax(-1) * x.logsumexp(-1, True)), (3, 5)),
        "sorted": (Function(lambda x: x.sort(-1)[0].cumsum(-1) * x.topk(3)[0].prod(-1, True)), (3, 5)),
    }


@unittest.skipIf(torch is None, "torch is not installed")
class Derivatives(WrapTest):
    def numbers(self, *sizes):
        return torch.randn(*sizes, generator=torch.Generator().manual_seed(1))

    def exact(self, model, batch):
        """Loss and gradients in float64. PyTorch has no second derivative of its fused attention."""
        model = copy.deepcopy(model).double()
        with torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH):
            loss = model(*(x.double() if x.is_floating_point() else x for x in copy.deepcopy(batch)))
            loss.backward()
        return [loss.detach()] + [p.grad for p in model.parameters()]

    def distances(self, model, loss, exact):
        """How far loss and gradients are from float64's, by their size and the largest gradient's."""
        self.assertEqual([g is not None and bool(g.any()) for g in exact[1:]],
                         [p.grad is not None and bool(p.grad.any()) for p in model.parameters()])
        largest = max(float(g.abs().max()) for g in exact if g is not None)
        found = [loss.detach()] + [p.grad for p in model.parameters()]
        return [float((ours - theirs).abs().max()) / (float(theirs.abs().max()) + largest / 8)
                for ours, theirs in zip(found, exact) if theirs is not None]

    def check(self, model, batch, tolerance=2e-6):
        exact = self.exact(model, batch)
        loss = mpc_compiler.wrap(model, on_unsupported="error")(*batch)
        loss.backward()
        self.assertLess(max(self.distances(model, loss, exact)), tolerance)

    def check_in_16_bits(self, model, batch):
        exact, theirs = self.exact(model, batch), copy.deepcopy(model)
        with torch.autocast("cpu", torch.bfloat16):
            amp = theirs(*copy.deepcopy(batch))
        amp.backward()
        loss = mpc_compiler.wrap(model, precision="bf16")(*batch)
        loss.backward()
        of_theirs = max(self.distances(theirs, amp, exact))
        self.assertLess(max(self.distances(model, loss, exact)), 2 * of_theirs + 1e-3)
        self.assertGreater(of_theirs, 1e-3)

    def test_equations(self):
        for name, equation in equations().items():
            with self.subTest(name):
                self.check(Network(equation), [self.numbers(6, 2)], 4e-6)

    def test_equations_in_16_bits(self):
        for name in ("burgers", "inner_step", "hessian"):
            with self.subTest(name):
                self.check_in_16_bits(Network(equations()[name]), [self.numbers(60, 2)])

    def test_parts(self):
        torch.manual_seed(3)
        for name, (part, sizes) in parts().items():
            with self.subTest(name):
                self.check(Part(part), [self.numbers(*sizes)], 1e-5)

    def test_forces(self):
        left, right = torch.combinations(torch.arange(5)).T
        positions = self.numbers(5, 3)
        batch = [torch.tensor([0, 1, 2, 1, 3]), positions, torch.cat([left, right]), torch.cat([right, left]), self.numbers(5, 3)]
        self.check(Forces(), batch, 1e-5)

    def test_an_error_leaves_nothing_behind(self):
        for _ in range(2):
            self.check(Network(equations()["jvp"]), [self.numbers(6, 2)])
            with self.assertRaises(mpc_compiler.ExportError):
                mpc_compiler.wrap(Network(lambda u, p: along(lambda q: u(q) if u(q).sum() > 0 else u(2 * q), p, 0)))(self.numbers(6, 2))
        self.assertEqual(torch.func.grad(torch.sin)(torch.tensor(0.0)), 1)

    def test_other_threads_have_torchs_meanwhile(self):
        found = []

        def of_other():
            x = torch.tensor(2.0, requires_grad=True)
            found.extend([torch.autograd.grad(x ** 3, x)[0], torch.func.grad(torch.sin)(torch.tensor(0.0)),
                          torch.func.hessian(lambda y: y ** 3)(torch.tensor(2.0))])

        def equation(u, points):
            thread = threading.Thread(target=of_other)
            thread.start()
            thread.join()
            return burgers(u, points)

        model = Network(equation)
        mpc_compiler.wrap(model)(self.numbers(6, 2)).backward()
        self.assertEqual([float(one) for one in found], [12, 1, 12])

    def refused(self, equation, error, text):
        with self.assertRaisesRegex(error, text):
            mpc_compiler.wrap(Network(equation))(self.numbers(6, 2))

    def test_as_torch_refuses(self):
        unused = lambda u, p: torch.autograd.grad(u(p).sum(), p.clone().requires_grad_(), create_graph=True)[0]
        self.refused(unused, mpc_compiler.ExportError, "appears to not have been used in the graph")
        self.refused(lambda u, p: by(u(p), p), mpc_compiler.ExportError, "differentiated Tensors does not require grad")
        vector = lambda u, p: torch.autograd.grad(u(p), list(u.parameters()), create_graph=True)[0]
        self.refused(vector, mpc_compiler.ExportError, "implicitly created only for scalar outputs")

    def test_what_is_not_compiled(self):
        backward = lambda u, p: (u(p.requires_grad_()).sum().backward(), p.grad)[1]
        self.refused(backward, mpc_compiler.ExportError, r"backward\(\) inside of forward.*torch\.autograd\.grad\(output")
        rows = lambda u, p: torch.autograd.grad(u(p), u[0].weight, torch.ones(2, 6, 1), create_graph=True, is_grads_batched=True)[0]
        self.refused(rows, mpc_compiler.UnsupportedError, "is_grads_batched")
        each = lambda u, p: torch.func.vmap(torch.func.grad(lambda w, q: (q * w).sum().tanh()), (None, 0))(u[0].weight[0], p)
        self.refused(each, mpc_compiler.UnsupportedError, "each sample's own gradient")
        wide = lambda u, p: torch.func.jacrev(lambda q: q.repeat(200, 1))(p)
        self.refused(wide, mpc_compiler.UnsupportedError, "Jacobian of 2400 numbers")

    def test_points_that_want_a_gradient(self):
        """As loops over equations have them: points come with requires_grad, and have a gradient behind backward()."""
        found = []
        for make in (mpc_compiler.wrap, lambda model: model):
            points = self.numbers(6, 2).requires_grad_()
            make(Network(burgers))(points).backward()
            found.append(points.grad)
        torch.testing.assert_close(*found, rtol=1e-5, atol=1e-6 * float(found[1].abs().max()))

    def test_step(self):
        model = Network(burgers)
        plain = copy.deepcopy(model)
        step = mpc_compiler.step(model, torch.optim.Adam(model.parameters(), 1e-2))
        optimizer = torch.optim.Adam(plain.parameters(), 1e-2)
        for _ in range(10):
            found = step(self.numbers(6, 2))
            optimizer.zero_grad()
            wanted = plain(self.numbers(6, 2))
            wanted.backward()
            optimizer.step()
            self.assertLess(abs(float(found) - float(wanted)), 1e-5 * float(wanted))


if __name__ == "__main__":
    unittest.main()
