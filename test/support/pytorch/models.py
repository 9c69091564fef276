# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""All cases: small models of torchvision, timm, transformers, diffusers, peft and of users' habits, each with one batch of data."""

import adapter_cases  # noqa: F401
import diffusion_cases  # noqa: F401
import habit_cases  # noqa: F401
import multimodal_cases  # noqa: F401
import task_cases  # noqa: F401
import timm_cases  # noqa: F401
import torchvision_cases  # noqa: F401
import transformers_cases  # noqa: F401
from case import CASES  # noqa: F401
