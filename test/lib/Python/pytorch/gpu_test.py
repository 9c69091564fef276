# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""wrap() and step() with programs for a GPU, whose memory torch works on, on the test driver.

A PyTorch without a GPU has no tensors there. Here its tensors of a CPU lie in the memory of the test driver's device,
and a Device that says so stands in the place of the one for cuda:0. All else is the code that runs on a GPU.
"""
import copy
import ctypes
import os
import pathlib
import unittest
import weakref

import mpc_compiler

_LIBRARIES = pathlib.Path(mpc_compiler.__file__).absolute().parents[2] / "lib"
os.environ.update(MPC_CUDA_DRIVER=str(_LIBRARIES / "libMpcFakeCuda.so"),
                  MPC_NVRTC=str(_LIBRARIES / "libMpcFakeNvrtc.so"), MPC_CUBLASLT="off",
                  MPC_FAKE_CUDA="open=1 sm=80")

try:
    import torch
    from torch import nn
    from torch.nn import functional as F
    from torch.utils.dlpack import to_dlpack

    from mpc_compiler import _arrays, _calls, _device
    from wrap_test import batches, call, make_mlp, sgd, train
except ImportError:
    torch = None

_driver = ctypes.CDLL(os.environ["MPC_CUDA_DRIVER"]) if torch else None
_of_capsule = ctypes.pythonapi.PyCapsule_GetPointer
_of_capsule.restype, _of_capsule.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)


def ask(symbol, *arguments):
    if code := getattr(_driver, symbol)(*arguments):
        raise RuntimeError(f"{symbol} gave {code}")


def is_there(tensor):
    """Whether a tensor's memory is the device's."""
    kind = ctypes.c_int()
    return _driver.cuPointerGetAttribute(ctypes.byref(kind), 2, ctypes.c_ulonglong(tensor.data_ptr())) == 0


def set_kind(capsule, name, offset, kind):
    """Says of what kind of device a DLPack capsule's memory is."""
    ctypes.c_int32.from_address(_of_capsule(capsule, name) + offset).value = kind
    return capsule


class TestGpu(_device.Gpu if torch else object):
    """The test driver's device, as one on which torch has tensors."""

    def __init__(self):
        self.runs = 0
        context = ctypes.c_void_p()
        ask("cuInit", 0)
        ask("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
        ask("cuCtxSetCurrent", context)

    def options(self):
        return {"cpu": "cuda:sm_80"}

    def has(self, tensor):
        return tensor.device.type == "cpu"

    def begin(self, runner):
        self.runs += 1
        runner.set_stream(0)

    def state(self, runner, name):
        capsule = runner.edit_device_state(name)
        # DLManagedTensorVersioned: version, context, deleter, flags, then data and device.
        return torch.from_dlpack(_arrays.Memory(set_kind(capsule, b"dltensor_versioned", 40, _arrays.CPU)))

    def capsule(self, tensor):
        capsule = super().capsule(tensor)
        return set_kind(capsule, b"dltensor", 8, _arrays.GPU) if is_there(tensor) else capsule

    def empty(self, shape, dtype):
        size = max(1, torch.Size(shape).numel()) * dtype.itemsize
        pointer = ctypes.c_ulonglong()
        ask("cuMemAlloc_v2", ctypes.byref(pointer), ctypes.c_size_t(size))
        memory = (ctypes.c_char * size).from_address(pointer.value)
        weakref.finalize(memory, _driver.cuMemFree_v2, pointer)
        return torch.frombuffer(memory, dtype=dtype)[:torch.Size(shape).numel()].view(tuple(shape))

    def number(self, value):
        return torch.tensor(value)

    def place(self, tensor):
        """A copy there."""
        return self.empty(tensor.shape, tensor.dtype).copy_(tensor)


@unittest.skipIf(torch is None, "torch is not installed")
class Gpu(unittest.TestCase):
    def setUp(self):
        self.gpu = TestGpu()
        before, _calls.device_of = _calls.device_of, lambda module: self.gpu
        self.addCleanup(setattr, _calls, "device_of", before)

    def batches(self, count, rows=6):
        return [(self.gpu.place(x), self.gpu.place(y)) for x, y in batches(count, rows)]

    def near(self, found, expected, tolerance=1e-5):
        self.assertEqual(len(found), len(expected))
        for i, (a, b) in enumerate(zip(found, expected)):
            self.assertLess(abs(a - b), tolerance * max(1, abs(b)), f"step {i}: {found}, expected {expected}")

    def test_a_loop_trains_in_the_memory_of_the_device(self):
        plain = make_mlp()
        expected = train(plain, sgd(plain), batches(5))
        model = mpc_compiler.wrap(make_mlp(), loss=F.cross_entropy)
        self.near(train(model, sgd(model), self.batches(5)), expected)
        self.assertTrue(all(is_there(p) and is_there(p.grad) for p in model.parameters()))
        self.assertIn("5 calls compiled", str(model.report()))
        self.assertGreaterEqual(self.gpu.runs, 5)
        # torch's own forward, of the same weights.
        x, y = self.batches(1)[0]
        with torch.no_grad():
            self.near([call(model, x, y).item()], [call(plain, x, y).item()])

    def test_several_losses_wait_with_gradients_of_their_own(self):
        data = batches(3)
        plain = make_mlp()
        sum(call(plain, x, y) for x, y in data).backward()
        model = mpc_compiler.wrap(make_mlp(), loss=F.cross_entropy)
        losses = [call(model, x, y) for x, y in self.batches(3)]
        (losses[0] + losses[1] * 2 + losses[2] - losses[1]).backward()
        for one, other in zip(model.parameters(), plain.parameters()):
            self.assertLess((one.grad - other.grad).abs().max().item(), 1e-6)

    def test_batches_of_two_shapes_share_the_weights(self):
        data = [pair for _ in range(3) for pair in (*batches(1), *batches(1, rows=4))]
        plain = make_mlp()
        expected = train(plain, sgd(plain), data)
        model = mpc_compiler.wrap(make_mlp(), loss=F.cross_entropy)
        placed = [(self.gpu.place(x), self.gpu.place(y)) for x, y in data]
        self.near(train(model, sgd(model), placed), expected)
        self.assertEqual(sum(one.compile_seconds > 0 for one in model.report()), 2)
        self.assertEqual(len(model._mpc_control._homes), 1)

    def test_an_overflow_is_run_again_and_outputs_are_there(self):
        class WithLoss(nn.Module):
            def __init__(self):
                super().__init__()
                self.part = make_mlp()
                self.register_buffer("calls", torch.zeros(()))

            def forward(self, x, y):
                self.calls += 1
                logits = self.part(x)
                return {"loss": F.cross_entropy(logits, y), "logits": logits}

        plain, model = WithLoss(), mpc_compiler.wrap(WithLoss(), precision="fp16", options={"init_scale": 2.0**24})
        for (x, y), (x_there, y_there) in zip(batches(3), self.batches(3)):
            expected, found = plain(x, y), model(x_there, y_there)
            self.near([found["loss"].item()], [expected["loss"].item()], 5e-3)
            self.assertTrue(is_there(found["logits"]))
            self.assertLess((found["logits"] - expected["logits"]).abs().max().item(), 5e-3)
            found["loss"].backward()
            self.assertTrue(all(p.grad.isfinite().all() for p in model.parameters()))
        # The scale fell, and a buffer was written once a call.
        self.assertEqual(model.calls.item(), 3)
        self.assertLess(model._mpc_control._any_program().scale, 2.0**24)

    def test_an_evaluation_is_compiled(self):
        model = mpc_compiler.wrap(make_mlp(), loss=F.cross_entropy, compile_eval=True).eval()
        x, _ = self.batches(1)[0]
        with torch.no_grad():
            found = model(x)
        self.assertTrue(is_there(found))
        self.assertLess((found - make_mlp()(x)).abs().max().item(), 1e-6)

    def test_a_step_updates_there_and_torch_sees_its_state(self):
        plain = make_mlp()
        optimizer = torch.optim.Adam(plain.parameters(), lr=0.02)
        expected = train(plain, optimizer, batches(4))
        model = make_mlp()
        own = torch.optim.Adam(model.parameters(), lr=0.02)
        step = mpc_compiler.step(model, own, loss=F.cross_entropy, outputs=True)
        self.near([step(x, y).item() for x, y in self.batches(4)], expected)
        self.assertTrue(is_there(step.outputs))
        for parameter, other in zip(model.parameters(), plain.parameters()):
            self.assertTrue(is_there(parameter) and is_there(own.state[parameter]["exp_avg"]))
            self.assertLess((parameter - other).abs().max().item(), 1e-5)
        # It goes on from what torch loads, also with what torch has written in place.
        saved = copy.deepcopy((model.state_dict(), own.state_dict()))
        after = [step(x, y).item() for x, y in self.batches(2)]
        model.load_state_dict(saved[0])
        own.load_state_dict(saved[1])
        self.assertEqual([step(x, y).item() for x, y in self.batches(2)], after)

    def test_integers_out_of_bounds_are_refused(self):
        model = mpc_compiler.wrap(make_mlp(), loss=F.cross_entropy)
        x, y = self.batches(1)[0]
        call(model, x, y)
        y[2] = 3
        with self.assertRaisesRegex(mpc_compiler.InvalidInputError, "element 2: 3 is not in 0 to 2"):
            call(model, x, y)


@unittest.skipIf(torch is None, "torch is not installed")
class Devices(unittest.TestCase):
    def test_a_module_is_on_one_device_that_programs_run_on(self):
        model = make_mlp()
        model[2].to("meta")
        wrapped = mpc_compiler.wrap(model, loss=F.cross_entropy)
        with self.assertRaisesRegex(mpc_compiler.UnsupportedError, "'0.weight' is on cpu and '2.weight' on meta"):
            call(wrapped, *batches(1)[0])
        wrapped = mpc_compiler.wrap(make_mlp().to("meta"), loss=F.cross_entropy)
        with self.assertRaisesRegex(mpc_compiler.UnsupportedError, "'0.weight' is on meta, and wrap"):
            call(wrapped, *batches(1)[0])

    def test_a_batch_is_where_the_module_is(self):
        wrapped = mpc_compiler.wrap(make_mlp(), loss=F.cross_entropy)
        x, y = batches(1)[0]
        with self.assertRaisesRegex(mpc_compiler.UnsupportedError, "is on meta, and the module on a CPU"):
            call(wrapped, x.to("meta"), y)


if __name__ == "__main__":
    unittest.main()
