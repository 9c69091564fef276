# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small models of torchvision, timm, transformers and of users' habits, each with one batch of data.

A case is a function that gives a module and its inputs by name. The module gives one tensor: logits, a value for mse, or
a scalar that is the loss itself.
"""

import dataclasses
import typing

import torch
from torch import nn

import habits


@dataclasses.dataclass
class Case:
    make: typing.Callable
    inputs: typing.Callable
    loss: str = "cross_entropy"
    lr: float = 1e-3
    shared: tuple = ()  # Inputs without a sample axis.


CASES: dict[str, Case] = {}


def add(name, make, inputs, *arguments, **more):
    CASES[name] = Case(make, inputs, *arguments, **more)


def image(batch=4, size=32, channels=3):
    return lambda: {"x": torch.randn(batch, channels, size, size)}


def vector(*shape):
    return lambda: {"x": torch.randn(*shape)}


def tokens(batch=2, length=8, vocabulary=20):
    return lambda: {"tokens": torch.randint(3, vocabulary, (batch, length))}


class Output(nn.Module):
    """A library's model, and the tensor that is meant of what it gives."""

    def __init__(self, model, pick=None, call=None):
        super().__init__()
        self.model, self.pick, self.call = model, pick, call

    def forward(self, *inputs):
        y = self.call(self.model, *inputs) if self.call else self.model(*inputs)
        return self.pick(y) if self.pick else y


# --- habits -------------------------------------------------------------------------------------

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
    habits.MaskedLoss,
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
add("variational", habits.Variational, vector(6, 8), "output")
add("experts", habits.Experts, vector(6, 8))
add("sines", habits.Sines, vector(6, 2), "mse", lr=1e-4)
add("splines", habits.Splines, vector(6, 6))
add("hyper", habits.Hyper, lambda: {"x": torch.randn(3, 3, 6, 6), "z": torch.randn(3, 6)})
add("capsules", habits.Capsules, image(3, 12, 1))
add("field", habits.Field, lambda: {"x": torch.randn(3, 5, 6), "labels": torch.randint(0, 4, (3, 5))}, "output")
add("contrastive", habits.Contrastive, lambda: {"x": torch.randn(5, 8), "y": torch.randn(5, 5)}, "output")
add(
    "hard_triplets",
    habits.HardTriplets,
    lambda: {"x": torch.randn(6, 8), "labels": torch.tensor([0, 1, 0, 1, 2, 2])},
    "output",
)
add(
    "focal",
    habits.Focal,
    lambda: {"x": torch.randn(2, 3, 8, 8), "mask": (torch.rand(2, 1, 8, 8) > 0.5).float()},
    "output",
)
add("moved", habits.Moved, image(2, 8))
add("sorted", habits.Sorted, vector(6, 8))
add("flow", habits.Flow, vector(6, 6), "output")
add("equation", habits.Equation, vector(6, 4), "mse")
add("low_rank", habits.LowRank, vector(6, 8))
add("dropouts", habits.Dropouts, image(4, 8))
add("activations", habits.Activations, vector(6, 8), lr=3e-4)
add("pools", habits.Pools, vector(4, 2, 16))
add("bilinear", habits.Bilinear, lambda: {"x": torch.randn(5, 4), "y": torch.randn(5, 5)})
add("in_place", habits.InPlace, vector(6, 8))
add(
    "losses",
    habits.Losses,
    lambda: {"x": torch.randn(6, 8), "labels": torch.randint(0, 6, (6,)), "y": torch.randn(6, 6)},
    "output",
)
add("state_space", habits.StateSpace, vector(3, 7, 4))
add("checkpointed", habits.Checkpointed, vector(6, 8))
add("buckets", habits.Buckets, lambda: {"tokens": torch.randint(0, 20, (3, 6)), "length": torch.tensor([6, 2, 4])})

# --- torchvision --------------------------------------------------------------------------------


def vision(name, **more):
    def make():
        import torchvision

        return torchvision.models.get_model(name, weights=None, **more)

    return make


def vision_class(path, *arguments, **more):
    """A class of torchvision with sizes of its own."""

    def make():
        import importlib

        module, name = path.rsplit(".", 1)
        return getattr(importlib.import_module(f"torchvision.models.{module}"), name)(*arguments, **more)

    return make


def resnet():
    from torchvision.models.resnet import Bottleneck, ResNet

    return ResNet(Bottleneck, [1, 1, 1, 1], num_classes=10, groups=2, width_per_group=16)


def feature_pyramid():
    from torchvision.models.detection.backbone_utils import BackboneWithFPN
    from torchvision.models.resnet import BasicBlock, ResNet

    body = ResNet(BasicBlock, [1, 1, 1, 1], num_classes=10)
    layers = {"layer1": "0", "layer2": "1", "layer3": "2"}
    return Output(
        BackboneWithFPN(body, layers, [64, 128, 256], 16),
        lambda y: y["0"] + nn.functional.interpolate(y["2"], scale_factor=4),
    )


def region_head():
    """Anchors' scores and boxes of RetinaNet, without the boxes' selection."""
    from torchvision.models.detection.retinanet import RetinaNetHead

    class Head(nn.Module):
        def __init__(self):
            super().__init__()
            self.body = nn.Conv2d(3, 16, 3, 2, 1)
            self.head = RetinaNetHead(16, 3, 5, norm_layer=lambda width: nn.GroupNorm(4, width))

        def forward(self, x):
            y = self.head([nn.functional.relu(self.body(x))])
            return torch.cat([y["cls_logits"], y["bbox_regression"]], -1)

    return Head()


add("tv_resnext", resnet, image())
add("tv_mobilenet_v2", vision("mobilenet_v2", num_classes=10, width_mult=0.35), image(4, 64), lr=3e-4)
add("tv_mobilenet_v3", vision("mobilenet_v3_small", num_classes=10, width_mult=0.5), image(4, 64), lr=3e-4)
add("tv_efficientnet", vision("efficientnet_b0", num_classes=10), image(4, 64), lr=3e-4)
add("tv_shufflenet", vision("shufflenet_v2_x0_5", num_classes=10), image(4, 64), lr=3e-4)
add("tv_squeezenet", vision("squeezenet1_1", num_classes=10), image(2, 48), lr=3e-5)
add("tv_densenet", vision_class("densenet.DenseNet", 8, (2, 2, 2), 16, num_classes=10), image())
add("tv_googlenet", vision("googlenet", num_classes=10, aux_logits=False, init_weights=False), image(2))
add("tv_regnet", vision("regnet_y_400mf", num_classes=10), image(2))
add("tv_mnasnet", vision("mnasnet0_5", num_classes=10), image())
add(
    "tv_swin",
    vision_class("swin_transformer.SwinTransformer", [2, 2], 16, [2, 2], [2, 4], [4, 4], num_classes=10),
    image(2),
)
add("tv_vit", vision_class("vision_transformer.VisionTransformer", 32, 8, 2, 2, 16, 32, num_classes=10), image(2))
add("tv_maxvit", vision_class("maxvit.MaxVit", (32, 32), 8, 4, [8, 16], [1, 1], 4, 0.1, num_classes=10), image(2))
add(
    "tv_lraspp",
    lambda: Output(vision("lraspp_mobilenet_v3_large", weights_backbone=None, num_classes=4)(), lambda y: y["out"]),
    image(2),
)
add("tv_video", vision("mc3_18", num_classes=10), lambda: {"x": torch.randn(1, 3, 4, 16, 16)})
add("tv_pyramid", feature_pyramid, image(2))
add("tv_retina", region_head, image(2, 16), "mse")

# --- timm ---------------------------------------------------------------------------------------


def timm_model(name, **more):
    def make():
        import timm

        return timm.create_model(name, pretrained=False, num_classes=10, **more)

    return make


small = {"img_size": 32, "patch_size": 8, "embed_dim": 32, "depth": 2}
for name, more in {
    "deit_tiny_patch16_224": small | {"num_heads": 4},
    "cait_xxs24_224": small | {"num_heads": 4},
    "xcit_nano_12_p16_224": small | {"num_heads": 4, "patch_size": 16},
    "eva02_tiny_patch14_224": small | {"num_heads": 4},
    "ghostnet_050": {},
    "mobilevit_xxs": {},
    "repvgg_a0": {},
    "nf_regnet_b0": {},
    "res2net50_14w_8s": {},
    "skresnet18": {},
    "levit_128s": {"img_size": 64},
    "poolformer_s12": {},
    "edgenext_xx_small": {},
    "coatnet_nano_cc_224": {"img_size": 32},
    "convnextv2_atto": {},
    "efficientformerv2_s0": {"img_size": 64},
    "davit_tiny": {"depths": (1, 1), "embed_dims": (16, 32), "num_heads": (2, 4)},
    "rexnet_100": {},
    "hrnet_w18_small": {},
}.items():  # fmt: skip
    size = more.get("img_size", 64)
    add("timm_" + name.split("_224")[0], timm_model(name, **more), image(2, size))


def timm_class(path, **more):
    def make():
        import importlib

        module, name = path.rsplit(".", 1)
        return getattr(importlib.import_module(f"timm.models.{module}"), name)(num_classes=10, **more)

    return make


def mixer(**more):
    return timm_class("mlp_mixer.MlpMixer", img_size=32, patch_size=8, embed_dim=32, num_blocks=2, **more)


def gated_mlp():
    from timm.models.mlp_mixer import GatedMlp, SpatialGatingBlock

    return mixer(mlp_ratio=2, block_layer=SpatialGatingBlock, mlp_layer=GatedMlp)()


add("timm_mixer", mixer(), image(2, 32))
add("timm_gated_mlp", gated_mlp, image(2, 32))
add("timm_convmixer", timm_class("convmixer.ConvMixer", dim=24, depth=2, patch_size=4), image(2, 32))

# --- transformers -------------------------------------------------------------------------------

#: Sizes that most configurations name so.
TINY = dict(
    vocab_size=40, hidden_size=16, intermediate_size=24, num_hidden_layers=2, num_attention_heads=4,
    max_position_embeddings=32, pad_token_id=0, bos_token_id=1, eos_token_id=2,
)  # fmt: skip
GROUPED = TINY | {"num_key_value_heads": 2, "head_dim": 4}


def language(kind, head="ForCausalLM", model_class=None, **config):
    def make():
        import transformers

        made = getattr(transformers, f"{kind}Config")(**config)
        made.use_cache = False
        made._experts_implementation = "eager"  # The other needs kernels that float64 has not.
        model = getattr(transformers, model_class or f"{kind}{head}")(made)
        return Output(model, lambda y: y[0], lambda m, ids: m(input_ids=ids, return_dict=False))

    return make


ids = tokens(2, 8, 40)
add(
    "hf_gpt2",
    language(
        "GPT2",
        "LMHeadModel",
        vocab_size=40,
        n_positions=16,
        n_embd=16,
        n_layer=2,
        n_head=4,
        bos_token_id=1,
        eos_token_id=2,
    ),
    ids,
)
for kind in (
    "Llama",
    "Qwen2",
    "Qwen3",
    "Gemma",
    "Gemma2",
    "Phi3",
    "Mistral",
    "StableLm",
    "Olmo2",
    "Granite",
    "Cohere",
    "Starcoder2",
):
    add(f"hf_{kind.lower()}", language(kind, **GROUPED), ids)
add("hf_phi", language("Phi", **TINY), ids)
add("hf_gptneox", language("GPTNeoX", **TINY), ids)
add("hf_opt", language("OPT", **(TINY | {"ffn_dim": 24, "word_embed_proj_dim": 16})), ids)
add("hf_bloom", language("Bloom", vocab_size=40, hidden_size=16, n_layer=2, n_head=4), ids)
add("hf_falcon", language("Falcon", **TINY), ids)
add("hf_gptj", language("GPTJ", vocab_size=40, n_positions=16, n_embd=16, n_layer=2, n_head=4, rotary_dim=4), ids)
add("hf_mamba", language("Mamba", vocab_size=40, hidden_size=16, state_size=4, num_hidden_layers=2), ids)
add(
    "hf_mamba2",
    language(
        "Mamba2",
        vocab_size=40,
        hidden_size=16,
        state_size=4,
        num_hidden_layers=2,
        num_heads=4,
        head_dim=8,
        n_groups=1,
        chunk_size=4,
    ),
    ids,
)
add("hf_rwkv", language("Rwkv", vocab_size=40, hidden_size=16, num_hidden_layers=2, attention_hidden_size=16), ids)
add("hf_mixtral", language("Mixtral", **GROUPED, num_local_experts=4), ids)
add(
    "hf_qwen2moe",
    language("Qwen2Moe", **GROUPED, num_experts=4, moe_intermediate_size=12, shared_expert_intermediate_size=12),
    ids,
)
add(
    "hf_deepseek",
    language(
        "DeepseekV3",
        **(
            TINY
            | dict(
                num_key_value_heads=4,
                n_routed_experts=4,
                n_group=2,
                topk_group=1,
                num_experts_per_tok=2,
                moe_intermediate_size=12,
                first_k_dense_replace=1,
                q_lora_rank=8,
                kv_lora_rank=8,
                qk_rope_head_dim=4,
                qk_nope_head_dim=4,
                v_head_dim=4,
            )
        ),
    ),
    ids,
)
for kind in ("Bert", "Roberta", "Electra", "MPNet", "RoFormer", "MegatronBert", "Ernie"):
    add(
        f"hf_{kind.lower()}",
        language(kind, "ForMaskedLM", **(TINY | ({"embedding_size": 16} if kind in ("Electra", "RoFormer") else {}))),
        ids,
    )
add(
    "hf_distilbert",
    language(
        "DistilBert",
        "ForSequenceClassification",
        vocab_size=40,
        dim=16,
        hidden_dim=24,
        n_layers=2,
        n_heads=4,
        max_position_embeddings=32,
        num_labels=5,
    ),
    ids,
)
add("hf_albert", language("Albert", "ForMaskedLM", **TINY, embedding_size=8), ids)
add(
    "hf_debertav2",
    language(
        "DebertaV2",
        "ForMaskedLM",
        **TINY,
        relative_attention=True,
        pos_att_type=["p2c", "c2p"],
        position_buckets=4,
        type_vocab_size=0,
    ),
    ids,
)
add(
    "hf_deberta",
    language(
        "Deberta",
        "ForTokenClassification",
        **TINY,
        relative_attention=True,
        pos_att_type=["p2c", "c2p"],
        type_vocab_size=0,
        num_labels=5,
    ),
    ids,
)
add("hf_xlnet", language("XLNet", "LMHeadModel", vocab_size=40, d_model=16, n_layer=2, n_head=4, d_inner=24), ids)
add(
    "hf_funnel",
    language(
        "Funnel",
        "ForMaskedLM",
        vocab_size=40,
        block_sizes=[1, 1],
        num_decoder_layers=1,
        d_model=16,
        n_head=4,
        d_head=4,
        d_inner=24,
    ),
    ids,
)


def sequence_to_sequence(kind, **config):
    def make():
        import transformers

        made = getattr(transformers, f"{kind}Config")(**config)
        made.use_cache = False
        model = getattr(transformers, f"{kind}ForConditionalGeneration")(made)
        call = lambda m, a, b: m(input_ids=a, decoder_input_ids=b, return_dict=False)
        return Output(model, lambda y: y[0], call)

    return make


both = lambda: {"tokens": torch.randint(3, 40, (2, 8)), "targets": torch.randint(3, 40, (2, 6))}
bart = dict(
    vocab_size=40,
    d_model=16,
    encoder_layers=2,
    decoder_layers=2,
    encoder_attention_heads=4,
    decoder_attention_heads=4,
    encoder_ffn_dim=24,
    decoder_ffn_dim=24,
    max_position_embeddings=32,
    pad_token_id=0,
    bos_token_id=1,
    eos_token_id=2,
    decoder_start_token_id=1,
    forced_eos_token_id=None,
)
add(
    "hf_t5",
    sequence_to_sequence(
        "T5", vocab_size=40, d_model=16, d_kv=4, d_ff=24, num_layers=2, num_heads=4, decoder_start_token_id=0
    ),
    both,
)
add("hf_bart", sequence_to_sequence("Bart", **bart), both)
add("hf_pegasus", sequence_to_sequence("Pegasus", **bart), both)


def whisper():
    import transformers

    more = {k: v for k, v in bart.items() if k not in ("max_position_embeddings", "forced_eos_token_id")}
    config = transformers.WhisperConfig(
        **more, num_mel_bins=8, max_source_positions=8, max_target_positions=16, use_cache=False
    )
    call = lambda m, a, b: m(input_features=a, decoder_input_ids=b, return_dict=False)
    return Output(transformers.WhisperForConditionalGeneration(config), lambda y: y[0], call)


def picture(kind, head="ForImageClassification", pick=lambda y: y[0], **config):
    def make():
        import transformers

        made = getattr(transformers, f"{kind}Config")(num_labels=5, **config)
        model = getattr(transformers, f"{kind}{head}")(made)
        return Output(model, pick, lambda m, x: m(pixel_values=x, return_dict=False))

    return make


def clip():
    import transformers

    small = dict(hidden_size=16, intermediate_size=24, num_hidden_layers=2, num_attention_heads=4, projection_dim=8)
    text = small | dict(vocab_size=40, max_position_embeddings=16, eos_token_id=2, bos_token_id=1, pad_token_id=0)
    config = transformers.CLIPConfig(
        text_config=text, vision_config=small | dict(image_size=16, patch_size=8), projection_dim=8
    )
    call = lambda m, ids, x: m(input_ids=ids, pixel_values=x, return_dict=True)
    return Output(transformers.CLIPModel(config), lambda y: y.logits_per_text, call)


def speech():
    import transformers

    config = transformers.Wav2Vec2Config(
        vocab_size=12, hidden_size=16, num_hidden_layers=2, num_attention_heads=4, intermediate_size=24, conv_dim=(8, 8),
        conv_stride=(4, 4), conv_kernel=(8, 8), num_feat_extract_layers=2, num_conv_pos_embeddings=4,
        num_conv_pos_embedding_groups=2, mask_time_prob=0.0, layerdrop=0.0, apply_spec_augment=False,
    )  # fmt: skip
    return Output(
        transformers.Wav2Vec2ForCTC(config), lambda y: y[0], lambda m, x: m(input_values=x, return_dict=False)
    )


def series():
    import transformers

    config = transformers.PatchTSTConfig(
        num_input_channels=2, context_length=16, patch_length=4, patch_stride=4, prediction_length=4, d_model=16,
        num_hidden_layers=2, num_attention_heads=4, ffn_dim=24, loss="mse", scaling=None,
    )  # fmt: skip
    return Output(
        transformers.PatchTSTForPrediction(config), lambda y: y[0], lambda m, x: m(past_values=x, return_dict=False)
    )


tiny_image = {
    k: TINY[k] for k in ("hidden_size", "intermediate_size", "num_hidden_layers", "num_attention_heads")
} | dict(image_size=16, patch_size=8)
add("hf_whisper", whisper, lambda: {"features": torch.randn(2, 8, 16), "targets": torch.randint(3, 40, (2, 6))})
add(
    "hf_clip",
    clip,
    lambda: {
        "tokens": torch.cat([torch.randint(3, 40, (3, 7)), torch.full((3, 1), 2)], 1),
        "pixels": torch.randn(3, 3, 16, 16),
    },
)
add("hf_wav2vec2", speech, vector(2, 200))
add("hf_patchtst", series, vector(2, 16, 2), "mse")
add("hf_vit", picture("ViT", **tiny_image), image(2, 16))
add("hf_dinov2", picture("Dinov2", **(tiny_image | {"mlp_ratio": 2})), image(2, 16))
add("hf_beit", picture("Beit", **tiny_image, use_relative_position_bias=True), image(2, 16))
add("hf_convnext", picture("ConvNext", hidden_sizes=[8, 12, 16, 16], depths=[1, 1, 1, 1], image_size=32), image(2, 32))
add(
    "hf_swin",
    picture("Swin", image_size=32, patch_size=4, embed_dim=8, depths=[2, 2], num_heads=[2, 4], window_size=4),
    image(2, 32),
)
add(
    "hf_swinv2",
    picture("Swinv2", image_size=32, patch_size=4, embed_dim=8, depths=[2, 2], num_heads=[2, 4], window_size=4),
    image(2, 32),
)
add(
    "hf_segformer",
    picture(
        "Segformer",
        "ForSemanticSegmentation",
        hidden_sizes=[8, 8, 16, 16],
        depths=[1, 1, 1, 1],
        num_attention_heads=[1, 2, 2, 4],
        sr_ratios=[4, 2, 1, 1],
        decoder_hidden_size=16,
    ),
    image(2, 32),
)
add(
    "hf_mobilevit",
    picture("MobileViT", hidden_sizes=[16, 24, 32], neck_hidden_sizes=[8, 8, 8, 16, 24, 32, 64], image_size=32),
    image(2, 32),
)
add("hf_resnet", picture("ResNet", embedding_size=8, hidden_sizes=[8, 12, 16, 16], depths=[1, 1, 1, 1]), image(2, 32))
add(
    "hf_focalnet",
    picture(
        "FocalNet", image_size=32, patch_size=4, embed_dim=8, depths=[1, 1], focal_levels=[2, 2], focal_windows=[3, 3]
    ),
    image(2, 32),
)
