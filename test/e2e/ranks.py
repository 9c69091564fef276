#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trains on several ranks, and compares the checkpoints' bytes with those of one process.

    python ranks.py bits INPUTS FOLDER          trainings of all kinds, on 1 to 6 ranks
    python ranks.py statistics FOLDER           running statistics beside NumPy's
    python ranks.py evaluation INPUTS FOLDER    evaluations beside NumPy's
    python ranks.py sums FOLDER                 sums by pairs beside NumPy's
    python ranks.py resume INPUTS FOLDER        saved on 4 ranks, resumed on 1, 2 and 4
    python ranks.py parts INPUTS FOLDER         saved in parts, joined and resumed
    python ranks.py reports INPUTS FOLDER       tensors that are not finite, found on all ranks
    python ranks.py faults INPUTS FOLDER        ranks that die, stop or differ
"""
import hashlib
import json
import math
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

import numpy as np
from safetensors.numpy import load_file, save_file

LAUNCHER = ["mpirun.openmpi", "--oversubscribe", "--bind-to", "none"]
ENVIRONMENT = dict(
    os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_btl_base_warn_component_unused="0"
)
# Open MPI leaves memory behind in modules that it has unloaded, where no suppression can name them.
if "ASAN_OPTIONS" in os.environ:
    ENVIRONMENT["ASAN_OPTIONS"] += ":detect_leaks=0"


def command(ranks, flags, tool="mpc-train", launcher=()):
    """Without ranks, the command of one process without a launcher."""
    if not ranks:
        return [tool, *flags, "--threads=1"]
    return [*LAUNCHER, *launcher, "-n", str(ranks), tool, *flags, "--threads=1"]


def run(ranks, flags, **options):
    words = command(ranks, flags, **options)
    return subprocess.run(words, env=ENVIRONMENT, capture_output=True, text=True, timeout=300)


def run_differing(flags, flag):
    """Two ranks with another `flag` each, by the variables of the launcher."""
    words = [*LAUNCHER, "-n", "2", "sh", "-c", " ".join(["mpc-train", *flags, "--threads=1", flag])]
    return subprocess.run(words, env=ENVIRONMENT, capture_output=True, text=True, timeout=120)


def train(folder, ranks, flags, pairs=True, **options):
    """The newest checkpoint's digest, and the metrics without the times."""
    flags = [*flags, f"--checkpoint-dir={folder}", f"--metrics={folder}.csv"]
    if pairs and not ranks and options.get("tool") != "mpc-run":
        flags.append("--sum-order=pairs")
    done = run(ranks, flags, **options)
    assert done.returncode == 0, done.stderr
    newest = max(pathlib.Path(folder).glob("ckpt-*.safetensors"))
    rows = [line.split(",") for line in open(f"{folder}.csv").read().split()]
    timed = rows[0].index("step_ms")
    metrics = [row[:timed] + row[timed + 1 :] for row in rows]
    return hashlib.sha256(newest.read_bytes()).hexdigest(), metrics


def write_data(folder):
    draw = np.random.default_rng(7)
    path = f"{folder}/data.safetensors"
    x = draw.normal(size=(330, 64)).astype(np.float32)
    save_file({"x": x, "target": draw.integers(0, 10, 330)}, path)
    return [f"--data={path}", "--lr=0.01", "--seed=5"]


def compare(name, folder, counts, flags):
    runs = {count: train(f"{folder}/{name}-{count}", count, flags) for count in counts}
    first = runs[counts[0]]
    for count in counts[1:]:
        rows = "".join(f"\n  {a}\n  {b}" for a, b in zip(first[1], runs[count][1]) if a != b)
        assert runs[count][0] == first[0], f"{name}: other bytes on {count} ranks{rows}"
        assert runs[count][1] == first[1], f"{name}: other metrics on {count} ranks{rows}"
    print(f"{name}: the same on {', '.join(map(str, counts[1:]))}")
    return first[1]


DROPOUT = """
nn.parameter @w : tensor<10x64xf32> = #nn.init<uniform 0.1>
func.func @model(%x: tensor<8x64xf32> {nn.name = "x"}) -> (tensor<8x10xf32> {nn.name = "y"}) {
  %w = nn.get @w : tensor<10x64xf32>
  %d = nn.dropout %x ratio 0.5 stream 0 : tensor<8x64xf32>
  %y = nn.linear %d, %w : tensor<8x64xf32>, tensor<10x64xf32> -> tensor<8x10xf32>
  return %y : tensor<8x10xf32>
}
"""


def bits(inputs, folder):
    model = f"{folder}/dropout.mlir"
    open(model, "w").write(DROPOUT)
    # An epoch has as many steps on any number of ranks.
    compare("dropout", folder, [0, 2, 4], [model, *write_data(folder), "--epochs=0.5", "--accumulate=4"])
    base = [f"{inputs}/models/mlp.onnx", *write_data(folder), "--steps=12"]
    compare("window", folder, [0, 1, 2, 4], [*base, "--accumulate=4", "--optimizer=lamb", "--ema=0.9"])
    rows = compare(
        "fp16", folder, [0, 2, 4],
        [*base, "--precision=fp16", "--init-scale=1073741824", "--max-scale=1e12", "--accumulate=8",
         "--clip-global-norm=0.1", "--count-underflow"],
    )
    skipped = [row[rows[0].index("skipped")] for row in rows[1:]]
    assert "1" in skipped and "0" in skipped, skipped
    # Slots, averages and f32 weights are divided among ranks, those of an evaluation too.
    adam = [*base, "--optimizer=adamw", "--ema=0.9", f"--eval-data={folder}/data.safetensors", "--eval-every=5"]
    compare("divided", folder, [0, 2, 4], [*adam, "--accumulate=4", "--precision=bf16", "--keep-best=loss"])
    compare("divided-slots", folder, [0, 3], [*adam, "--accumulate=3", "--clip-value=0.01", "--l2=0.01"])
    compare("whole", folder, [0, 2], [*adam, "--accumulate=4", "--precision=bf16", "--shard=off"])
    # The end of an epoch lies inside of a step, and ranks have odd numbers.
    compare("bf16", folder, [0, 3, 6], [*base, "--precision=bf16", "--accumulate=6", "--slot-dtype=bf16"])
    chargpt = [f"{inputs}/workloads/chargpt.onnx", "--lr=0.001", "--seed=5", "--steps=3"]
    draw = np.random.default_rng(3)
    path = f"{folder}/tokens.safetensors"
    save_file({name: draw.integers(0, 62, (200, 64)) for name in ("tokens", "target")}, path)
    compare("chargpt", folder, [0, 4], [*chargpt, f"--data={path}", "--precision=bf16", "--accumulate=4"])


LINEAR = """
nn.parameter @w : tensor<5000xf32> = #nn.init<zeros>
func.func @model(%x: tensor<1x5000xf32> {nn.name = "x"}) -> (tensor<f32> {nn.name = "loss"}) {
  %w = nn.get @w : tensor<5000xf32>
  %r = nn.reshape %x : tensor<1x5000xf32> -> tensor<5000xf32>
  %p = nn.mul %r, %w : tensor<5000xf32>
  %s = nn.reduce_sum %p axes [0] : tensor<5000xf32> -> tensor<f32>
  return %s : tensor<f32>
}
"""


NORMALIZED = """
nn.parameter @w : tensor<10x64xf32> = #nn.init<uniform 0.1>
nn.parameter @scale : tensor<64xf32> = #nn.init<ones>
nn.parameter @bias : tensor<64xf32> = #nn.init<zeros>
nn.parameter @mean : tensor<64xf32> = #nn.init<zeros>
nn.parameter @variance : tensor<64xf32> = #nn.init<ones>
func.func @model(%x: tensor<8x64xf32> {nn.name = "x"}) -> (tensor<8x10xf32> {nn.name = "y"}) {
  %w = nn.get @w : tensor<10x64xf32>
  %s = nn.get @scale : tensor<64xf32>
  %b = nn.get @bias : tensor<64xf32>
  %m = nn.get @mean : tensor<64xf32>
  %v = nn.get @variance : tensor<64xf32>
  %n = nn.batch_norm %x, %s, %b, %m, %v axis(1) epsilon(1.0e-5) momentum(0.1)
      : (tensor<8x64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) -> tensor<8x64xf32>
  %y = nn.linear %n, %w : tensor<8x64xf32>, tensor<10x64xf32> -> tensor<8x10xf32>
  return %y : tensor<8x10xf32>
}
"""


def statistics(folder):
    """Running statistics of the input are those of its batches in order, in float64, but for skipped steps."""
    model = f"{folder}/normalized.mlir"
    open(model, "w").write(NORMALIZED)
    flags = [model, *write_data(folder), "--steps=24", "--order=sequential", "--precision=fp16"]
    skipping = ["--init-scale=1073741824", "--max-scale=1e12"]
    for name, counts, more in [
        ("one", [0, 2, 4], ["--accumulate=4"]),
        ("several", [0, 2, 4], ["--accumulate=8", *skipping]),
    ]:
        rows = compare(name, folder, counts, [*flags, *more])
        skipped = [row[rows[0].index("skipped")] == "1" for row in rows[1:]]
        assert any(skipped) == (name == "several") and not all(skipped), skipped
        window = int(more[0].split("=")[1])
        x = load_file(f"{folder}/data.safetensors")["x"].astype(np.float64)
        batches = x[: len(x) // 8 * 8].reshape(-1, 8, 64)
        mean, variance = np.zeros(64), np.ones(64)
        for number in range(24 * window):
            if not skipped[number // window]:
                batch = batches[number % len(batches)]
                mean += 0.1 * (batch.mean(0) - mean)
                variance += 0.1 * (batch.var(0, ddof=1) - variance)
        for count in counts:
            state = load_file(max(pathlib.Path(f"{folder}/{name}-{count}").glob("ckpt-*.safetensors")))
            np.testing.assert_allclose(state["mean"], mean, rtol=1e-5, atol=1e-6)
            np.testing.assert_allclose(state["variance"], variance, rtol=1e-5)
    print("statistics: those of all batches")


def evaluation(inputs, folder):
    """Ranks share the batches of an evaluation; its numbers are those of one process, and of NumPy at the end."""
    draw = np.random.default_rng(11)
    x, target = draw.normal(size=(75, 64)).astype(np.float32), draw.integers(0, 10, 75)
    save_file({"x": x, "target": target}, f"{folder}/eval.safetensors")
    flags = [f"{inputs}/models/mlp.onnx", *write_data(folder), "--accumulate=4",
             f"--eval-data={folder}/eval.safetensors", "--eval-every=2"]
    # Where the metric that decides is not the loss, which would not stop here.
    choice = ["--keep-best=accuracy:min", "--stop-after=3"]
    stopped = compare("stopped", folder, [0, 2, 4], [*flags, "--steps=40", *choice])
    assert len(stopped) < 41, stopped
    best = {pathlib.Path(f"{folder}/stopped-{count}/best.safetensors").read_bytes() for count in (0, 2, 4)}
    assert len(best) == 1, "other best states"
    flags += ["--steps=12", "--keep-best=accuracy"]
    rows = compare("evaluated", folder, [0, 1, 2, 4], flags)
    values = dict(zip(rows[0], rows[-1]))
    state = load_file(max(pathlib.Path(f"{folder}/evaluated-4").glob("ckpt-*.safetensors")))
    gelu = np.vectorize(lambda value: value * (1 + math.erf(value / math.sqrt(2))) / 2)
    y = x.astype(np.float64)
    for layer, activation in [("net.0", gelu), ("net.2", np.tanh), ("net.4", np.positive)]:
        y = activation(y @ state[f"{layer}.weight"].astype(np.float64).T + state[f"{layer}.bias"])
    spread = np.log(np.exp(y - y.max(1, keepdims=True)).sum(1)) + y.max(1)
    loss = (spread - y[np.arange(75), target]).mean()
    np.testing.assert_allclose(float(values["eval_loss"]), loss, rtol=1e-5)
    assert float(values["eval_accuracy"]) == (y.argmax(1) == target).mean(), values
    # An error of one rank ends all.
    save_file({"x": x, "target": np.where(np.arange(75) == 70, 12, target)}, f"{folder}/eval.safetensors")
    failed = run(4, [*flags, f"--checkpoint-dir={folder}/failed"], launcher=["--enable-recovery"])
    assert "rank 2: error: " in failed.stderr and "sample 70" in failed.stderr, failed.stderr
    for rank in (0, 1, 3):
        assert f"rank {rank}: error: rank 2 cannot go on, and says why" in failed.stderr, failed.stderr
    refused = run_differing([flag for flag in flags if not flag.startswith("--eval-every")],
                            "--eval-every=$((1 + OMPI_COMM_WORLD_RANK))")
    assert "the evaluations of rank 1 differ from those of rank 0" in refused.stderr, refused.stderr
    print("evaluation: shared by all ranks")


def by_pairs(values):
    while len(values) > 1:
        rest = values[-1:] if len(values) % 2 else []
        values = [a + b for a, b in zip(values[::2], values[1::2])] + rest
    return values[0]


def in_order(values):
    total = values[0]
    for value in values[1:]:
        total = total + value
    return total


def sums(folder):
    """One step of SGD at a rate of 1 writes minus the sum of the gradients, which are the
    batches over their number."""
    model = f"{folder}/linear.mlir"
    open(model, "w").write(LINEAR)
    draw = np.random.default_rng(11)
    x = (draw.normal(size=(12, 5000)) * 10.0 ** draw.integers(-6, 7, (12, 5000))).astype(np.float32)
    save_file({"x": x}, f"{folder}/x.safetensors")
    flags = [model, "--loss=output:loss", "--optimizer=sgd", "--lr=1", f"--data={folder}/x.safetensors",
             "--order=sequential", "--steps=1"]

    def weights(name, ranks, more):
        made = run(ranks, [*flags, *more, f"--export-weights={folder}/{name}.safetensors"])
        assert made.returncode == 0, made.stderr
        return -load_file(f"{folder}/{name}.safetensors")["w"]

    for batches, counts in {2: [0, 2], 3: [0, 3], 5: [0, 5], 8: [0, 2, 4], 12: [0, 3, 6]}.items():
        gradients = [row * (np.float32(1) / np.float32(batches)) for row in x[:batches]]
        pairs, order = by_pairs(gradients), in_order(gradients)
        assert batches <= 3 or (pairs != order).any()
        for count in counts:
            more = [f"--accumulate={batches}", "--sum-order=pairs"]
            found = weights(f"{batches}-{count}", count, more)
            assert (found == pairs).all(), f"{batches} batches on {count} ranks: another sum"
        found = weights(f"{batches}-order", 0, [f"--accumulate={batches}"])
        assert (found == order).all(), f"{batches} batches in order: another sum"
        print(f"sums of {batches}: as NumPy has them")


def join(folder, file):
    """One file of a checkpoint in parts."""
    packages = pathlib.Path(shutil.which("mpc-train")).parent.parent / "python"
    subprocess.run([sys.executable, "-m", "mpc_compiler.convert", folder, file], check=True,
                   env={**os.environ, "PYTHONPATH": f"{packages}:{os.environ.get('PYTHONPATH', '')}"})
    return file.read_bytes()


def parts(inputs, folder):
    flags = [f"{inputs}/models/mlp.onnx", *write_data(folder), "--precision=bf16", "--optimizer=adamw", "--ema=0.9",
             "--accumulate=4", "--checkpoint-every=6"]
    one = pathlib.Path(folder, "one")
    train(one, 0, [*flags, "--steps=12"])
    whole = {step: (one / f"ckpt-{step:08}.safetensors").read_bytes() for step in (6, 12)}
    four = pathlib.Path(folder, "four")
    done = run(4, [*flags, "--steps=12", f"--checkpoint-dir={four}", "--checkpoint-parts"])
    assert done.returncode == 0, done.stderr
    for step, wanted in whole.items():
        assert join(four / f"ckpt-{step:08}", one / "joined.safetensors") == wanted, f"other bytes at step {step}"
    assert sorted(p.name for p in four.iterdir() if p.name.startswith("ckpt")) == ["ckpt-00000006", "ckpt-00000012"]
    print("four ranks wrote the bytes of one")
    # A folder that was not finished is none, and one of the user's is left alone.
    for count, shape in ((0, []), (1, []), (2, ["--checkpoint-parts"]), (4, []), (4, ["--shard=off", "--checkpoint-parts"])):
        again = pathlib.Path(folder, f"again-{count}-{len(shape)}")
        shutil.copytree(four / "ckpt-00000006", again / "ckpt-00000006")
        shutil.copytree(four / "ckpt-00000006", again / "ckpt-00000012.tmp")
        (again / "ckpt-mine").mkdir()
        (again / "ckpt-00000099").mkdir()
        (again / "ckpt-00000012.safetensors").write_text("damaged")
        done = run(count, [*flags, "--steps=12", f"--checkpoint-dir={again}", "--resume", *shape,
                           *([] if count else ["--sum-order=pairs"])])
        assert done.returncode == 0, done.stderr
        last = again / "ckpt-00000012"
        found = join(last, again / "joined.safetensors") if last.exists() else last.with_suffix(".safetensors").read_bytes()
        assert found == whole[12], f"other bytes on {count} ranks with {shape}"
        names = sorted(p.name for p in again.iterdir() if p.name.startswith("ckpt"))
        assert names == ["ckpt-00000006", last.name if last.exists() else f"{last.name}.safetensors",
                         "ckpt-00000099", "ckpt-mine"], names
    print("resumed on 1, 2 and 4 ranks, in parts and in one file")
    # A part that is damaged, or missing, is no checkpoint.
    part = four / "ckpt-00000012" / "part-00002-of-00004.safetensors"
    damaged = bytearray(part.read_bytes())
    damaged[-1] ^= 1
    part.write_bytes(damaged)
    done = run(2, [*flags, "--steps=12", f"--checkpoint-dir={four}", "--resume"])
    assert done.returncode == 0 and "passed over a checkpoint" in done.stderr and part.name in done.stderr, done.stderr
    assert (four / "ckpt-00000012.safetensors").read_bytes() == whole[12] and not part.exists()
    print("a damaged part is passed over")


def reports(inputs, folder):
    draw = np.random.default_rng(7)
    x = draw.normal(size=(330, 64)).astype(np.float32)
    x[8 * 5 + 3, 7] = np.inf
    save_file({"x": x, "target": draw.integers(0, 10, 330)}, f"{folder}/data.safetensors")
    flags = [f"{inputs}/models/mlp.onnx", f"--data={folder}/data.safetensors", "--lr=0.01", "--seed=5",
             "--order=sequential", "--precision=fp16", "--accumulate=8", "--optimizer=adamw", "--steps=4"]
    found, digests = {}, {}
    for count, shape in ((0, []), (2, []), (4, []), (8, []), (4, ["--shard=off"])):
        report = pathlib.Path(folder, f"report-{count}-{len(shape)}")
        digests[count, len(shape)], _ = train(report.with_suffix(".run"), count, [*flags, *shape, f"--nan-report={report}"])
        line, = report.read_text().splitlines()
        found[count, len(shape)] = json.loads(line)
    alone = found.pop((0, 0))
    assert alone["first"]["op"] == "input" and alone["step"] == 0, alone
    assert len(set(digests.values())) == 1, "a report changes the training"
    for (count, _), one in found.items():
        # The infinity is in batch 5 of 8.
        assert (one["first"].pop("rank"), one["first"].pop("batch")) == (5 * count // 8, 5), one
        assert one == alone, one
    print("reports name the rank and its batch")
    # Activations that fit f16 at no scale: the same nodes are kept in fp32 on all ranks.
    subprocess.run([sys.executable, "-B", f"{pathlib.Path(__file__).parent}/nan_models.py", folder], check=True)
    flags = [f"{folder}/model.mlir", f"--data={folder}/activations.safetensors", f"--init={folder}/activations.init.safetensors",
             "--loss=mse", "--precision=fp16", "--optimizer=adamw", "--lr=1e-12", "--init-scale=4", "--min-scale=1",
             "--growth-interval=3", "--accumulate=2", "--at-floor=fp32"]
    compare("floor", folder, [0, 2], [*flags, "--steps=12"])
    done = run(2, [*flags, "--steps=16", "--resume", f"--checkpoint-dir={folder}/floor-2"])
    assert done.returncode == 0 and "warning" not in done.stderr, done.stderr
    done = run(2, [*flags, "--steps=5"])
    told = [line for line in done.stderr.splitlines() if "from here on in fp32" in line]
    assert len(told) == 2 and "'first'" in told[0] and "'second'" in told[1], done.stderr


def resume(inputs, folder):
    adam = ["--optimizer=adamw", "--ema=0.9"]
    base = [f"{inputs}/models/mlp.onnx", *write_data(folder), *adam, "--precision=bf16", "--accumulate=4"]
    whole = train(f"{folder}/whole", 4, [*base, "--steps=9"])[0]
    for count in (0, 1, 2, 4):
        train(f"{folder}/part-{count}", 4, [*base, "--steps=5"])
        resumed = train(f"{folder}/part-{count}", count, [*base, "--steps=9", "--resume"])[0]
        assert resumed == whole, f"resumed on {count} ranks: other bytes"
    # A run that is over saves nothing, and no rank waits for one that would.
    over = train(f"{folder}/part-4", 4, [*base, "--steps=9", "--resume"])[0]
    assert over == whole, "resumed at its end: other bytes"
    # The checkpoint says how many batches a step has, and how they are summed.
    short = [flag for flag in base if not flag.startswith("--accumulate")]
    for count in (0, 2):
        train(f"{folder}/short-{count}", 4, [*base, "--steps=5"])
        resumed = train(f"{folder}/short-{count}", count, [*short, "--steps=9", "--resume"], pairs=False)[0]
        assert resumed == whole, f"resumed on {count} ranks without --accumulate: other bytes"
    refused = run(3, [*short, "--steps=12", "--resume", f"--checkpoint-dir={folder}/short-2"])
    assert "3 ranks share the batches of a step" in refused.stderr, refused.stderr
    step = f"{folder}/step.mpc"
    recipe = [*adam, "--precision=bf16", "--accumulate=4", "--num-ranks=4", "--sum-order=pairs", "--cpu=host"]
    words = ["mpc-compile", base[0], *recipe, "--lr=0.01", f"--output={step}"]
    compiled = subprocess.run(words, env=ENVIRONMENT, capture_output=True, text=True)
    assert compiled.returncode == 0, compiled.stderr
    flags = [step, *base[1:4], "--steps=9"]
    assert train(f"{folder}/shipped", 4, flags, tool="mpc-run")[0] == whole, "a shipped step: other bytes"
    print("resumed on 1, 2 and 4: the same")
    weights = [f"{folder}/weights-{count}.safetensors" for count in (0, 4)]
    for count, path in zip((0, 4), weights):
        more = ["--sum-order=pairs"] if not count else []
        done = run(count, [*base, *more, "--steps=2", f"--export-weights={path}"])
        assert done.returncode == 0, done.stderr
    assert pathlib.Path(weights[0]).read_bytes() == pathlib.Path(weights[1]).read_bytes(), "other weights"
    print("exported weights: the same")
    divided, replicated = (state_of(folder, [base[0], *recipe, f"--shard={shard}"]) for shard in ("optimizer", "off"))
    print(f"state: {divided} bytes a rank, {replicated} without --shard")
    # Of an f32 weight, two moments and an average each has a fourth; the copies and the biases are whole.
    assert divided < 0.5 * replicated


def state_of(folder, flags):
    """The bytes of state that a rank has in a step."""
    step = f"{folder}/state.mpc"
    words = ["mpc-compile", *flags, "--lr=0.01", f"--output={step}"]
    compiled = subprocess.run(words, env=ENVIRONMENT, capture_output=True, text=True)
    assert compiled.returncode == 0, compiled.stderr
    told = subprocess.run(["mpc-inspect", step, "--json"], env=ENVIRONMENT, capture_output=True, text=True)
    return json.loads(told.stdout)["state_bytes"]


def children(launcher):
    """The ranks that a launcher has started, by their numbers."""
    found = {}
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            status = (folder / "stat").read_text().rsplit(")", 1)[1].split()
            variables = (folder / "environ").read_bytes().split(b"\0")
        except OSError:
            continue
        ranks = [v.split(b"=")[1] for v in variables if v.startswith(b"OMPI_COMM_WORLD_RANK=")]
        if int(status[1]) == launcher.pid and ranks:
            found[int(ranks[0])] = int(folder.name)
    return found


def end_of(folder, flags, event):
    """Lets ranks train, sends `event` to rank 2 after some steps, and returns what they say."""
    trained = f"{folder}/ended.csv"
    pathlib.Path(trained).unlink(missing_ok=True)
    words = command(4, [*flags, f"--metrics={trained}", "--rank-timeout=2"], launcher=["--enable-recovery"])
    begun = subprocess.Popen(words, env=ENVIRONMENT, stderr=subprocess.PIPE, text=True)
    deadline = time.time() + 120
    while time.time() < deadline and (not os.path.exists(trained) or open(trained).read().count("\n") < 5):
        time.sleep(0.05)
    ranks = children(begun)
    assert len(ranks) == 4, f"{len(ranks)} ranks are there"
    os.kill(ranks[2], event)
    begin = time.time()
    others = {rank: pid for rank, pid in ranks.items() if rank != 2}
    while time.time() < begin + 60 and any(alive(pid) for pid in others.values()):
        time.sleep(0.05)
    taken = time.time() - begin
    if event == signal.SIGSTOP:
        end(ranks[2])
    text = begun.communicate(timeout=60)[1]
    return text, taken


def end_of_start(flags, rank):
    """Stops a rank as soon as it is there, and returns what the others say; None where the launcher itself does
    not end, which Open MPI's sometimes does not where a rank was stopped while it started."""
    begun = subprocess.Popen(command(4, [*flags, "--rank-timeout=2"]), env=ENVIRONMENT, stderr=subprocess.PIPE, text=True)
    while rank not in children(begun):
        time.sleep(0.001)
    stopped = children(begun)[rank]
    os.kill(stopped, signal.SIGSTOP)
    others = [pid for other, pid in children(begun).items() if other != rank]
    begin = time.time()
    while time.time() < begin + 60 and any(alive(pid) for pid in others):
        time.sleep(0.05)
    taken = time.time() - begin
    end(stopped)
    try:
        return begun.communicate(timeout=20)[1], taken
    except subprocess.TimeoutExpired:
        begun.kill()
        begun.communicate()
        assert not any(alive(pid) for pid in others), "ranks outlive one that does not start"
        return None


def end(pid):
    """Kills a stopped rank, unless mpirun was first, as it is when the others end."""
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def alive(pid):
    try:
        return open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def faults(inputs, folder):
    base = [f"{inputs}/models/mlp.onnx", *write_data(folder), "--accumulate=4"]
    for name, event in {"killed": signal.SIGKILL, "stopped": signal.SIGSTOP}.items():
        text, taken = end_of(folder, [*base, "--steps=1000000"], event)
        for rank in (0, 1, 3):
            assert f"mpc-train: rank {rank}: error: " in text, text
        assert "rank 2 does not answer" in text, text
        assert taken < 10, f"{taken} s"
        print(f"a rank that is {name}: named by the others")
    tries = (end_of_start([*base, "--steps=3"], 3) for _ in range(3))
    text, taken = next(found for found in tries if found)
    assert "error: MPI has not started after 2.0 s: another rank is missing" in text and taken < 20, (text, taken)
    print("a rank that does not start: the others end")
    # Rank 0 waits for a reader of its metrics, and says so to those who ask.
    pipe = f"{folder}/pipe"
    os.mkfifo(pipe)
    words = command(2, [*base, "--steps=3", f"--metrics={pipe}", "--rank-timeout=2"])
    begun = subprocess.Popen(words, env=ENVIRONMENT, stderr=subprocess.PIPE, text=True)
    time.sleep(5)
    assert begun.poll() is None, begun.communicate()[1]
    rows = open(pipe).read().split()
    assert begun.wait(timeout=60) == 0 and len(rows) == 4, rows
    refused = run(2, [*base, "--steps=3", f"--metrics={pipe}", "--rank-timeout=2", "--rank-patience=3"])
    assert "rank 0 is at step 0, starting, for " in refused.stderr, refused.stderr
    print("a rank that is slow: waited for, and then named")
    # One that has answered, and dies then.
    words = command(2, [*base, "--steps=3", f"--metrics={pipe}", "--rank-timeout=2"], launcher=["--enable-recovery"])
    begun = subprocess.Popen(words, env=ENVIRONMENT, stderr=subprocess.PIPE, text=True)
    time.sleep(4)
    os.kill(children(begun)[0], signal.SIGKILL)
    killed = time.time()
    try:
        text = begun.communicate(timeout=60)[1]
    except subprocess.TimeoutExpired:
        # The launcher waits for rank 1, which would wait for long.
        os.kill(children(begun)[1], signal.SIGKILL)
        raise
    assert "rank 1: error: " in text and "rank 0 does not answer" in text, text
    assert time.time() - killed < 10, text
    print("a rank that answered and died: named")
    refused = run(0, [*base, "--steps=1", "--num-ranks=4", "--sum-order=pairs"])
    assert refused.returncode == 2, refused
    assert "the program is for 4 ranks: start it by mpirun -n 4" in refused.stderr, refused.stderr
    refused = run(2, [*base, "--steps=1", "--num-ranks=4"])
    assert "mpirun has started 2 ranks, but the program is for 4" in refused.stderr, refused.stderr
    refused = run(4, [*base[:-1], "--steps=1", "--accumulate=6"])
    assert "--accumulate=6: 4 ranks share the batches of a step" in refused.stderr, refused.stderr
    refused = run(0, [*base, "--steps=1", "--ranks=mpi"])
    assert "no launcher has started this process" in refused.stderr, refused.stderr
    # One rank has another seed.
    unseeded = [flag for flag in base if not flag.startswith("--seed")]
    refused = run_differing([*unseeded, "--steps=1"], "--seed=$OMPI_COMM_WORLD_RANK")
    assert "the data of rank 1 differ from those of rank 0" in refused.stderr, refused.stderr
    print("ranks that differ: refused")


if __name__ == "__main__":
    name, *arguments = sys.argv[1:]
    pathlib.Path(arguments[-1]).mkdir(parents=True, exist_ok=True)
    {"bits": bits, "statistics": statistics, "evaluation": evaluation, "sums": sums, "resume": resume, "parts": parts, "reports": reports,
     "faults": faults}[name](*arguments)
