# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors of every element type, and the text of functions on them.

Nothing here is shared with the product: numbers are float64 (or Python's integers), rounding
to an element type is written out, and the text is what mpc-check-values reads.
"""
import math
import struct

import numpy as np

# Digits of the significand, least exponent of a normal number, bits in all.
FLOATS = {
    "f16": (11, -14, 16),
    "bf16": (8, -126, 16),
    "f32": (24, -126, 32),
    "f64": (53, -1022, 64),
}
NOT_FINITE = {
    "f16": {"nan": "0x7E00", "inf": "0x7C00", "-inf": "0xFC00"},
    "bf16": {"nan": "0x7FC0", "inf": "0x7F80", "-inf": "0xFF80"},
    "f32": {"nan": "0x7FC00000", "inf": "0x7F800000", "-inf": "0xFF800000"},
    "f64": {"nan": "0x7FF8000000000000", "inf": "0x7FF0000000000000", "-inf": "0xFFF0000000000000"},
}


def ulp(kind, value):
    """The distance of neighbours in `kind` at the magnitude of `value`."""
    digits, least, _ = FLOATS[kind]
    exponent = math.frexp(value)[1] - 1 if value else least
    return math.ldexp(1.0, max(exponent, least) - digits + 1)


def largest(kind):
    """The largest finite number: all exponents above the least, once more for bias."""
    digits, least, _ = FLOATS[kind]
    return math.ldexp(2.0 - math.ldexp(1.0, 1 - digits), 1 - least)


def rounded(kind, value):
    """`value` to nearest even in `kind`, as a float64."""
    if kind == "f64" or not math.isfinite(value) or value == 0:
        return value
    unit = ulp(kind, value)
    # Python rounds halves to even, and the quotient by a power of two is exact.
    result = math.copysign(round(value / unit) * unit, value)
    return math.copysign(math.inf, value) if abs(result) > largest(kind) else result


def integer_type(kind):
    if kind == "i1":
        return bool
    return f"uint{kind[2:]}" if kind.startswith("ui") else f"int{kind[1:]}"


class Tensor:
    """Values of an element type; floats are kept as float64, rounded to the type."""

    def __init__(self, kind, values):
        self.kind = kind
        if kind in FLOATS:
            flat = np.asarray(values, dtype=np.float64)
            self.values = np.array([rounded(kind, float(x)) for x in flat.ravel()]).reshape(
                flat.shape
            )
        else:
            self.values = np.asarray(values, dtype=integer_type(kind))

    @property
    def type(self):
        return type_of(self.values.shape, self.kind)


class Result:
    """What a function has to return: float64 values, and how far off a result may be."""

    def __init__(self, kind, values, ulps=0.0, at=0.0):
        self.kind, self.ulps, self.at = kind, ulps, at
        self.values = (
            np.asarray(values, dtype=np.float64) if kind in FLOATS else Tensor(kind, values).values
        )

    @property
    def type(self):
        return type_of(self.values.shape, self.kind)


def type_of(shape, kind):
    return f"tensor<{''.join(f'{size}x' for size in shape)}{kind}>"


def float_text(value, kind):
    if not math.isfinite(value):
        return NOT_FINITE[kind][str(value)]
    text = repr(float(value))
    mantissa, e, exponent = text.partition("e")
    return f"{mantissa if '.' in mantissa else mantissa + '.0'}{e}{exponent}"


def element_text(value, kind):
    if kind == "i1":
        return "true" if value else "false"
    return float_text(float(value), kind) if kind in FLOATS else str(int(value))


def nested_text(values, kind):
    if values.ndim == 0:
        return element_text(values[()], kind)
    return "[" + ", ".join(nested_text(part, kind) for part in values) + "]"


def dense_text(values, kind):
    if values.size == 0:
        return f"dense<> : {type_of(values.shape, kind)}"
    return f"dense<{nested_text(values, kind)}> : {type_of(values.shape, kind)}"


def result_text(result):
    stored = "f64" if result.kind in FLOATS else result.kind
    text = f"{result.type} {{values.are = {dense_text(result.values, stored)}"
    if result.ulps:
        text += f", values.ulps = {float_text(result.ulps, 'f64')}"
    if result.at:
        text += f", values.at = {float_text(result.at, 'f64')}"
    return text + "}"


def joined(parts, indent):
    return f",\n{' ' * indent}".join(parts)


def letters(count):
    return [f"%{chr(ord('a') + i)}" for i in range(count)]


class Function:
    """`body` computes %r (or, of several results, %r0, %r1, ...) of arguments %a, %b, ...

    `gradients`: results that the VJP by the arguments numbered so has to have, for the
    cotangents `seeds`, one for each floating result. `callees` is the text of private functions."""

    def __init__(self, name, inputs, body, results, seeds=(), gradients=None, callees=""):
        self.callees = callees
        self.name, self.inputs, self.body, self.results = name, inputs, body, list(results)
        self.seeds, self.gradients = list(seeds), dict(gradients or {})

    def text(self):
        if not self.gradients:
            return self.callees + self._declaration("func.func", self.inputs, self.results) + self._body()
        return self.callees + self._private() + self._vjp()

    def _declaration(self, keyword, inputs, results):
        arguments = [
            f"{name}: {tensor.type} {{values.are = {dense_text(tensor.values, tensor.kind)}}}"
            for name, tensor in zip(letters(len(inputs)), inputs)
        ]
        texts = [result_text(result) for result in results]
        return (
            f"{keyword} @{self.name}(\n    {joined(arguments, 4)})\n"
            f"    -> ({joined(texts, 8)}) {{\n"
        )

    def _names(self):
        count = len(self.results)
        return ["%r"] if count == 1 else [f"%r{i}" for i in range(count)]

    def _body(self):
        types = ", ".join(result.type for result in self.results)
        return f"  {self.body}\n  return {', '.join(self._names())} : {types}\n}}\n"

    def _private(self):
        arguments = ", ".join(
            f"{n}: {t.type}" for n, t in zip(letters(len(self.inputs)), self.inputs)
        )
        types = ", ".join(result.type for result in self.results)
        return f"func.func private @{self.name}_of({arguments}) -> ({types}) {{\n" + self._body()

    def _vjp(self):
        """Yields the results and the gradients."""
        results = self.results + list(self.gradients.values())
        names = letters(len(self.inputs) + len(self.seeds))
        given, seeds = names[: len(self.inputs)], names[len(self.inputs) :]
        types = ", ".join(result.type for result in results)
        values = ", ".join(f"%v#{i}" for i in range(len(results)))
        return (
            self._declaration("func.func", self.inputs + self.seeds, results)
            + f"  %v:{len(results)} = nn.vjp @{self.name}_of({', '.join(given)}) "
            + f"seed({', '.join(seeds)}) wrt [] args {list(self.gradients)}\n"
            + f"      : ({', '.join(t.type for t in self.inputs)}), "
            + f"({', '.join(t.type for t in self.seeds)}) -> {types}\n"
            + f"  return {values} : {types}\n}}\n"
        )


HEADER = """\
// Made by test/support/values: formulas in float64 that share no code with mpc.
// Results are to be these values rounded once, or off by at most `values.ulps`
// units in the last place, at their own magnitude or at `values.at`.

"""


def file_text(functions):
    return HEADER + "\n".join(function.text() for function in functions)
