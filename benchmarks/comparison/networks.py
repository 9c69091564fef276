# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models as they are published, in training form: a module that returns its loss, and a batch by names.

Both sides train what is built here: PyTorch as it is, ours as `torch.export` has it. Sizes are those of the case.

    python -m comparison.networks CASE FOLDER     from benchmarks/, writes the case (JSON) into the folder, for ours
"""
import json
import pathlib
import sys
import warnings

import torch
from torch import nn
from torch.nn import functional as F

from . import unet

# --- Parts -----------------------------------------------------------------------------------------


class Classified(nn.Module):
    """A classifier and its loss."""

    def __init__(self, body):
        super().__init__()
        self.body = body

    def forward(self, x, labels):
        return F.cross_entropy(self.body(x), labels)


class Labelled(nn.Module):
    """A model of transformers, which computes its loss."""

    def __init__(self, body):
        super().__init__()
        self.body = body

    def forward(self, **batch):
        return self.body(**batch).loss


class LanguageModel(nn.Module):
    """Words, a recurrent network, words: dropout before and after it, and between its layers."""

    def __init__(self, vocabulary, width, layers, dropout):
        super().__init__()
        self.words, self.dropout = nn.Embedding(vocabulary, width), nn.Dropout(dropout)
        self.lstm = nn.LSTM(width, width, layers, dropout=dropout, batch_first=True)
        self.head = nn.Linear(width, vocabulary)

    def forward(self, tokens, labels):
        hidden, _ = self.lstm(self.dropout(self.words(tokens)))
        return F.cross_entropy(self.head(self.dropout(hidden)).flatten(0, 1), labels.flatten())


class Denoiser(nn.Module):
    """The loss of a diffusion model: the noise that was added at a time is to be found."""

    STEPS = 1000

    def __init__(self, body):
        super().__init__()
        self.body = body
        kept = torch.cumprod(1 - torch.linspace(1e-4, 0.02, self.STEPS), 0)
        self.register_buffer("signal", kept.sqrt())
        self.register_buffer("noise", (1 - kept).sqrt())

    def forward(self, x, noise, time):
        signal, share = (table[time].view(-1, 1, 1, 1) for table in (self.signal, self.noise))
        return F.mse_loss(self.body(signal * x + share * noise, time), noise)


# --- Models ----------------------------------------------------------------------------------------


def whole(limit, *shape):
    """Integers below a limit."""
    return torch.randint(limit, shape)


def photos(case):
    return {"x": torch.randn(case["batch"], 3, case["resolution"], case["resolution"]),
            "labels": whole(case["classes"], case["batch"])}


def resnet50(case):
    from torchvision.models import resnet

    body = resnet.ResNet(resnet.Bottleneck, case["layers"], case["classes"], width_per_group=case["width"])
    return Classified(body), photos(case)


def mobilenet(case):
    from torchvision.models import mobilenet_v3_large

    body = mobilenet_v3_large(width_mult=case["width"], num_classes=case["classes"], dropout=case["dropout"])
    return Classified(body), photos(case)


def efficientnet(case):
    from torchvision.models import efficientnet

    setting, last = efficientnet._efficientnet_conf("efficientnet_b0", width_mult=case["width"], depth_mult=case["width"])
    body = efficientnet.EfficientNet(setting, case["dropout"], case["dropout"], case["classes"], last_channel=last)
    return Classified(body), photos(case)


def vit(case):
    import transformers

    body = transformers.ViTForImageClassification(transformers.ViTConfig(
        image_size=case["resolution"], hidden_size=case["width"], num_hidden_layers=case["layers"], num_labels=case["classes"],
        num_attention_heads=case["heads"], intermediate_size=4 * case["width"]))
    batch = photos(case)
    return Labelled(body), {"pixel_values": batch["x"], "labels": batch["labels"]}


def bert(case):
    import transformers

    body = transformers.BertForSequenceClassification(transformers.BertConfig(
        vocab_size=case["vocabulary"], hidden_size=case["width"], num_hidden_layers=case["layers"],
        num_attention_heads=case["heads"], intermediate_size=4 * case["width"], num_labels=2,
        hidden_dropout_prob=case["dropout"], attention_probs_dropout_prob=case["dropout"]))
    ids = whole(case["vocabulary"], case["batch"], case["length"])
    return Labelled(body), {"input_ids": ids, "attention_mask": torch.ones_like(ids), "labels": whole(2, case["batch"])}


def gpt2(case):
    import transformers

    dropout = case["dropout"]
    body = transformers.GPT2LMHeadModel(transformers.GPT2Config(
        vocab_size=case["vocabulary"], n_embd=case["width"], n_layer=case["layers"], n_head=case["heads"], use_cache=False,
        resid_pdrop=dropout, embd_pdrop=dropout, attn_pdrop=dropout))
    ids = whole(case["vocabulary"], case["batch"], case["length"])
    return Labelled(body), {"input_ids": ids, "labels": ids.clone()}


def t5(case):
    import transformers

    body = transformers.T5ForConditionalGeneration(transformers.T5Config(
        vocab_size=case["vocabulary"], d_model=case["width"], d_kv=64, d_ff=4 * case["width"], num_layers=case["layers"],
        num_heads=case["heads"], dropout_rate=case["dropout"], use_cache=False, decoder_start_token_id=0))
    ids = whole(case["vocabulary"], case["batch"], case["length"])
    labels = whole(case["vocabulary"], case["batch"], case["target"])
    return Labelled(body), {"input_ids": ids, "attention_mask": torch.ones_like(ids), "labels": labels}


def whisper(case):
    import transformers

    body = transformers.WhisperForConditionalGeneration(transformers.WhisperConfig(
        vocab_size=case["vocabulary"], d_model=case["width"], encoder_layers=case["layers"], decoder_layers=case["layers"],
        encoder_attention_heads=case["heads"], decoder_attention_heads=case["heads"], encoder_ffn_dim=4 * case["width"],
        decoder_ffn_dim=4 * case["width"], max_source_positions=case["length"] // 2, use_cache=False,
        pad_token_id=0, bos_token_id=0, eos_token_id=0, decoder_start_token_id=1))
    sound = torch.randn(case["batch"], 80, case["length"])
    return Labelled(body), {"input_features": sound, "labels": whole(case["vocabulary"], case["batch"], case["target"])}


def diffusion(case):
    shape = case["batch"], 3, case["resolution"], case["resolution"]
    body = unet.UNet(case["width"], case["dropout"])
    return Denoiser(body), {"x": torch.randn(shape), "noise": torch.randn(shape), "time": whole(Denoiser.STEPS, case["batch"])}


def lstm(case):
    body = LanguageModel(case["vocabulary"], case["width"], case["layers"], case["dropout"])
    words = whole(case["vocabulary"], case["batch"], case["length"] + 1)
    return body, {"tokens": words[:, :-1].contiguous(), "labels": words[:, 1:].contiguous()}


def build(case):
    """The case's module, in training, and its batch: the same wherever they are built."""
    torch.manual_seed(6)
    module, batch = globals()[case["model"]](case)
    return module.train(), batch


# --- For ours --------------------------------------------------------------------------------------


def export(case, folder):
    """Writes model.pt2 and batch.npz."""
    import numpy as np

    module, batch = build(case)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        program = torch.export.export(module, (), batch, strict=False)
    torch.export.save(program, folder / "model.pt2")
    np.savez(folder / "batch.npz", **{name: tensor.numpy() for name, tensor in batch.items()})
    (folder / "loss").write_text(program.graph_signature.user_outputs[0])


if __name__ == "__main__":
    export(json.loads(sys.argv[1]), pathlib.Path(sys.argv[2]))
