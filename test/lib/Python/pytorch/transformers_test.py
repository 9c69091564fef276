# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models of transformers and its Trainer, wrapped, against themselves; without transformers there is no test here."""
import importlib.util
import logging
import os
import tempfile
import unittest
import warnings

import mpc_compiler

HAS_ALL = all(importlib.util.find_spec(name) for name in ("torch", "transformers", "accelerate"))
if HAS_ALL:
    import torch
    import transformers


def make_gpt2():
    torch.manual_seed(0)
    return transformers.GPT2LMHeadModel(transformers.GPT2Config(
        vocab_size=100, n_positions=32, n_embd=32, n_layer=2, n_head=2, resid_pdrop=0, embd_pdrop=0, attn_pdrop=0))


def make_bert():
    torch.manual_seed(0)
    return transformers.BertForSequenceClassification(transformers.BertConfig(
        vocab_size=100, hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=64,
        max_position_embeddings=32, num_labels=3, hidden_dropout_prob=0, attention_probs_dropout_prob=0))


def tokens(count, *shape):
    generator = torch.Generator().manual_seed(1)
    return [torch.randint(100, shape, generator=generator) for _ in range(count)]


def train(model, batches):
    optimizer, losses = torch.optim.AdamW(model.parameters(), lr=1e-3), []
    for batch in batches:
        out = model(**batch)
        out.loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
        losses.append(out.loss.item())
    return losses


class Models(unittest.TestCase):
    def near(self, found, expected, tolerance=3e-6):
        self.assertEqual(len(found), len(expected))
        for a, b in zip(found, expected):
            self.assertLess(abs(a - b), tolerance * abs(b), f"{found}, expected {expected}")

    def test_gpt2_with_labels(self):
        batches = [{"input_ids": ids, "labels": ids} for ids in tokens(20, 2, 16)]
        model = mpc_compiler.wrap(make_gpt2())
        self.near(train(model.train(), batches), train(make_gpt2().train(), batches))
        self.assertIsInstance(model(**batches[0]), transformers.modeling_outputs.CausalLMOutputWithCrossAttentions)

    def test_bert_with_a_dict_batch(self):
        mask = torch.ones(4, 16, dtype=torch.long)
        mask[1, 9:] = 0
        labels = [ids[:, 0] % 3 for ids in tokens(20, 4, 16)]
        batches = [{"input_ids": ids, "attention_mask": mask, "token_type_ids": torch.zeros_like(ids), "labels": y}
                   for ids, y in zip(tokens(20, 4, 16), labels)]
        self.near(train(mpc_compiler.wrap(make_bert()).train(), batches), train(make_bert().train(), batches))

    def test_three_lengths_are_three_programs(self):
        batches = [{"input_ids": ids, "labels": ids} for n in (16, 12, 9) for ids in tokens(3, 2, n)]
        model = mpc_compiler.wrap(make_gpt2()).train()
        self.near(train(model, batches * 2), train(make_gpt2().train(), batches * 2))
        self.assertEqual(sum(line.compile_seconds > 0 for line in model.report()), 3)


class Trainers(Models):
    def run_trainer(self, wrap, folder):
        data = [{"input_ids": ids, "labels": ids} for ids in tokens(41, 16)]
        logs = []
        for resume in (None, os.path.join(folder, "checkpoint-16")):
            arguments = transformers.TrainingArguments(
                output_dir=folder, per_device_train_batch_size=4, num_train_epochs=2, logging_steps=1, save_steps=8,
                report_to=[], use_cpu=True, eval_strategy="epoch", disable_tqdm=True, learning_rate=1e-3)
            trainer = transformers.Trainer(
                model=wrap(make_gpt2()), args=arguments, train_dataset=data, eval_dataset=data[:8])
            trainer.train(resume_from_checkpoint=resume)
            logs += [line.get("loss", line.get("eval_loss")) for line in trainer.state.log_history
                     if "loss" in line or "eval_loss" in line]
        return logs

    def test_the_trainer_trains_evaluates_saves_and_resumes(self):
        logging.disable(logging.WARNING)
        with warnings.catch_warnings(), tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as two:
            warnings.simplefilter("ignore")
            expected = self.run_trainer(lambda model: model, one)
            self.near(self.run_trainer(mpc_compiler.wrap, two), expected, 1e-5)
        self.assertGreater(len(expected), 40)


def load_tests(loader, tests, pattern):
    if HAS_ALL:
        return tests
    print("no transformers or accelerate here: their models and Trainer are not tested")
    return unittest.TestSuite()


if __name__ == "__main__":
    unittest.main()
