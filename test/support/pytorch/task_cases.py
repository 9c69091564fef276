# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases of what people train beside the models of libraries, by task."""

import torch
from torch import nn

import geometry
import objectives
import sequences
from case import add, image, tokens, vector

normal, integers = torch.randn, torch.randint
lengths = lambda: torch.tensor([6, 2, 4])

for kind in (nn.LSTM, nn.GRU, nn.RNN):
    add(
        f"packed_{kind.__name__.lower()}",
        lambda kind=kind: sequences.PackedRecurrent(kind),
        lambda: {"tokens": integers(1, 20, (3, 6)), "length": lengths()},
    )
add("relu_recurrent", sequences.ReluRecurrent, vector(3, 5, 4))
add("normalized_lstm", sequences.NormalizedLSTM, vector(3, 5, 5))
add("conv_lstm", sequences.ConvLSTM, vector(2, 3, 2, 5, 5))
pair = lambda: {"source": integers(0, 20, (3, 6)), "target_tokens": integers(0, 20, (3, 5))}
add("seq2seq", sequences.Seq2Seq, pair)
add("relative_attention", sequences.RelativeAttention, vector(3, 8, 12))
add("rotary", sequences.Rotary, tokens())
add("routed", sequences.Routed, lambda: {"x": normal(9, 6), "labels": integers(0, 3, (9,))}, "output")
add("selective_scan", sequences.SelectiveScan, vector(2, 6, 5))
add("linear_attention", sequences.LinearAttention, vector(2, 7, 6))
add("wavenet", sequences.WaveNet, vector(2, 1, 9))
add("temporal_blocks", sequences.TemporalBlocks, vector(3, 3, 8))
add("point_cloud", sequences.PointCloud, vector(2, 9, 3))
graph = lambda: {
    "x": normal(7, 5), "edges": integers(0, 7, (2, 12)), "features": normal(12, 2), "graph": torch.tensor([0, 0, 0, 1, 1, 1, 1]),
}  # fmt: skip
add("graph_pooling", sequences.GraphPooling, graph, shared=("edges", "features", "graph", "x"))
segments = lambda: {"x": normal(8, 6), "segment": torch.tensor([0, 0, 2, 2, 2, 1, 1, 0])}
add("segment_softmax", sequences.SegmentSoftmax, segments, shared=("x", "segment"))
add("set_attention", sequences.SetAttention, lambda: {"x": normal(3, 6, 5), "length": lengths()})
add("transformer_model", sequences.TransformerModel, pair)
add("memory", sequences.Memory, vector(3, 4, 4))
add("fourier_mixing", sequences.FourierMixing, vector(3, 6, 8))

add("radiance", geometry.Radiance, lambda: {"origin": normal(5, 3), "direction": normal(5, 3)}, "mse")
add("hash_grid", geometry.HashGrid, lambda: {"x": torch.rand(6, 2)}, "mse")
add("unet", geometry.UNet, lambda: {"x": normal(2, 2, 9, 10), "t": torch.tensor([3, 70])}, "mse")
add("super_resolution", geometry.SuperResolution, lambda: {"x": normal(2, 1, 5, 6), "high": normal(2, 1, 10, 12)}, "output")
add("warped", geometry.Warped, vector(3, 1, 6, 6))
add("patches", geometry.Patches, image(3, 6, 2))
add("standardized", geometry.Standardized, image(3, 7))
corners = torch.tensor([0.5, 0.7, 2.5, 3.1]).expand(2, 4, 4, 4)
boxes = lambda: {"x": normal(2, 3, 8, 8), "boxes": corners + 0.2 * torch.rand(2, 4, 4, 4), "present": (torch.rand(2, 4, 4) > 0.4).float()}
add("boxes", geometry.Boxes, boxes, "output")
add("unpooled", geometry.Unpooled, vector(3, 1, 8, 6))
add("chebyshev", geometry.Chebyshev, vector(5, 4))
add("tensor_train", geometry.TensorTrain, vector(5, 12))
add("tracker", geometry.Tracker, vector(4, 5), "output")
add("ode", geometry.Ode, vector(4, 4))
add("hyperbolic", geometry.Hyperbolic, vector(5, 6))

soft = lambda: {
    "x": normal(6, 6), "labels": integers(0, 5, (6,)), "other": integers(0, 5, (6,)), "share": torch.rand(6), "maps": normal(6, 3, 3),
}  # fmt: skip
labelled = lambda: {"x": normal(8, 6), "labels": torch.tensor([0, 1, 2, 0, 1, 2, 2, 1])}
twins = lambda: {"a": normal(8, 6), "b": normal(8, 6)}
add("soft_targets", objectives.SoftTargets, soft, "output")
add("adversary", objectives.Adversary, lambda: {"z": normal(6, 3), "real": normal(6, 4)}, "output")
add("teacher", objectives.Teacher, twins, "output")
add("supervised", objectives.Supervised, labelled, "output")
add("decorrelated", objectives.Decorrelated, twins, "output")
add("mixture", objectives.Mixture, lambda: {"x": normal(6, 4), "y": normal(6, 1)}, "output")
chain = lambda: {"x": normal(3, 6, 5), "tags": integers(0, 4, (3, 6)), "mask": torch.arange(6)[None] < lengths()[:, None]}
add("crf", objectives.Crf, chain, "output")
add("transport", objectives.Transport, lambda: {"x": normal(6, 3), "y": normal(5, 2)}, "output", shared=("x", "y"))
hard = lambda: labelled() | {"mask": torch.tensor([0, 1, 1, 0, 1, 0, 0, 1.0])}
add("hard_examples", objectives.HardExamples, hard, "output")
add("margin", objectives.Margin, labelled, "output")
policy = lambda: {
    "x": normal(6, 5), "action": integers(0, 3, (6,)), "old": -torch.rand(6) - 0.7, "advantage": normal(6), "value": normal(6),
    "noise": normal(6, 2),
}  # fmt: skip
add("policy", objectives.Policy, policy, "output")
clicks = lambda: {"fields": integers(0, 30, (5, 4)), "weights": torch.rand(5, 4), "click": torch.tensor([0, 1, 1, 0, 1.0])}
add("recommender", objectives.Recommender, clicks, "output")
add("statistics", objectives.Statistics, vector(6, 6), "output")
add("assigned", objectives.Assigned, lambda: {"x": normal(6, 6), "index": torch.tensor([3, 1, 0, 1, 3, 2])}, "output")
add("trees", objectives.Trees, lambda: labelled(), "output")
