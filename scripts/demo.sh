#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Trains a character model on the King James Bible in fp16, a few minutes on
# two cores, and lets it write. An interrupted run goes on where it stopped.
set -euo pipefail

usage() {
  cat <<'END'
usage: scripts/demo.sh [--steps=N] [FLAG...]

  --steps=N  training steps (default: 5000)
  FLAG       a further flag of mpc-train
END
}

cd "$(dirname "${BASH_SOURCE[0]}")/.."
readonly model=test/Inputs/workloads/chargpt.onnx
readonly out=out/demo

steps=5000
flags=()
for argument in "$@"; do
  case $argument in
    --steps=*) steps=${argument#*=} ;;
    -h | --help) usage; exit 0 ;;
    *) flags+=("$argument") ;;
  esac
done

say() { printf 'demo: %s\n' "$*" >&2; }

prepare_data() {
  [[ -f $out/data.safetensors ]] && return 0
  .venv/bin/python scripts/prepare_kjv.py "$out/data.safetensors" >&2
}

train() {
  build/bin/mpc-train "$model" \
    --loss=cross_entropy --precision=fp16 --loss-scale=dynamic \
    --optimizer=adamw --lr=1e-3 --beta2=0.95 \
    --weight-decay=0.1 --no-decay=ln --clip-global-norm=1.0 \
    --lr-schedule=cosine --warmup-steps=100 \
    --data="$out/data.safetensors" --order=shuffle --seed=1 --steps="$steps" \
    --metrics="$out/metrics.csv" --plot="$out/curves.svg" \
    --checkpoint-dir="$out/checkpoints" --checkpoint-every=500 --resume \
    "${flags[@]}"
}

scripts/setup.sh --demo
mkdir -p "$out"
prepare_data
say "training $model for $steps steps, fp16 with a dynamic loss scale"
train
say "curves in $out/curves.svg, numbers in $out/metrics.csv; now it writes:"
.venv/bin/python scripts/generate_text.py "$model" "$out/checkpoints"
