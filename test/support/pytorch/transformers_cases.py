# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases of the models of transformers and x-transformers, with small configurations."""

import torch

from case import Output, add, image, tokens, vector

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
        # Float64 has no kernels for the default, and torch.export refuses the loop over those experts that were chosen.
        made._experts_implementation = "batched_mm"
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
    "Gemma3Text:Gemma3",
    "Glm",
    "Glm4",
    "Phi3",
    "Mistral",
    "StableLm",
    "Olmo2",
    "Granite",
    "Cohere",
    "Starcoder2",
):
    config, model = kind.split(":") if ":" in kind else (kind, kind)
    add(f"hf_{model.lower()}", language(config, model_class=f"{model}ForCausalLM", **GROUPED), ids)
add("hf_phi", language("Phi", **TINY), ids)


def yoso():
    """Differentiated as it is written forward: its own backward, the paper's, is in no file."""
    import types

    from transformers.models.yoso import modeling_yoso

    cumulation = modeling_yoso.YosoCumulation
    if issubclass(cumulation, torch.autograd.Function):
        context = types.SimpleNamespace(save_for_backward=lambda *_: None)
        apply = staticmethod(lambda *inputs: cumulation.forward(context, *inputs))
        modeling_yoso.YosoCumulation = type("Forward", (), {"apply": apply})
    return language("Yoso", "ForMaskedLM", use_expectation=True, conv_window=3, **TINY)()


add("hf_yoso", yoso, ids)


def rotary(layers):
    def make():
        import x_transformers

        stack = getattr(x_transformers, layers)(dim=16, depth=2, heads=2, attn_dim_head=8, rotary_pos_emb=True)
        return x_transformers.TransformerWrapper(num_tokens=40, max_seq_len=16, attn_layers=stack)

    return make


add("xt_rotary_decoder", rotary("Decoder"), ids)
add("xt_rotary_encoder", rotary("Encoder"), ids)
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


def speech(kind="Wav2Vec2", **more):
    import transformers

    config = getattr(transformers, f"{kind}Config")(
        **more, vocab_size=12, hidden_size=16, num_hidden_layers=2, num_attention_heads=4, intermediate_size=24, conv_dim=(8, 8),
        conv_stride=(4, 4), conv_kernel=(8, 8), num_feat_extract_layers=2, num_conv_pos_embeddings=4,
        num_conv_pos_embedding_groups=2, mask_time_prob=0.0, layerdrop=0.0, apply_spec_augment=False,
    )  # fmt: skip
    model = getattr(transformers, f"{kind}ForCTC")(config)
    return Output(model, lambda y: y[0], lambda m, x: m(input_values=x, return_dict=False))


def mixed_series():
    import transformers

    config = transformers.PatchTSMixerConfig(
        context_length=16, patch_length=4, patch_stride=4, num_input_channels=2, prediction_length=4, d_model=8, num_layers=2,
        scaling=None,
    )  # fmt: skip
    model = transformers.PatchTSMixerForPrediction(config)
    return Output(model, lambda y: y.prediction_outputs, lambda m, x: m(past_values=x, return_dict=True))


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
for kind in ("Hubert", "WavLM", "Data2VecAudio", "UniSpeechSat"):
    add(f"hf_{kind.lower()}", lambda kind=kind: speech(kind), vector(2, 200))
add("hf_sew", lambda: speech("SEW", squeeze_factor=2), vector(2, 200))
add("hf_patchtsmixer", mixed_series, vector(2, 16, 2), "mse")
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
