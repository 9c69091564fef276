# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases of the models of diffusers, whose loss is the distance of what they predict from a target."""
import torch
from torch import nn
from torch.nn import functional as F

from case import add

BLOCKS = dict(layers_per_block=1, block_out_channels=(16, 32), norm_num_groups=8)
STEPS = torch.tensor([3, 500])


class Denoiser(nn.Module):
    """`call` gives what the model says of the inputs but the last, which is the target."""

    def __init__(self, model, call):
        super().__init__()
        self.model, self.call = model, call

    def forward(self, *inputs):
        return F.mse_loss(self.call(self.model, *inputs[:-1]), inputs[-1])


def denoiser(name, call, **settings):
    def make():
        import diffusers

        return Denoiser(getattr(diffusers, name)(**settings), call)

    return make


def noisy(channels, size, *texts):
    """An image or its code, what conditions it, and the target."""
    def inputs():
        more = {f"text{i}": torch.randn(2, *shape) for i, shape in enumerate(texts)}
        return {"x": torch.randn(2, channels, size, size), **more, "target": torch.randn(2, channels, size, size)}

    return inputs


unconditional = dict(
    sample_size=16, in_channels=3, out_channels=3, attention_head_dim=8,
    down_block_types=("DownBlock2D", "AttnDownBlock2D"), up_block_types=("AttnUpBlock2D", "UpBlock2D"), **BLOCKS)
conditional = dict(
    sample_size=16, in_channels=4, out_channels=4, attention_head_dim=8, cross_attention_dim=24,
    down_block_types=("CrossAttnDownBlock2D", "DownBlock2D"), up_block_types=("UpBlock2D", "CrossAttnUpBlock2D"), **BLOCKS)
coder = dict(
    in_channels=3, out_channels=3, down_block_types=("DownEncoderBlock2D",) * 2, up_block_types=("UpDecoderBlock2D",) * 2,
    **BLOCKS)
joint = dict(
    sample_size=8, patch_size=2, in_channels=4, out_channels=4, num_layers=2, attention_head_dim=8, num_attention_heads=4,
    joint_attention_dim=24, caption_projection_dim=32, pooled_projection_dim=16, pos_embed_max_size=16)
add("diffusion_unet", denoiser("UNet2DModel", lambda m, x: m(x, STEPS).sample, **unconditional), noisy(3, 16), "output")
add("diffusion_unet_text", denoiser("UNet2DConditionModel", lambda m, x, c: m(x, STEPS, c).sample, **conditional),
    noisy(4, 16, (7, 24)), "output")
add("diffusion_coder", denoiser("AutoencoderKL", lambda m, x: m.decode(m.encode(x).latent_dist.mode()).sample, latent_channels=4, **coder),
    noisy(3, 16), "output")
add("diffusion_quantizer", denoiser("VQModel", lambda m, x: m(x).sample, latent_channels=3, num_vq_embeddings=12, **coder),
    noisy(3, 16), "output")
add("diffusion_transformer", denoiser(
    "SD3Transformer2DModel", lambda m, x, c, p: m(x, encoder_hidden_states=c, pooled_projections=p, timestep=STEPS.float()).sample, **joint),
    noisy(4, 8, (7, 24), (16,)), "output")
