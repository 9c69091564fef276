# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases of what the libraries of models have not."""

import torch
from torch import nn

import habits
import own_losses
from case import add, image, tokens, vector

edges = lambda: {"x": torch.randn(7, 6), "edges": torch.randint(0, 7, (2, 15))}
add("rnn", lambda: habits.Recurrent(nn.RNN, num_layers=2), tokens())
add("lstm", lambda: habits.Recurrent(nn.LSTM, num_layers=2, bidirectional=True, dropout=0.1), tokens())
add("gru", lambda: habits.Recurrent(nn.GRU, bidirectional=True), tokens())
add("lstm_projected", lambda: habits.Recurrent(nn.LSTM), tokens())
add("cells", habits.CellLoop, vector(3, 5, 6))
add("graph_convolution", habits.GraphConvolution, edges, shared=("edges",))
add("graph_attention", habits.GraphAttention, edges, shared=("edges",))
add(
    "masked_loss",
    own_losses.MaskedLoss,
    lambda: {"tokens": torch.randint(0, 20, (3, 6)), "labels": torch.randint(0, 20, (3, 6))},
    "output",
)
add("weight_norms", habits.WeightNorms, vector(4, 3, 8))
add("spectral_norms", habits.Spectral, image(4, 8))
add("parametrizations", habits.Parametrized, vector(4, 8))
add("averages", habits.Averages, vector(4, 6))
add("normalizations", habits.Normalizations, vector(4, 2, 4, 4, 4))
add("bags", habits.Bags, tokens(4, 6, 30))
add(
    "offset_bags",
    habits.OffsetBags,
    lambda: {"tokens": torch.randint(0, 30, (12,)), "offsets": torch.tensor([0, 3, 7, 8])},
    shared=("tokens",),
)
add("rearranged", habits.Rearranged, image(2, 16))
add("causal_attention", habits.CausalAttention, tokens())
add("masks", habits.Masks, vector(6, 8))
add("cosines", habits.Cosines, vector(4, 16))
add(
    "multihead",
    habits.Multihead,
    lambda: {"x": torch.randn(3, 6, 16), "padding": torch.arange(6)[None] >= torch.tensor([[6], [4], [5]])},
)
add(
    "decoder_stack",
    habits.DecoderStack,
    lambda: {"source": torch.randint(0, 20, (2, 6)), "targets": torch.randint(0, 20, (2, 5))},
)
add("encoder_stack", habits.EncoderStack, tokens())
add("quantized", habits.Quantized, vector(6, 8), "output")
add("variational", own_losses.Variational, vector(6, 8), "output")
add("experts", habits.Experts, vector(6, 8))
add("sines", habits.Sines, vector(6, 2), "mse", lr=1e-4)
add("splines", habits.Splines, vector(6, 6))
add("hyper", habits.Hyper, lambda: {"x": torch.randn(3, 3, 6, 6), "z": torch.randn(3, 6)})
add("capsules", habits.Capsules, image(3, 12, 1))
add("field", habits.Field, lambda: {"x": torch.randn(3, 5, 6), "labels": torch.randint(0, 4, (3, 5))}, "output")
add("contrastive", own_losses.Contrastive, lambda: {"x": torch.randn(5, 8), "y": torch.randn(5, 5)}, "output")
add(
    "hard_triplets",
    own_losses.HardTriplets,
    lambda: {"x": torch.randn(6, 8), "labels": torch.tensor([0, 1, 0, 1, 2, 2])},
    "output",
)
add(
    "focal",
    own_losses.Focal,
    lambda: {"x": torch.randn(2, 3, 8, 8), "mask": (torch.rand(2, 1, 8, 8) > 0.5).float()},
    "output",
)
add("moved", habits.Moved, image(2, 8))
add("sorted", habits.Sorted, vector(6, 8))
add("flow", own_losses.Flow, vector(6, 6), "output")
add("equation", habits.Equation, vector(6, 4), "mse")
add("low_rank", habits.LowRank, vector(6, 8))
add("dropouts", habits.Dropouts, image(4, 8))
add("activations", habits.Activations, vector(6, 8), lr=3e-4)
add("pools", habits.Pools, vector(4, 2, 16))
add("bilinear", habits.Bilinear, lambda: {"x": torch.randn(5, 4), "y": torch.randn(5, 5)})
add("in_place", habits.InPlace, vector(6, 8))
add(
    "losses",
    own_losses.Losses,
    lambda: {"x": torch.randn(6, 8), "labels": torch.randint(0, 6, (6,)), "y": torch.randn(6, 6)},
    "output",
)
add("state_space", habits.StateSpace, vector(3, 7, 4))
add("checkpointed", habits.Checkpointed, vector(6, 8))
add("buckets", habits.Buckets, lambda: {"tokens": torch.randint(0, 20, (3, 6)), "length": torch.tensor([6, 2, 4])})
add("quantization_aware", habits.QuantizationAware, vector(6, 8))
add("adapter", habits.LowRankAdapter, vector(6, 8))
