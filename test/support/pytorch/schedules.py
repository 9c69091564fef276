# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Records the rates of learning rate schedules as PyTorch, transformers and NumPy have them.

    python schedules.py test/Inputs/training/schedules.json

By hand: needs torch and transformers. Each case has the words of our flags and, from the end of the warm-up on, the
rate of each step.
"""

import json
import pathlib
import sys
import warnings

import numpy as np
import torch
import transformers
from torch.optim import lr_scheduler as torch_lr

LR = 0.25


def rates_of(make, steps):
    """The rate of each step under a scheduler of torch."""
    optimizer = torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=LR)
    scheduler = make(optimizer)
    rates = []
    for _ in range(steps):
        rates.append(optimizer.param_groups[0]["lr"])
        optimizer.step()
        scheduler.step()
    return rates


def one_cycle_rates(steps, **settings):
    """The same of OneCycleLR, which refuses a step behind its last."""
    optimizer = torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=LR)
    scheduler = torch_lr.OneCycleLR(optimizer, LR, steps, cycle_momentum=False, **settings)
    rates = [optimizer.param_groups[0]["lr"]]
    for _ in range(steps - 1):
        optimizer.step()
        scheduler.step()
        rates.append(optimizer.param_groups[0]["lr"])
    return rates


def cases():
    def case(schedule, rates, steps=60, warmup=0, **flags):
        flags = {"--lr-" + name.replace("_", "-"): str(value) for name, value in flags.items()}
        return {"schedule": schedule, "steps": steps, "warmup": warmup, "flags": flags, "rates": rates}

    yield case("step", rates_of(lambda o: torch_lr.StepLR(o, 7), 60), step_size=7)
    yield case("step", rates_of(lambda o: torch_lr.StepLR(o, 16, 0.75), 50), 60, 10, step_size=16, gamma=0.75)
    yield case("multistep", rates_of(lambda o: torch_lr.MultiStepLR(o, [3, 20, 21]), 60), milestones="3,20,21")
    yield case("multistep", rates_of(lambda o: torch_lr.MultiStepLR(o, [30], 0.5), 55), 60, 5, milestones=30, gamma=0.5)
    yield case("exponential", rates_of(lambda o: torch_lr.ExponentialLR(o, 0.97), 60), gamma=0.97)
    yield case("polynomial", rates_of(lambda o: torch_lr.PolynomialLR(o, 50), 60), 50)
    yield case("polynomial", rates_of(lambda o: torch_lr.PolynomialLR(o, 40, 2.5), 50), 48, 8, power=2.5)
    yield case("cosine", rates_of(lambda o: torch_lr.CosineAnnealingLR(o, 60, 0.01), 60), min=0.01)
    restarts = torch_lr.CosineAnnealingWarmRestarts
    yield case("cosine-restarts", rates_of(lambda o: restarts(o, 9), 60), cycle_steps=9)
    yield case("cosine-restarts", rates_of(lambda o: restarts(o, 4, 2, 0.02), 120), 120, cycle_steps=4, cycle_growth=2,
               min=0.02)
    yield case("one-cycle", one_cycle_rates(60))
    yield case("one-cycle", one_cycle_rates(45, pct_start=0.5, div_factor=10, final_div_factor=50), 50, 5, pct_start=0.5,
               div_factor=10, final_div_factor=50)
    yield case("one-cycle", one_cycle_rates(33, anneal_strategy="linear"), 33, anneal="linear")
    yield case("one-cycle", one_cycle_rates(61, three_phase=True, pct_start=0.2), 61, three_phase="on", pct_start=0.2)
    yield case("one-cycle", one_cycle_rates(40, pct_start=0.0), 40, pct_start=0)
    yield case("one-cycle", one_cycle_rates(40, pct_start=1.0), 40, pct_start=1)
    inverse = transformers.get_inverse_sqrt_schedule
    yield case("inverse-sqrt", rates_of(lambda o: inverse(o, 20), 200)[20:], 200, 20)
    yield case("inverse-sqrt", rates_of(lambda o: inverse(o, 10, timescale=37), 120)[10:], 120, 10, timescale=37)
    yield case("inverse-sqrt", rates_of(lambda o: inverse(o, 0), 60))
    points = [(2, 0.5), (10, 1), (11, 0.25), (40, 0)]
    rates = LR * np.interp(np.arange(60), *zip(*points))
    yield case("points", list(rates), points="\n".join(f"{step} {factor}" for step, factor in points) + "\n# the end\n")


def main():
    warnings.simplefilter("ignore")
    record = {"torch": torch.__version__.split("+")[0], "transformers": transformers.__version__, "lr": LR,
              "cases": list(cases())}
    text = ",\n".join(json.dumps(case) for case in record.pop("cases"))
    pathlib.Path(sys.argv[1]).write_text(json.dumps(record)[:-1] + ', "cases": [\n' + text + "\n]}\n")


if __name__ == "__main__":
    main()
