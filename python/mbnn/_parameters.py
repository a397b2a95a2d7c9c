"""The constructor of the estimators. Written by scripts/write_parameters.py: do not edit."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from ._progress import Progress

# The options of a fit that estimators have, in the order of the command line's help.
OPTIONS = (
    "preset", "method", "ignore", "categorical", "numeric", "type", "max_levels", "missing", "hidden", "masks",
    "lambda_", "noise_variance", "outliers", "truncate", "weight_prior", "raw_target", "two_logits", "chains",
    "warmup", "draws", "thin", "sampler", "start_width", "start_steps", "leapfrog_steps", "max_depth",
    "target_accept", "anneal_from", "rungs", "swap_rate", "batches", "step_length", "step_schedule", "temperature",
    "friction", "batch", "mask_every", "mask_moves", "refit_moves", "refit_candidates", "birth", "death", "max_flips",
    "birth_candidates", "mask_test", "epochs", "learning_rate", "prune_above",
)

DOCUMENT = """\
preset : {"default", "paper"}, optional
    paper: the paper's setting for UCI tables [default]
method : {"mcmc", "ns-vi", "logistic"}, optional
    mcmc: the masked network; ns-vi: node-sparse variational inference; logistic: logistic regression [mcmc]
ignore : str, optional
    columns that are not inputs: a,b,... or given several times; '"a,b"' is one column with a comma in its name
categorical : str, optional
    columns to take as categories, in the same way
numeric : str, optional
    columns that must be numbers, in the same way
type : str, optional
    how to take a column; may be given several times
max_levels : int, optional
    levels of a category that have an input each: the most frequent; the others are taken together [200]
missing : {"error", "impute"}, optional
    impute: missing cells take the mean, beside a column that says so [impute]
hidden : str or Sequence[int], optional
    largest width of each hidden layer; auto: by the number of rows [1000,1000; ns-vi: 100,100]
masks : bool or str, optional
    off keeps all hidden nodes: a plain Bayesian network [on]
lambda_ : float or str, optional
    strength of the prior for narrow layers; auto samples it, validate chooses it on held-out rows [0.1]
noise_variance : str, optional
    prior of the noise variance: inverse gamma, or fixed; in units of the scaled target [1:0.001]
outliers : {"allow", "none"}, optional
    allow: predictions leave a small probability to rows unlike those of the training [allow; ns-vi: none]
truncate : float, optional
    the function is cut to [-X, X], in units of the target [off]
weight_prior : str, optional
    cauchy:SCALE, student:SCALE:DEGREES or normal:SCALE; :learn behind it learns the scale [cauchy:0.3; logistic:
    normal:1]
raw_target : bool, optional
    do not standardise the target [False]
two_logits : bool, optional
    two classes: a softmax over two logits instead of one [False]
chains : int, optional
    independent chains [4; ns-vi: 1]
warmup : int, optional
    iterations before draws are kept [1000]
draws : int, optional
    draws kept from each chain [100]
thin : int, optional
    iterations from one kept draw to the next [5]
sampler : {"hmc", "nuts", "sgld", "sghmc"}, optional
    how weights move; sgld and sghmc use mini-batches [hmc]
start_width : int or Sequence[int], optional
    nodes of each layer at the start; several, such as 8,64, are taken by the chains in turn [40]
start_steps : int, optional
    Adam steps of the warm start [2000]
leapfrog_steps : int, optional
    steps of a trajectory (with sampler hmc) [100]
max_depth : int, optional
    a trajectory has at most 2^depth steps (with sampler nuts) [8]
target_accept : float, optional
    acceptance that the step size aims at (with sampler hmc or nuts) [0.9]
anneal_from : float, optional
    power of the posterior that the warm-up begins with, as if at a higher temperature; 1: none (with sampler hmc
    or nuts) [1]
rungs : int, optional
    of a ladder: so many chains at rising temperatures stand behind each chain and exchange states with it (with
    sampler hmc or nuts) [1]
swap_rate : float, optional
    share of exchanges that the spacing of the rungs aims at (with rungs above 1) [0.4]
batches : int, optional
    mini-batches of an iteration (with sampler sgld or sghmc) [50]
step_length : float, optional
    length of a step, as of a leapfrog step s: s²/2 times the gradient, for sghmc s² times it (with sampler sgld
    or sghmc) [0.1]
step_schedule : {"constant", "cosine", "polynomial"}, optional
    how the steps become shorter; cosine: down to a tenth (with sampler sgld or sghmc) [constant]
temperature : float, optional
    temperature of the posterior (with sampler sgld or sghmc) [1]
friction : float, optional
    share of the velocity that a step takes away (with sampler sghmc) [0.05]
batch : int, optional
    rows of a mini-batch (with sampler sgld or sghmc, or method ns-vi) [128; ns-vi: 100]
mask_every : int, optional
    iterations from one sweep over the masks to the next [1]
mask_moves : int, optional
    births and deaths of a sweep by the two rules [20]
refit_moves : int, optional
    further ones, in which the other nodes make up for the change (with sampler hmc or nuts) [20]
refit_candidates : int, optional
    nodes that a refitting birth chooses from by their promise (with sampler hmc or nuts) [1]
birth : {"uniform", "reciprocal", "linear"}, optional
    rule that chooses nodes to switch on [uniform]
death : {"uniform", "reciprocal", "linear"}, optional
    rule that chooses nodes to switch off [reciprocal]
max_flips : int, optional
    nodes of a move: 1 to this many [1]
birth_candidates : int, optional
    inactive nodes to choose from; 0: all of them (with birth reciprocal or linear) [32]
mask_test : {"plain", "mhbt", "tuna"}, optional
    how moves are accepted with sgld and sghmc: plain, on one mini-batch; mhbt, corrected, which tempers them by
    rows / batch; tuna is refused, and says why [plain]
epochs : int, optional
    passes over the table (with method ns-vi) [500]
learning_rate : float, optional
    step of Adam (with method ns-vi) [0.01]
prune_above : float, optional
    a node goes if the log of its dropout rate is above this (with method ns-vi) [-3]
random_state : int or np.random.RandomState, optional
    the seed: the same one gives the same bits, also by the command line's --seed. None is the seed 1, not a
    random one
n_jobs : int, optional
    threads; None or -1: OMP_NUM_THREADS if it is set, else all cores. Results do not depend on it
verbose : Progress, optional
    True: a bar; a function is called with the status of a chain, a dict
"""


class Parameters:
    """See the estimators."""

    def __init__(
        self,
        *,
        preset: Literal["default", "paper"] | None = None,
        method: Literal["mcmc", "ns-vi", "logistic"] | None = None,
        ignore: str | None = None,
        categorical: str | None = None,
        numeric: str | None = None,
        type: str | None = None,
        max_levels: int | None = None,
        missing: Literal["error", "impute"] | None = None,
        hidden: str | Sequence[int] | None = None,
        masks: bool | str | None = None,
        lambda_: float | str | None = None,
        noise_variance: str | None = None,
        outliers: Literal["allow", "none"] | None = None,
        truncate: float | None = None,
        weight_prior: str | None = None,
        raw_target: bool | None = None,
        two_logits: bool | None = None,
        chains: int | None = None,
        warmup: int | None = None,
        draws: int | None = None,
        thin: int | None = None,
        sampler: Literal["hmc", "nuts", "sgld", "sghmc"] | None = None,
        start_width: int | Sequence[int] | None = None,
        start_steps: int | None = None,
        leapfrog_steps: int | None = None,
        max_depth: int | None = None,
        target_accept: float | None = None,
        anneal_from: float | None = None,
        rungs: int | None = None,
        swap_rate: float | None = None,
        batches: int | None = None,
        step_length: float | None = None,
        step_schedule: Literal["constant", "cosine", "polynomial"] | None = None,
        temperature: float | None = None,
        friction: float | None = None,
        batch: int | None = None,
        mask_every: int | None = None,
        mask_moves: int | None = None,
        refit_moves: int | None = None,
        refit_candidates: int | None = None,
        birth: Literal["uniform", "reciprocal", "linear"] | None = None,
        death: Literal["uniform", "reciprocal", "linear"] | None = None,
        max_flips: int | None = None,
        birth_candidates: int | None = None,
        mask_test: Literal["plain", "mhbt", "tuna"] | None = None,
        epochs: int | None = None,
        learning_rate: float | None = None,
        prune_above: float | None = None,
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        verbose: Progress = False,
    ) -> None:
        self.preset = preset
        self.method = method
        self.ignore = ignore
        self.categorical = categorical
        self.numeric = numeric
        self.type = type
        self.max_levels = max_levels
        self.missing = missing
        self.hidden = hidden
        self.masks = masks
        self.lambda_ = lambda_
        self.noise_variance = noise_variance
        self.outliers = outliers
        self.truncate = truncate
        self.weight_prior = weight_prior
        self.raw_target = raw_target
        self.two_logits = two_logits
        self.chains = chains
        self.warmup = warmup
        self.draws = draws
        self.thin = thin
        self.sampler = sampler
        self.start_width = start_width
        self.start_steps = start_steps
        self.leapfrog_steps = leapfrog_steps
        self.max_depth = max_depth
        self.target_accept = target_accept
        self.anneal_from = anneal_from
        self.rungs = rungs
        self.swap_rate = swap_rate
        self.batches = batches
        self.step_length = step_length
        self.step_schedule = step_schedule
        self.temperature = temperature
        self.friction = friction
        self.batch = batch
        self.mask_every = mask_every
        self.mask_moves = mask_moves
        self.refit_moves = refit_moves
        self.refit_candidates = refit_candidates
        self.birth = birth
        self.death = death
        self.max_flips = max_flips
        self.birth_candidates = birth_candidates
        self.mask_test = mask_test
        self.epochs = epochs
        self.learning_rate = learning_rate
        self.prune_above = prune_above
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
