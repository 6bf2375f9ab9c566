"""Kernels compute the same whether they were just compiled or come from the cache, and whatever was called before.

Where sums may be added up in any order, the order depends on where the compiler puts the code. A function that another
kernel calls is compiled twice, on its own and within that kernel; which of the two is called would depend on what has
been loaded before. Put into its caller, it is compiled one way.
"""

import importlib
import os
import pkgutil
import subprocess
import sys

from numba.core.registry import CPUDispatcher

import wayword.kernels

PROGRAM = """
import hashlib
import numpy as np
from scipy import sparse
from wayword.models.folding import fold_in
rng = np.random.RandomState(0)
X = sparse.csr_matrix(rng.poisson(0.3, (300, 500)).astype(float))
topics = rng.dirichlet(np.full(500, 0.05), size=20)
print(hashlib.sha256(fold_in(X, topics, "kl").tobytes()).hexdigest())
"""


def find_kernels():
    modules = pkgutil.iter_modules(wayword.kernels.__path__, "wayword.kernels.")
    found = [vars(importlib.import_module(module.name)).values() for module in modules]
    return {value for values in found for value in values if isinstance(value, CPUDispatcher)}


def called_by(kernel):
    known = kernel.py_func.__globals__
    return {known[name] for name in kernel.py_func.__code__.co_names if isinstance(known.get(name), CPUDispatcher)}


def adds_in_any_order(kernel):
    return bool(kernel.targetoptions.get("fastmath")) or any(map(adds_in_any_order, called_by(kernel)))


def test_what_adds_in_any_order_is_put_into_the_kernels_that_call_it():
    kernels = find_kernels()
    called = {callee for kernel in kernels for callee in called_by(kernel)}
    loose = {kernel for kernel in called if adds_in_any_order(kernel)}
    assert len(loose) > 20
    assert sorted(kernel.__name__ for kernel in loose if not kernel.targetoptions.get("forceinline")) == []


def test_a_kernel_that_was_just_compiled_computes_what_it_does_from_the_cache(tmp_path):
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    found = [
        subprocess.run([sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, check=True)
        for _ in range(2)
    ]
    assert any(tmp_path.rglob("*.nbc"))
    assert found[0].stdout == found[1].stdout
