# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A scheduler of PyTorch beside a compiled step: the loop's middle is one call.

    python scheduler.py [torch|mpc]

It prints rate, momentum and loss of each tenth step. The last batch of each epoch is smaller, as a DataLoader gives it.
"""
import sys

import torch
from torch import nn

import mpc_compiler

EPOCHS = 5


def make_model():
    torch.manual_seed(0)
    return nn.Sequential(
        nn.Conv2d(1, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(128, 4))


def make_loader():
    generator = torch.Generator().manual_seed(1)
    labels = torch.randint(4, (300,), generator=generator)
    images = torch.randn(300, 1, 8, 8, generator=generator)
    for image, label in zip(images, labels):  # Four quarters of a picture, one of them bright.
        row, column = 4 * (label // 2), 4 * (label % 2)
        image[0, row : row + 4, column : column + 4] += 0.7
    data = torch.utils.data.TensorDataset(images, labels)
    return torch.utils.data.DataLoader(data, batch_size=32, shuffle=True, generator=torch.Generator().manual_seed(2))


def make_optimizer(model, loader):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    count = EPOCHS * len(loader)
    return optimizer, torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=0.1, total_steps=count + 1)


def train_with_torch(model):
    loader, loss_function = make_loader(), nn.CrossEntropyLoss()
    optimizer, scheduler = make_optimizer(model, loader)
    for _ in range(EPOCHS):
        for images, labels in loader:
            optimizer.zero_grad()
            loss = loss_function(model(images), labels)
            loss.backward()
            optimizer.step()
            scheduler.step()
            yield loss.item(), optimizer.param_groups[0]


def train_with_mpc(model):
    loader = make_loader()
    optimizer, scheduler = make_optimizer(model, loader)
    step = mpc_compiler.step(model, optimizer, nn.CrossEntropyLoss())
    for _ in range(EPOCHS):
        for images, labels in loader:
            loss = step(images, labels)
            scheduler.step()
            yield loss.item(), optimizer.param_groups[0]


if __name__ == "__main__":
    train = train_with_torch if sys.argv[1:] == ["torch"] else train_with_mpc
    for i, (loss, group) in enumerate(train(make_model())):
        if i % 10 == 0:
            print(f"step {i}  rate {group['lr']:.4f}  momentum {group['momentum']:.3f}  loss {loss:.4f}")
