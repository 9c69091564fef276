#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The cost model on a program and a device with round figures; every expected number is worked out by hand."""
import copy
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).parents[3] / "benchmarks/gpu/cost_model.py"
sys.path.insert(0, str(SCRIPT.parent))

import cost_model  # noqa: E402

# 10 SMs at 1 GHz: Tensor Cores 1e13/s, of which products reach 5e12; f32 2e12/s, of which 1e12. Memory 1e12 bytes/s,
# of which 5e11; a thread asks for 16 bytes each 1 us, so that 31250 threads are enough. Ridge: 10 operations a byte.
DEVICE = cost_model.Device(
    sms=10, clock=1e9, bandwidth=1e12, tensor_flops=1000, f32_flops=200, schedulers=4, threads=2048, blocks=32,
    registers=65536, shared=100000, bandwidth_share=0.5, tensor_share=0.5, f32_share=0.5, latency=1e-6, in_flight=16,
    gap=1e-6,
)


def buffer(size, space="arena", index=0):
    return {"space": space, "index": index, "offset": 0, "bytes": size}


def launch(symbol, work, flops, reads, writes, **changes):
    sizes = {"blocks": 1000, "threads": 256, "shared_bytes": 0}
    return {"kind": "device_kernel", "symbol": symbol, "work": work, "flops": flops, "reads": len(reads),
            "buffers": reads + writes, **sizes, **changes}


def kernel(symbol, registers=32, shared=1024, instructions=1, products=0):
    return {"symbol": symbol, "registers": registers, "shared_bytes": shared, "instructions": instructions,
            "products": products}


PROGRAM = {
    "state": [{"slab": 0, "role": "parameter"}, {"slab": 1, "role": "low_precision"}, {"slab": 2, "role": "buffer"}],
    "kernels": [kernel("copy"), kernel("gelu", instructions=10000), kernel("mm", 128, products=8), kernel("update"),
                kernel("scores", 128, products=8), kernel("dot")],
    "entries": [{"name": "step", "launches": [
        launch("copy", "map", 0, [buffer(4_000_000)], [buffer(1_000_000)], blocks=200),
        launch("gelu", "map", 0, [buffer(1000)], [buffer(1000)]),
        launch("mm", "contraction", 10**9, [buffer(10**6)], [buffer(10**6)], blocks=15),
        launch("scores", "contraction", 10**7, [buffer(10**6)], [buffer(10**6)], blocks=20),
        launch("dot", "contraction", 10**9, [buffer(1000)], [buffer(1000)]),
        launch("update", "map", 0, [buffer(1000)], [buffer(2000, "state", 0), buffer(500, "state", 1)]),
        {"kind": "fill", "symbol": "", "work": "", "flops": 0, "reads": 0, "buffers": [buffer(10**6)]},
    ]}],
}


class CostModel(unittest.TestCase):
    def cost(self, symbol):
        return next(c for c in cost_model.costs_of(PROGRAM, "step", DEVICE) if c.symbol == symbol)

    def expect(self, symbol, kind, bound, time, limit):
        cost = self.cost(symbol)
        self.assertEqual((kind, bound), (cost.kind, cost.bound))
        self.assertAlmostEqual(1, cost.time / time, 9)
        self.assertAlmostEqual(1, cost.limit / limit, 9)

    def test_bytes_at_the_share_of_the_bandwidth(self):
        # Registers allow 8 blocks, as threads do: 80 of 200 run, 20480 threads ask for 327680 bytes each us.
        self.expect("copy", "map", "memory", 5e6 / 327680e6 + 1e-6, 5e6 / 1e12)

    def test_instructions_of_each_warp(self):
        # 8000 warps of 10000 instructions, 40 a cycle: 2 ms.
        self.expect("gelu", "map", "instructions", 2e-3 + 1e-6, 2000 / 1e12)

    def test_products_wait_for_the_fullest_sm(self):
        # 15 blocks on 10 SMs are two rounds, a quarter of them idle: 1e9 / (5e12 * 0.75).
        self.expect("mm", "products, Tensor Cores, above the ridge", "arithmetic", 1e9 / 3.75e12 + 1e-6, 1e-4)

    def test_a_librarys_product_is_a_kernels_unless_the_library_is_asked_for(self):
        program = copy.deepcopy(PROGRAM)
        for one in program["entries"][0]["launches"][2:4]:
            one["kind"] = "library_product"
        costs = {c.symbol: c for c in cost_model.costs_of(program, "step", DEVICE)}
        self.assertEqual(costs["mm"].time, self.cost("mm").time)
        costs = {c.symbol: c for c in cost_model.costs_of(program, "step", DEVICE, with_library=True)}
        # 80 % of 1e13/s on all SMs; 2e6 bytes at half of the bandwidth.
        self.assertAlmostEqual(1, costs["mm"].time / (1e9 / 8e12 + 1e-6), 9)
        self.assertAlmostEqual(1, costs["scores"].time / (2e6 / 5e11 + 1e-6), 9)
        self.assertEqual(("products, cuBLASLt (assumed)", "arithmetic"), (costs["mm"].kind, costs["mm"].bound))
        self.assertEqual(costs["gelu"], self.cost("gelu"))

    def test_products_of_few_operations_a_byte_wait_for_memory(self):
        # 128 registers allow 2 blocks: 20 blocks of 256 threads ask for 81920 bytes each us.
        self.expect("scores", "products, Tensor Cores, below the ridge", "memory", 2e6 / 81920e6 + 1e-6, 2e6 / 1e12)
        self.assertEqual(512, self.cost("scores").running)

    def test_products_without_tensor_cores(self):
        self.expect("dot", "products, f32", "arithmetic", 1e9 / 1e12 + 1e-6, 1e9 / 2e12)

    def test_an_update_reads_what_it_writes_but_not_derived_copies(self):
        self.assertEqual(("optimizer", 1000 + 2 * 2000 + 500), (self.cost("update").kind, self.cost("update").moved))

    def test_a_fill_moves_its_bytes(self):
        self.expect("", "copies", "memory", 2e-6 + 1e-6, 1e-6)

    def test_resident_blocks_by_what_runs_out_first(self):
        def blocks(threads, registers, declared, dynamic):
            sizes = {"threads": threads, "shared_bytes": dynamic}
            return cost_model.resident_blocks(sizes, kernel("k", registers, declared), DEVICE)

        self.assertEqual(32, blocks(32, 16, 1024, 0))  # The count of blocks,
        self.assertEqual(4, blocks(512, 16, 1024, 0))  # threads,
        self.assertEqual(3, blocks(256, 80, 1024, 0))  # registers: 20480 a block,
        self.assertEqual(2, blocks(256, 82, 1024, 0))  # 82 count as 88: 22528 a block;
        self.assertEqual(1, blocks(256, 32, 1024, 49152))  # 50176 bytes are 392 units of 128: one fits.
        self.assertEqual(1, blocks(256, 32, 0, 49500))  # 1024 go with each block that declares none.

    def test_rows_sum_up(self):
        costs = cost_model.costs_of(PROGRAM, "step", DEVICE)
        rows = cost_model.grouped(costs, cost_model.by_class)
        maps = next(row for row in rows if row.name == "map")
        self.assertEqual((2, "instructions"), (maps.launches, maps.bound))
        self.assertAlmostEqual(2048, maps.threads)
        self.assertAlmostEqual(5e-3 + 2e-6, maps.gbytes, 9)
        self.assertEqual(sorted((row.ms for row in rows), reverse=True), [row.ms for row in rows])
        self.assertAlmostEqual(sum(cost.time for cost in costs) * 1e3, sum(row.ms for row in rows), 9)

    def test_errors_say_what_is_missing(self):
        bare = copy.deepcopy(PROGRAM)
        del bare["kernels"][0]["registers"]
        with self.assertRaisesRegex(ValueError, "copy: no machine code; compile for a GPU where NVRTC is found"):
            cost_model.costs_of(bare, "step", DEVICE)
        with self.assertRaisesRegex(ValueError, "no entry 'walk'"):
            cost_model.costs_of(PROGRAM, "walk", DEVICE)
        large = copy.deepcopy(PROGRAM)
        large["entries"][0]["launches"][0]["shared_bytes"] = 100000
        with self.assertRaisesRegex(ValueError, "copy: a block of it does not fit"):
            cost_model.costs_of(large, "step", DEVICE)

    def test_the_command_prints_a_table(self):
        with tempfile.NamedTemporaryFile("w+", suffix=".json") as file:
            cost_model.json.dump(PROGRAM, file)
            file.flush()
            done = subprocess.run([sys.executable, "-B", SCRIPT, file.name, "--largest=1", "--sms=10"],
                                  capture_output=True, text=True, check=True)
        self.assertIn("| optimizer | 1 | 0.0 | 0.00 | 2048 |", done.stdout)
        self.assertIn("first of its kind", done.stdout)


if __name__ == "__main__":
    unittest.main()
