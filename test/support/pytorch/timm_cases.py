# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases of timm's models."""

from case import add, image


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
    "pit_ti_224": {"img_size": 64},
    "visformer_tiny": {"img_size": 64, "embed_dim": 48},
    "sequencer2d_s": {"layers": (1, 1, 1, 1), "embed_dims": (16, 24, 24, 24), "hidden_sizes": (8, 8, 8, 8)},
    "repvit_m0_9": {},
    "starnet_s1": {},
    "mambaout_femto": {},
    "fastvit_t8": {},
    "efficientvit_b0": {},
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
