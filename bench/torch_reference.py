"""What PyTorch needs for the gradients that bench/gradients.cpp times: one thread, float32. Prints a JSON object."""
import json
import sys
import time

import torch

torch.set_num_threads(1)


def network(inputs, hidden):
    """Weights and biases of a multilayer perceptron with one output."""
    widths = [inputs, *hidden, 1]
    parameters = []
    for below, above in zip(widths, widths[1:]):
        parameters.append((torch.randn(below, above) / below**0.5).requires_grad_())
        parameters.append((torch.randn(above) / below**0.5).requires_grad_())
    return parameters


def log_posterior(parameters, masks, x, y, noise_variance=0.05, scale=0.5):
    """Gaussian log-likelihood plus Cauchy log prior, up to constants. masks: one a hidden layer, or none at all."""
    h = x
    last = len(parameters) // 2 - 1
    for layer in range(last + 1):
        h = torch.addmm(parameters[2 * layer + 1], h, parameters[2 * layer])
        if layer < last:
            h = torch.relu(h)
            if masks:
                h = h * masks[layer]
    log_likelihood = -((y - h[:, 0]) ** 2).sum() / (2 * noise_variance)
    log_prior = -sum(torch.log1p((p / scale) ** 2).sum() for p in parameters)
    return log_likelihood + log_prior


def seconds(rows, inputs, hidden, masked, budget):
    """Processor seconds of the fastest gradient seen within the budget of seconds."""
    torch.manual_seed(1)
    parameters = network(inputs, hidden)
    masks = [(torch.rand(width) < 0.03).float() for width in hidden] if masked else []
    x, y = torch.randn(rows, inputs), torch.randn(rows)
    least, end, calls = float("inf"), time.thread_time() + budget, 0
    while calls < 3 or time.thread_time() < end:
        begin = time.thread_time()
        torch.autograd.grad(log_posterior(parameters, masks, x, y), parameters)
        least = min(least, time.thread_time() - begin)
        calls += 1
    return least


def main():
    budget = float(sys.argv[1]) if len(sys.argv) > 1 else 0.5
    cases = {
        "455x13 29x12": (455, 13, (29, 12), False),
        "927x8 38x11": (927, 8, (38, 11), False),
        "455x13 1000x1000": (455, 13, (1000, 1000), False),
        "455x13 1100x1100 masked": (455, 13, (1100, 1100), True),
        "927x8 1100x1100 masked": (927, 8, (1100, 1100), True),
    }
    result = {name: seconds(*case, budget) for name, case in cases.items()}
    print(json.dumps({"torch": torch.__version__, "seconds": result}))


if __name__ == "__main__":
    main()
