"""Kernels compute the same whether they were just compiled or come from the cache, and whatever was called before.

Where sums may be added up in any order, the order depends on where the compiler puts the code. A function that another
kernel calls is compiled twice, on its own and within that kernel; which of the two is called would depend on what has
been loaded before. Put into its caller, it is compiled one way.

A loop that writes to an array is done several places at once only where its arrays lie far enough apart in memory; what
it adds up on the way would be added in another order elsewhere. So loops that add up do not write.
"""

import ast
import importlib
import inspect
import os
import pkgutil
import subprocess
import sys
import textwrap

import numpy as np
import pytest
from numba.core.registry import CPUDispatcher

import wayword.kernels
from wayword.kernels.division import divide_rows, pad_topics
from wayword.kernels.threads import map_in_order
from wayword.testing import planted_topics

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


def loops_of(kernel):
    """Return the innermost loops of a kernel that call no other kernel."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(kernel.py_func)))
    names = {callee.py_func.__name__ for callee in called_by(kernel)}
    loops = [node for node in ast.walk(tree) if isinstance(node, ast.For | ast.While)]
    for loop in loops:
        inside = [node for part in loop.body for node in ast.walk(part)]
        calls = {node.func.id for node in inside if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
        if not calls & names and not any(isinstance(node, ast.For | ast.While) for node in inside):
            yield inside


def targets_of(nodes):
    """Return the kinds of what a loop adds to, and of what it writes."""
    added = {type(node.target) for node in nodes if isinstance(node, ast.AugAssign)}
    assigned = {type(target) for node in nodes if isinstance(node, ast.Assign) for target in node.targets}
    return added, added | assigned


def test_loops_that_add_up_in_any_order_write_nothing():
    fast = [kernel for kernel in find_kernels() if kernel.targetoptions.get("fastmath")]
    loops = [(kernel.py_func.__name__, *targets_of(loop)) for kernel in fast for loop in loops_of(kernel)]
    adding = [loop for loop in loops if ast.Name in loop[1]]
    assert len(adding) > 10
    assert [name for name, _, written in adding if ast.Subscript in written] == []


@pytest.mark.parametrize("n_topics", [5, 9, 12, 16, 40])
def test_counts_are_divided_alike_wherever_arrays_lie_in_memory(n_topics):
    X = planted_topics(n_documents=60, n_topics=3, random_state=0).X.astype(np.float32)
    rng = np.random.RandomState(0)
    shapes = ((60, n_topics), (X.shape[1], n_topics), (n_topics,), (n_topics,))
    arrays = [pad_topics(rng.uniform(0.1, 1.0, shape)) for shape in shapes]

    def count(_):
        by_document, by_term = np.empty_like(arrays[0]), np.zeros_like(arrays[1])
        divide_rows(0, 60, X.indptr, X.indices, X.data, *arrays, np.float32(0.1), by_document, by_term)
        return by_term.tobytes()

    found = set()
    for _ in range(20):  # every pool has memory of its own
        found |= set(map_in_order(count, range(10), threads=10))
    assert len(found) == 1
