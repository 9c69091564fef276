# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A BERT of transformers with batches of dicts, in the loop that PyTorch has: one line is another.

    python bert.py [torch|mpc] [fp32|bf16|fp16]

It prints the loss of each fifth step. The model has no dropout, so that the losses of both agree.
"""
import sys

import torch
import transformers

import mpc_compiler


def make_model():
    torch.manual_seed(0)
    config = transformers.BertConfig(
        vocab_size=32, hidden_size=64, num_hidden_layers=2, num_attention_heads=4, intermediate_size=128,
        max_position_embeddings=32, num_labels=3, hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0)
    return transformers.BertForSequenceClassification(config).train()


def batches(count):
    """Sentences of several lengths, filled up and masked; the label is that of their first word."""
    generator = torch.Generator().manual_seed(1)
    for _ in range(count):
        ids = torch.randint(5, 32, (16, 24), generator=generator)
        lengths = torch.randint(8, 25, (16, 1), generator=generator)
        mask = (torch.arange(24) < lengths).long()
        yield {"input_ids": ids * mask, "attention_mask": mask, "labels": ids[:, 0] % 3}


def decayed(model):
    """Two groups: biases and normalizations have no weight decay."""
    plain = [p for p in model.parameters() if p.dim() < 2]
    return [{"params": [p for p in model.parameters() if p.dim() > 1], "weight_decay": 0.01},
            {"params": plain, "weight_decay": 0.0}]


def train(model, steps=60):
    optimizer = torch.optim.AdamW(decayed(model), lr=3e-3)
    scheduler = transformers.get_linear_schedule_with_warmup(optimizer, steps // 10, steps)
    losses = []
    for batch in batches(steps):
        loss = model(**batch).loss
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        scheduler.step()
        optimizer.zero_grad()
        losses.append(loss.item())
    return losses


if __name__ == "__main__":
    model = make_model()
    if sys.argv[1:2] != ["torch"]:
        model = mpc_compiler.wrap(model, precision=(sys.argv[2:] or ["bf16"])[0])
    for i, loss in enumerate(train(model)):
        if i % 5 == 0:
            print(f"step {i}  loss {loss:.4f}")
