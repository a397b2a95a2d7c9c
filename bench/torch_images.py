"""What PyTorch needs for the training steps that bench/images.cpp times: ResNet18 for 32 x 32 images, of any width.

torch_images.py SHARE THREADS STEPS    prints a JSON object
"""
import json
import resource
import sys
import time

import torch
from torch import nn
from torch.nn import functional


class Block(nn.Module):
    """Two 3x3 convolutions and a shortcut, which a 1x1 convolution adapts where the size changes."""

    def __init__(self, below, width, stride):
        super().__init__()
        self.first = nn.Conv2d(below, width, 3, stride, 1, bias=False)
        self.first_norm = nn.BatchNorm2d(width)
        self.second = nn.Conv2d(width, width, 3, 1, 1, bias=False)
        self.second_norm = nn.BatchNorm2d(width)
        self.shortcut = None
        if stride != 1:
            self.shortcut = nn.Sequential(nn.Conv2d(below, width, 1, stride, bias=False), nn.BatchNorm2d(width))

    def forward(self, x):
        h = functional.relu(self.first_norm(self.first(x)))
        h = self.second_norm(self.second(h))
        return functional.relu(h + (self.shortcut(x) if self.shortcut else x))


class ResNet18(nn.Module):
    def __init__(self, widths, classes=10):
        super().__init__()
        self.stem = nn.Conv2d(3, widths[0], 3, 1, 1, bias=False)
        self.stem_norm = nn.BatchNorm2d(widths[0])
        blocks, below = [], widths[0]
        for stage, width in enumerate(widths):
            blocks += [Block(below, width, 2 if stage else 1), Block(width, width, 1)]
            below = width
        self.blocks = nn.Sequential(*blocks)
        self.affine = nn.Linear(below, classes)

    def forward(self, x):
        h = self.blocks(functional.relu(self.stem_norm(self.stem(x))))
        return self.affine(h.mean(dim=(2, 3)))


def main():
    share, threads, steps = float(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    torch.set_num_threads(threads)
    torch.manual_seed(1)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    network = ResNet18([int(share * 64 * 2**stage + 0.5) for stage in range(4)])
    optimizer = torch.optim.SGD(network.parameters(), lr=1e-3)
    x, y = torch.randn(100, 3, 32, 32), torch.randint(10, (100,))
    least = float("inf")
    for _ in range(steps + 1):
        begin = time.monotonic()
        optimizer.zero_grad()
        functional.cross_entropy(network(x), y).backward()
        optimizer.step()
        if _ > 0:
            least = min(least, time.monotonic() - begin)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    network.eval()
    predictions = []
    with torch.no_grad():
        for _ in range(2 * steps + 1):
            begin = time.monotonic()
            network(x)
            predictions.append(time.monotonic() - begin)
    print(json.dumps({"share": share, "threads": threads, "seconds": least, "images_per_second": 100 / least,
                      "peak_kilobytes": peak, "prediction_seconds": min(predictions[1:]),
                      "parameters": sum(p.numel() for p in network.parameters())}))


if __name__ == "__main__":
    main()
