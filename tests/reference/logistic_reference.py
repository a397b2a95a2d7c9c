#!/usr/bin/python3
"""Writes the reference weights of tests/tables/logistic_test.cpp: scikit-learn's LogisticRegression (C = 1 is a normal
prior of sd 1 on the weights and none on the intercepts) on inputs and labels that are given by formulas.
Debian: apt-get install python3-sklearn. Made with version 1.2.1."""
import numpy as np
from sklearn.linear_model import LogisticRegression

rows = np.arange(80)
x = np.stack([np.sin(1.7 * rows), np.cos(0.9 * rows), np.sin(0.31 * rows + 1)], axis=1).astype(np.float32).astype(float)
hidden = x[:, 0] + 0.5 * x[:, 1] + np.sin(12.9 * rows)
for classes, labels in ((2, (hidden > 0.2).astype(int)), (3, (hidden > -0.5).astype(int) + (hidden > 0.6))):
    model = LogisticRegression(C=1.0, tol=1e-7, max_iter=1000, solver="newton-cg", multi_class="auto").fit(x, labels)
    print(classes, "classes, a row for each input and one for the intercepts:")
    for row in np.vstack([model.coef_.T, model.intercept_]):
        print("   ", ", ".join(f"{v:.9f}" for v in row))
