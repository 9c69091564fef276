# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases of transformers' models of several kinds of data: images in a text, and speech with its letters."""
import torch

from case import Output, add

TEXT = dict(vocab_size=60, hidden_size=32, intermediate_size=37, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2,
            max_position_embeddings=64, pad_token_id=1, bos_token_id=0, eos_token_id=2)
SIGHT = dict(image_size=16, patch_size=4, hidden_size=32, intermediate_size=37, num_hidden_layers=2, num_attention_heads=4)
IMAGE_TOKEN = 5


def told(images):
    """A text with places for `images` parts of an image, which are no labels, and the image."""
    def inputs():
        tokens = torch.randint(10, 60, (2, images + 10))
        labels = tokens.clone()
        tokens[:, 2 : 2 + images], labels[:, 2 : 2 + images] = IMAGE_TOKEN, -100
        return {"tokens": tokens, "x": torch.randn(2, 3, 16, 16), "labels": labels}

    return inputs


def seeing(name, sight, text, image_token="image_token_id", **more):
    def make():
        import transformers

        config = getattr(transformers, f"{name}Config")(
            vision_config=getattr(transformers, f"{sight}Config")(**SIGHT), text_config=getattr(transformers, f"{text}Config")(**TEXT),
            **{image_token: IMAGE_TOKEN}, **more)
        model = getattr(transformers, f"{name}ForConditionalGeneration")(config)
        call = lambda m, tokens, x, labels: m(input_ids=tokens, pixel_values=x, labels=labels, attention_mask=torch.ones_like(tokens))
        return Output(model, lambda y: y.loss, call)

    return make


add("seeing_llava", seeing("Llava", "CLIPVision", "Llama", vision_feature_layer=-1), told(16), "output")
add("seeing_vipllava", seeing("VipLlava", "CLIPVision", "Llama", "image_token_index", vision_feature_layers=[0, 1]), told(16), "output")
add("seeing_internvl", seeing("InternVL", "InternVLVision", "Qwen2", downsample_ratio=0.5), told(4), "output")


def heard(kind):
    def make():
        import transformers

        config = getattr(transformers, f"{kind}Config")(
            vocab_size=12, hidden_size=16, num_hidden_layers=2, num_attention_heads=4, intermediate_size=24, conv_dim=(8, 8),
            conv_stride=(4, 4), conv_kernel=(8, 8), num_feat_extract_layers=2, num_conv_pos_embeddings=4,
            num_conv_pos_embedding_groups=2, mask_time_prob=0.0, layerdrop=0.0, apply_spec_augment=False, hidden_dropout=0.0,
            attention_dropout=0.0, feat_proj_dropout=0.0, final_dropout=0.0, activation_dropout=0.0)
        return Output(getattr(transformers, f"{kind}ForCTC")(config), lambda y: y.loss, lambda m, x, labels: m(input_values=x, labels=labels))

    return make


def spoken():
    letters = torch.randint(1, 12, (3, 6))
    letters[1, 4:] = letters[2, 3:] = -100
    return {"x": torch.randn(3, 400), "labels": letters}


for kind in ("Wav2Vec2", "Hubert", "WavLM", "SEW", "UniSpeech"):
    add(f"heard_{kind.lower()}", heard(kind), spoken, "output")
