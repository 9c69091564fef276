# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases of the adapters of peft: small weights that are trained beside a model's frozen ones."""
import torch

from case import Output, add

SMALL = dict(vocab_size=40, hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4)
NO_DROPOUT = dict(hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0)


def classifier():
    import transformers

    return transformers.BertForSequenceClassification(transformers.BertConfig(num_labels=3, **SMALL, **NO_DROPOUT))


def language_model():
    import transformers

    return transformers.LlamaForCausalLM(transformers.LlamaConfig(num_key_value_heads=2, **SMALL))


def adapted(base, config, **settings):
    """Adapters that begin with zeros are filled, so that there is a difference to the frozen model."""
    def make():
        import peft

        model = peft.get_peft_model(base(), getattr(peft, config)(**settings))
        for name, parameter in model.named_parameters():
            if parameter.requires_grad and not parameter.detach().abs().sum():
                torch.nn.init.normal_(parameter, std=0.1)
        return Output(model, lambda y: y.loss, lambda m, tokens, labels: m(input_ids=tokens, labels=labels))

    return make


classes = lambda: {"tokens": torch.randint(3, 40, (2, 9)), "labels": torch.tensor([0, 2])}
words = lambda: {"tokens": torch.randint(3, 40, (2, 9)), "labels": torch.randint(3, 40, (2, 9))}
for name, config, settings in (
    ("lora", "LoraConfig", dict(task_type="SEQ_CLS", r=4, target_modules=["query", "value"])),
    ("adalora", "AdaLoraConfig", dict(task_type="SEQ_CLS", target_modules=["query"], total_step=100)),
    ("oft", "OFTConfig", dict(task_type="SEQ_CLS", target_modules=["query"], oft_block_size=8)),
    ("vera", "VeraConfig", dict(task_type="SEQ_CLS", target_modules=["query"], r=4, vera_dropout=0.0)),
    ("prompt", "PromptTuningConfig", dict(task_type="SEQ_CLS", num_virtual_tokens=4)),
):
    add(f"adapter_{name}", adapted(classifier, config, **settings), classes, "output")
for name, config, settings in (
    ("lora_all", "LoraConfig", dict(task_type="CAUSAL_LM", r=4, target_modules="all-linear", use_rslora=True)),
    ("dora", "LoraConfig", dict(task_type="CAUSAL_LM", r=4, target_modules=["q_proj"], use_dora=True)),
):
    add(f"adapter_{name}", adapted(language_model, config, **settings), words, "output")
