# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random nn programs that stress fusion: odd shapes, unit extents, views, shared values, several outputs."""
import math
from dataclasses import dataclass, field

EXTENTS = [1, 1, 1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 31, 33]
LONG_EXTENTS = [64, 100, 129, 257]
MAX_ELEMENTS = 6000
FLOATS = ["f32", "f16", "bf16"]
LARGEST = {"f32": 1e6, "f16": 1e3, "bf16": 1e6}

UNARY_BOUNDS = {
    "neg": None,
    "abs": None,
    "sign": 1.0,
    "relu": None,
    "tanh": 1.0,
    "sigmoid": 1.0,
    "erf": 1.0,
    "sin": 1.0,
    "cos": 1.0,
    "gelu": None,
}
BINARY = ["add", "sub", "mul", "maximum", "minimum"]
COMPARE = ["eq", "ne", "lt", "le", "gt", "ge"]


@dataclass
class Value:
    name: str
    shape: list
    element: str
    bound: float = 1.0  # Roughly its largest magnitude.
    uses: int = 0

    @property
    def type(self):
        return f"tensor<{''.join(f'{size}x' for size in self.shape)}{self.element}>"


@dataclass
class Op:
    name: str
    operands: list
    results: list
    text: str  # Between the op's name and its types.
    attributes: dict = field(default_factory=dict)

    def __str__(self):
        results = ", ".join(value.name for value in self.results)
        return f"  {results} = nn.{self.name} {self.text}"


def elements(shape):
    return math.prod(shape)


def numbers(values):
    return "[" + ", ".join(str(value) for value in values) + "]"


class Program:
    """One random program. `rng` is a random.Random, names of values begin with `prefix`."""

    def __init__(self, rng, prefix, size, differentiable=False):
        self.rng, self.prefix = rng, prefix
        self.differentiable = differentiable
        self.ops, self.values, self.inputs = [], [], []
        self.element = rng.choice(FLOATS)
        for _ in range(rng.randint(1, 4)):
            self.add_input(self.random_shape())
        makers = self.makers()
        while len(self.ops) < size:
            rng.choice(makers)()
        self.outputs = self.choose_outputs()

    def makers(self):
        elementwise = [self.unary, self.unary, self.binary, self.binary, self.binary_broadcast, self.with_scalar]
        moves = [self.reshape, self.transpose, self.broadcast, self.slice, self.pad, self.concat, self.split]
        moves += [self.reverse, self.keepdims]
        sums = [self.reduce, self.reduce, self.normalize, self.written_softmax, self.written_norm, self.sum_beside_rows]
        contractions = [self.matmul, self.linear, self.conv, self.conv]
        others = [self.cast, self.select, self.gather, self.scatter_add, self.max_pool, self.exponential]
        others += [self.scatter_reduce, self.scatter_reduce]
        return elementwise * 2 + moves + sums * 2 + contractions + others

    # Values

    def random_shape(self, rank=None):
        rank = self.rng.randint(0, 5) if rank is None else rank
        while True:
            long = self.rng.random() < 0.1
            shape = [self.rng.choice(EXTENTS) for _ in range(rank)]
            if long and rank:
                shape[self.rng.randrange(rank)] = self.rng.choice(LONG_EXTENTS)
            if elements(shape) <= MAX_ELEMENTS:
                return shape

    def add_input(self, shape, element=None, bound=1.0):
        value = Value(f"%{self.prefix}x{len(self.inputs)}", list(shape), element or self.element, bound)
        self.inputs.append(value)
        self.values.append(value)
        return value

    def emit(self, name, operands, shapes, text, attributes=None, element=None, bound=None):
        """Appends an op; `shapes` are those of its results. `text` lacks the types."""
        element = element or operands[0].element
        for operand in operands:
            operand.uses += 1
        if bound is None:
            bound = max((operand.bound for operand in operands), default=1.0)
        results = []
        for shape in shapes:
            name_of_value = f"%{self.prefix}v{len(self.ops)}_{len(results)}"
            results.append(Value(name_of_value, list(shape), element, bound))
        self.ops.append(Op(name, list(operands), results, text, attributes or {}))
        self.values.extend(results)
        return results[0]

    def floats(self, condition=lambda value: True):
        return [value for value in self.values if value.element in FLOATS and condition(value)]

    def pick(self, condition=lambda value: True):
        """A value, the late ones more likely; None if there is none."""
        found = self.floats(condition)
        if not found:
            return None
        if self.rng.random() < 0.6:
            found = found[-4:]
        return self.rng.choice(found)

    def typed(self, value, element):
        return value if value.element == element else self.cast_to(value, element)

    def tame(self, value):
        """Keeps magnitudes where 16 bits hold them."""
        if value.bound <= LARGEST[value.element] ** 0.5:
            return value
        return self.elementwise("tanh", [value], bound=1.0)

    def peer(self, value, shape=None):
        """Another value of the shape and type of `value`, made if there is none."""
        shape = value.shape if shape is None else list(shape)
        found = self.pick(lambda other: other.shape == shape and other.element == value.element)
        if found is not None and self.rng.random() < 0.8:
            return found
        same = self.pick(lambda other: elements(other.shape) == elements(shape))
        if same is not None and self.rng.random() < 0.7:
            return self.typed(self.reshape_to(same, shape), value.element)
        return self.add_input(shape, value.element)

    # Elementwise

    def elementwise(self, name, operands, bound=None, text="", element=None, attributes=None):
        names = ", ".join(operand.name for operand in operands)
        result = operands[0].type if element is None else Value("", operands[0].shape, element).type
        suffix = f" : {operands[-1].type}" + ("" if element is None else f" -> {result}")
        return self.emit(
            name, operands, [operands[0].shape], text + names + suffix, attributes, element=element, bound=bound
        )

    def unary(self):
        value = self.pick()
        name = self.rng.choice(list(UNARY_BOUNDS))
        attributes = {"tanh": False} if name == "gelu" else None
        return self.elementwise(name, [value], UNARY_BOUNDS[name], attributes=attributes)

    def exponential(self):
        """Functions that need a bounded or positive argument."""
        small = self.elementwise("tanh", [self.pick()], 1.0)
        positive = self.elementwise("exp", [small], math.e)
        name = self.rng.choice(["log", "sqrt", "rsqrt", "reciprocal", "softplus", "div"])
        if name == "div":
            return self.elementwise("div", [self.peer(positive), positive], bound=3 * positive.bound)
        return self.elementwise(name, [positive], math.e)

    def binary(self):
        value = self.tame(self.pick())
        other = self.tame(self.peer(value))
        return self.combine(value, other)

    def combine(self, value, other):
        name = self.rng.choice(BINARY)
        bound = {"mul": value.bound * other.bound, "maximum": None, "minimum": None}
        return self.elementwise(name, [value, other], bound.get(name, value.bound + other.bound))

    def binary_broadcast(self):
        """A value with a smaller one that is repeated: a bias, a row's scale."""
        value = self.pick(lambda value: value.shape)
        if value is None:
            return None
        value = self.tame(value)
        axes = sorted(self.rng.sample(range(len(value.shape)), self.rng.randint(0, len(value.shape))))
        small = self.tame(self.peer(value, [value.shape[axis] for axis in axes]))
        return self.combine(value, self.broadcast_to(small, value.shape, axes))

    def with_scalar(self):
        value = self.tame(self.pick())
        number = self.rng.choice(["0.5", "-1.25", "2.0", "3.0e-1", "0.0"])
        constant = self.constant(value, number)
        return self.combine(value, constant)

    def constant(self, like, number):
        type_ = f"tensor<{''.join(f'{size}x' for size in like.shape)}{like.element}>"
        attributes = {"value": float(number)}
        result = self.emit("constant", [], [like.shape], f"dense<{number}> : {type_}", attributes, like.element)
        result.bound = abs(float(number))
        return result

    def cast_to(self, value, element):
        result = f"tensor<{''.join(f'{size}x' for size in value.shape)}{element}>"
        return self.emit("cast", [value], [value.shape], f"{value.name} : {value.type} -> {result}", None, element)

    def cast(self):
        value = self.pick()
        if not self.differentiable and self.rng.random() < 0.3:  # Whole numbers: any order of their sum is exact.
            whole = self.cast_to(self.tame(value), "i32")
            return self.cast_to(whole, value.element)
        element = self.rng.choice(FLOATS)
        if value.bound > LARGEST[element] or element == value.element:
            return None
        return self.cast_to(value, element)

    def select(self):
        value = self.pick()
        other, third = self.peer(value), self.peer(value)
        kind = self.rng.choice(COMPARE)
        chosen = self.elementwise(
            "compare", [value, other], text=f"{kind} ", element="i1", attributes={"kind": str(COMPARE.index(kind))}
        )
        operands = [chosen, value, third]
        text = ", ".join(operand.name for operand in operands) + f" : {chosen.type}, {value.type}"
        bound = max(value.bound, third.bound)
        return self.emit("select", operands, [value.shape], text, element=value.element, bound=bound)

    # Movement

    def move(self, name, value, shape, text, attributes=None):
        result = Value("", shape, value.element).type
        text = f"{value.name} {text}".rstrip() + f" : {value.type} -> {result}"
        return self.emit(name, [value], [shape], text, attributes)

    def reshape_to(self, value, shape):
        return value if value.shape == list(shape) else self.move("reshape", value, shape, "")

    def reshape(self):
        """Splits, joins or adds axes."""
        value = self.pick()
        shape = list(value.shape)
        for _ in range(self.rng.randint(1, 2)):
            kind = self.rng.randrange(3)
            if kind == 0:
                shape.insert(self.rng.randint(0, len(shape)), 1)
            elif kind == 1 and len(shape) > 1:
                axis = self.rng.randrange(len(shape) - 1)
                shape[axis : axis + 2] = [shape[axis] * shape[axis + 1]]
            elif shape:
                axis = self.rng.randrange(len(shape))
                factors = [f for f in (2, 3, 4, 7, 8) if shape[axis] % f == 0]
                if factors:
                    factor = self.rng.choice(factors)
                    shape[axis : axis + 1] = self.rng.sample([factor, shape[axis] // factor], 2)
        return self.reshape_to(value, shape[:6]) if elements(shape[:6]) == elements(shape) else None

    def transpose(self):
        value = self.pick(lambda value: len(value.shape) > 1)
        if value is None:
            return None
        permutation = self.rng.sample(range(len(value.shape)), len(value.shape))
        shape = [value.shape[axis] for axis in permutation]
        return self.move("transpose", value, shape, numbers(permutation), {"permutation": permutation})

    def broadcast_to(self, value, shape, axes):
        return self.move("broadcast", value, shape, f"axes {numbers(axes)}", {"axes": list(axes)})

    def broadcast(self):
        value = self.pick(lambda value: elements(value.shape) <= MAX_ELEMENTS // 8 and len(value.shape) < 5)
        if value is None:
            return None
        shape = [self.rng.choice([2, 3, 5]) if size == 1 and self.rng.random() < 0.5 else size for size in value.shape]
        axes = list(range(len(shape)))
        if self.rng.random() < 0.6:
            place = self.rng.randint(0, len(shape))
            shape.insert(place, self.rng.choice([1, 2, 4, 7]))
            axes = [axis for axis in range(len(shape)) if axis != place]
        return self.broadcast_to(value, shape, axes) if elements(shape) <= MAX_ELEMENTS else None

    def slice(self):
        value = self.pick(lambda value: value.shape)
        if value is None:
            return None
        starts, limits, strides, shape = [], [], [], []
        for size in value.shape:
            whole = self.rng.random() < 0.5
            start = 0 if whole or self.rng.random() < 0.5 else self.rng.randrange(size)
            limit = size if whole else self.rng.randint(start + 1, size)
            stride = 1 if whole else self.rng.choice([1, 1, 2, 3])
            starts.append(start), limits.append(limit), strides.append(stride)
            shape.append(-(-(limit - start) // stride))
        text = f"{numbers(starts)} to {numbers(limits)} by {numbers(strides)}"
        return self.move("slice", value, shape, text, {"starts": starts, "limits": limits, "strides": strides})

    def pad(self):
        value = self.pick(lambda value: value.shape)
        if value is None:
            return None
        low = [self.rng.choice([0, 0, 1, 2, -1 if size > 3 else 0]) for size in value.shape]
        high = [self.rng.choice([0, 0, 1, -1 if size > 3 else 0]) for size in value.shape]
        interior = [self.rng.choice([0, 0, 0, 1]) for _ in value.shape]
        sizes = zip(value.shape, low, high, interior)
        shape = [size + (size - 1) * inner + a + b for size, a, b, inner in sizes]
        if elements(shape) > MAX_ELEMENTS:
            return None
        number = self.rng.choice([0.0, -1.5])
        text = f"low {numbers(low)} high {numbers(high)} interior {numbers(interior)} value {number:.6e}"
        attributes = {"low": low, "high": high, "interior": interior, "value": number}
        result = self.move("pad", value, shape, text, attributes)
        result.bound = max(value.bound, 1.5)
        return result

    def concat(self):
        value = self.pick(lambda value: value.shape and elements(value.shape) < MAX_ELEMENTS // 3)
        if value is None:
            return None
        axis = self.rng.randrange(len(value.shape))
        same = lambda other: other.element == value.element and other.shape[:axis] + other.shape[axis + 1 :] == (  # noqa: E731
            value.shape[:axis] + value.shape[axis + 1 :]
        )
        parts = [value] + [self.pick(lambda other: len(other.shape) == len(value.shape) and same(other))]
        shape = list(value.shape)
        shape[axis] = sum(part.shape[axis] for part in parts)
        names = ", ".join(part.name for part in parts)
        types = ", ".join(part.type for part in parts)
        text = f"{names} axis({axis}) : {types} -> {Value('', shape, value.element).type}"
        return self.emit("concat", parts, [shape], text, {"axis": axis})

    def split(self):
        value = self.pick(lambda value: any(size > 1 for size in value.shape))
        if value is None:
            return None
        axis = self.rng.choice([axis for axis, size in enumerate(value.shape) if size > 1])
        first = self.rng.randint(1, value.shape[axis] - 1)
        sizes = [first, value.shape[axis] - first]
        shapes = [value.shape[:axis] + [size] + value.shape[axis + 1 :] for size in sizes]
        types = ", ".join(Value("", shape, value.element).type for shape in shapes)
        return self.emit(
            "split", [value], shapes, f"{value.name} axis({axis}) : {value.type} -> {types}", {"axis": axis}
        )

    def reverse(self):
        value = self.pick(lambda value: value.shape)
        if value is None:
            return None
        axes = sorted(self.rng.sample(range(len(value.shape)), self.rng.randint(1, len(value.shape))))
        return self.emit(
            "reverse", [value], [value.shape], f"{value.name} axes {numbers(axes)} : {value.type}", {"axes": axes}
        )

    # Reductions

    def reduce_over(self, name, value, axes):
        axes = sorted(axes)
        shape = [size for axis, size in enumerate(value.shape) if axis not in axes]
        count = elements(value.shape) // max(elements(shape), 1)
        bound = value.bound * (math.sqrt(count) * 3 if name == "reduce_sum" else 1)
        text = f"{value.name} axes {numbers(axes)} : {value.type} -> {Value('', shape, value.element).type}"
        return self.emit(name, [value], [shape], text, {"axes": axes}, bound=bound)

    def some_axes(self, value):
        return self.rng.sample(range(len(value.shape)), self.rng.randint(1, len(value.shape)))

    def reduce(self):
        value = self.pick(lambda value: value.shape)
        if value is None:
            return None
        name = self.rng.choice(["reduce_sum", "reduce_sum", "reduce_max"])
        return self.reduce_over(name, self.tame(value), self.some_axes(value))

    def keepdims(self):
        """A reduction that keeps its axes with extent 1, and is combined with what it was taken of."""
        value = self.pick(lambda value: value.shape)
        if value is None:
            return None
        return self.spread(self.tame(value), self.rng.choice(["reduce_sum", "reduce_max"]), self.rng.choice(BINARY))

    def spread(self, value, reduction, operation, axes=None):
        """operation(value, reduction of value), by a reshape that keeps the axes."""
        axes = self.some_axes(value) if axes is None else axes
        reduced = self.tame(self.reduce_over(reduction, value, axes))
        shape = [1 if axis in axes else size for axis, size in enumerate(value.shape)]
        kept = self.reshape_to(reduced, shape)
        if self.rng.random() < 0.3:
            kept = self.elementwise("abs", [kept])
        wide = self.broadcast_to(kept, value.shape, range(len(shape)))
        return self.elementwise(operation, [value, wide], value.bound * max(wide.bound, 2.0))

    def written_softmax(self):
        """ONNX's function body of Softmax."""
        value = self.pick(lambda value: value.shape)
        if value is None:
            return None
        axes = [self.rng.randrange(len(value.shape))]
        shifted = self.spread(self.tame(value), "reduce_max", "sub", axes)
        weights = self.elementwise("exp", [shifted], 1.0)
        result = self.spread(weights, "reduce_sum", "div", axes)
        result.bound = 1.0
        return result

    def written_norm(self):
        """Root-mean-square normalization."""
        value = self.pick(lambda value: value.shape)
        if value is None:
            return None
        value = self.elementwise("tanh", [value], 1.0)
        axes = [self.rng.randrange(len(value.shape))]
        square = self.elementwise("mul", [value, value], 1.0)
        total = self.reduce_over("reduce_sum", square, axes)
        safe = self.elementwise("add", [total, self.constant(total, "1.0")])
        root = self.elementwise("rsqrt", [safe], 1.0)
        shape = [1 if axis in axes else size for axis, size in enumerate(value.shape)]
        wide = self.broadcast_to(self.reshape_to(root, shape), value.shape, range(len(shape)))
        return self.elementwise("mul", [value, wide], 1.0)

    def sum_beside_rows(self):
        """Sums over rows, in whole runs of 16, of what follows from sums of single rows, as the gradient of a scale."""
        value = self.pick(lambda value: elements(value.shape) >= 4)
        if value is None:
            return None
        rows = [[self.rng.choice([1, 2, 3]), 16], [32], [48], [2, 32]][self.rng.randrange(4)]
        value = self.elementwise("tanh", [value], 1.0)
        row = self.reshape_to(value, [elements(value.shape)])
        row = self.reshape_to(row, [1] * len(rows) + row.shape)
        if elements(rows) * elements(row.shape) > 4 * MAX_ELEMENTS:
            return None
        shape = rows + row.shape[-1:]
        wide = self.elementwise("mul", [self.broadcast_to(row, shape, range(len(shape))), self.add_input(shape, value.element)])
        spread = self.spread(wide, "reduce_sum", "sub", [len(rows)])
        axes = list(range(len(rows)))
        total = self.reduce_over("reduce_sum", self.tame(spread), axes)
        if self.rng.random() < 0.5:
            self.reduce_over("reduce_sum", wide, axes)
        return total

    def normalize(self):
        value = self.pick(lambda value: value.shape)
        if value is None:
            return None
        value, name = self.tame(value), self.rng.choice(["softmax", "log_softmax", "layer_norm"])
        axis = self.rng.randrange(len(value.shape))
        operands, text, attributes = [value], value.name, {"axis": axis}
        if name == "layer_norm":
            scale = self.peer(value, value.shape[axis:])
            operands.append(scale)
            text += f" scale {scale.name} : {scale.type}"
            attributes.update(epsilon=1e-2, segments=[1, 1, 0])
        text += f" axis({axis})" + (" epsilon(1.0e-2)" if name == "layer_norm" else "") + f" : {value.type}"
        return self.emit(name, operands, [value.shape], text, attributes, bound=30.0)

    # Contractions

    def contraction(self, name, lhs, rhs, shape, terms, text):
        operands, middle = [lhs, rhs], text[0]
        if self.rng.random() < 0.4:
            axis = {"conv": 1}.get(name, len(shape) - 1)
            bias = self.tame(self.peer(lhs, [shape[axis]]))
            operands.append(bias)
            middle += f" bias {bias.name} : {bias.type}"
        result = Value("", shape, lhs.element).type
        line = f"{lhs.name}, {rhs.name}{middle}{text[1]} : {lhs.type}, {rhs.type} -> {result}"
        bound = 3 * math.sqrt(terms) * lhs.bound * rhs.bound + operands[-1].bound
        return self.emit(name, operands, [shape], line, text[2], bound=bound)

    def matrix(self, like, shape):
        return self.tame(self.peer(like, shape))

    def matmul(self):
        lhs = self.pick(lambda value: len(value.shape) > 1 and elements(value.shape) <= MAX_ELEMENTS)
        if lhs is None:
            return None
        lhs = self.tame(lhs)
        flags = [self.rng.random() < 0.4, self.rng.random() < 0.4]
        batch, (rows, terms) = lhs.shape[:-2], lhs.shape[-2:]
        if flags[0]:
            rows, terms = terms, rows
        columns = self.rng.choice(EXTENTS + LONG_EXTENTS[:2])
        if elements(batch) * rows * columns > 2 * MAX_ELEMENTS or elements(batch) * terms * columns > 2 * MAX_ELEMENTS:
            columns = 1
        rhs = self.matrix(lhs, batch + ([columns, terms] if flags[1] else [terms, columns]))
        text = "".join(f" transpose_{side}" for side, flag in zip(("lhs", "rhs"), flags) if flag)
        attributes = {"transpose_lhs": flags[0], "transpose_rhs": flags[1]}
        return self.contraction("matmul", lhs, rhs, batch + [rows, columns], terms, (text, "", attributes))

    def linear(self):
        value = self.pick(lambda value: value.shape)
        if value is None:
            return None
        value = self.tame(value)
        columns = self.rng.choice(EXTENTS)
        weight = self.matrix(value, [columns, value.shape[-1]])
        attributes = {"transpose_lhs": False, "transpose_rhs": False}
        shape = value.shape[:-1] + [columns]
        if elements(shape) > 2 * MAX_ELEMENTS:
            return None
        return self.contraction("linear", value, weight, shape, value.shape[-1], ("", "", attributes))

    def windows(self, sizes, kernel_choices):
        """Random windows over axes of `sizes`, by attribute, and the extents of the result."""
        spec = {"strides": [], "low": [], "high": [], "dilations": []}
        kernel, out = [], []
        for size in sizes:
            extent, dilation = self.rng.choice(kernel_choices), self.rng.choice([1, 1, 1, 2])
            low, high = self.rng.randint(0, extent // 2), self.rng.randint(0, extent // 2)
            stride = self.rng.choice([1, 1, 2, 3])
            room = size + low + high - (extent - 1) * dilation - 1
            if room < 0:
                extent, low, high, room = 1, 0, 0, size - 1
            kernel.append(extent), out.append(room // stride + 1)
            for name, number in zip(spec, (stride, low, high, dilation)):
                spec[name].append(number)
        return spec, kernel, out

    def conv(self):
        value = self.pick(lambda value: 3 <= len(value.shape) <= 5 and elements(value.shape) <= 3000)
        if value is None:
            value = self.add_input(self.random_shape(self.rng.randint(3, 5)))
        value = self.tame(value)
        batch, channels, *sizes = value.shape
        spec, kernel, out = self.windows(sizes, [1, 2, 3, 3])
        groups = self.rng.choice([g for g in (1, 1, 2, 4, channels) if channels % g == 0])
        features = groups * self.rng.choice([1, 2, 3, 5, 16])
        terms = channels // groups * elements(kernel)
        if max(batch * features * elements(out), features * terms) > 2 * MAX_ELEMENTS:
            return None
        if batch * features * elements(out) * terms > 2_000_000:
            return None
        weight = self.matrix(value, [features, channels // groups] + kernel)
        text = "".join(f" {name} {numbers(values)}" for name, values in spec.items()) + f" groups({groups})"
        shape = [batch, features] + out
        return self.contraction("conv", value, weight, shape, terms, ("", text, {**spec, "groups": groups}))

    def max_pool(self):
        value = self.pick(lambda value: 3 <= len(value.shape) <= 5)
        if value is None:
            return None
        spec, window, out = self.windows(value.shape[2:], [1, 2, 3])
        shape, value = value.shape[:2] + out, self.tame(value)
        text = f"{value.name} window {numbers(window)}"
        text += "".join(f" {name} {numbers(values)}" for name, values in spec.items())
        types = [Value("", shape, element).type for element in (value.element, "i64")]
        text += f" : {value.type} -> {', '.join(types)}"
        result = self.emit("max_pool", [value], [shape, shape], text, {**spec, "window": window})
        self.values[-1].element = "i64"
        return result

    # Indexing

    def indices(self, shape, size):
        return self.add_input(shape, "i64", bound=size)

    def gather(self):
        value = self.pick(lambda value: value.shape)
        if value is None:
            return None
        axis, count = self.rng.randrange(len(value.shape)), self.rng.choice(EXTENTS)
        shape = value.shape[:axis] + [count] + value.shape[axis + 1 :]
        if elements(shape) > MAX_ELEMENTS:
            return None
        indices = self.indices([count], value.shape[axis])
        return self.index_op("gather", value, indices, shape, axis)

    def scatter_add(self):
        value = self.pick(lambda value: value.shape)
        if value is None:
            return None
        value = self.tame(value)
        axis, size = self.rng.randrange(len(value.shape)), self.rng.choice(EXTENTS)
        shape = value.shape[:axis] + [size] + value.shape[axis + 1 :]
        if elements(shape) > MAX_ELEMENTS:
            return None
        indices = self.indices([value.shape[axis]], size)
        result = self.index_op("scatter_add", value, indices, shape, axis)
        result.bound = value.bound * 3 * math.sqrt(value.shape[axis])
        return result

    def scatter_reduce(self):
        """Updates a value in place, which others may read later."""
        value = self.pick(lambda value: value.shape)
        if value is None:
            return None
        count = self.rng.choice(EXTENTS)
        rows = [count] + value.shape[1:]
        if elements(rows) > MAX_ELEMENTS:
            return None
        updates, indices = self.peer(value, rows), self.indices([count], value.shape[0])
        kind = self.rng.choice(["max", "min"])
        text = f"{kind} {value.name}, {updates.name}, {indices.name} : {value.type}, {updates.type}, {indices.type}"
        bound = max(value.bound, updates.bound)
        return self.emit("scatter_reduce", [value, updates, indices], [value.shape], text, {"kind": kind}, bound=bound)

    def index_op(self, name, value, indices, shape, axis):
        types = f"{value.type}, {indices.type} -> {Value('', shape, value.element).type}"
        text = f"{value.name}, {indices.name} axis({axis}) : {types}"
        bound = value.bound
        return self.emit(name, [value, indices], [shape], text, {"axis": axis, "batch_dims": 0}, bound=bound)

    # Results

    def choose_outputs(self):
        made = [value for op in self.ops for value in op.results if value.element != "i1"]
        return [value for value in made if value.uses == 0 or self.rng.random() < 0.15]
