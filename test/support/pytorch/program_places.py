# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases of programs.py: places that masks, several indices, steps, diagonals and pools name."""
import torch

from program_cases import case, ints, mask, t

A = torch.ops.aten


def places():
    f = "places"
    i, j = ints([1, 0, 1]), ints([2, 2, 0])
    case(f, "index", lambda x: A.index.Tensor(x, [i, None, j]), t(2, 4, 3))
    case(f, "index", lambda x: A.index.Tensor(x, [None, i[:, None], None, j]), t(2, 2, 4, 3))
    case(f, "index_put", lambda x, y: A.index_put.default(x, [i, None, ints([2, 1, 0])], y), t(2, 4, 3), t(3, 4))
    case(f, "index_put", lambda x, y: A.index_put.default(x, [i, None, j], y, True), t(2, 4, 3), t(3, 4))
    rows = torch.tensor([True, False, True, True])
    case(f, "index_put", lambda x, y: A.index_put.default(x, [rows], y), t(4, 3), t(3, 3))
    case(f, "index_put", lambda x, y: A.index_put.default(x, [rows], y), t(4, 3), t(3))
    case(f, "index_put", lambda x, y: A.index_put.default(x, [rows], y, True), t(4, 3), t(3, 3))
    case(f, "index_put", lambda x, y, m: A.index_put.default(x, [m], y), t(4, 3), t(6), mask(4, 3))
    case(f, "masked_scatter", lambda x, y, m: A.masked_scatter.default(x, m, y), t(4, 3), t(7), mask(4, 3))
    case(f, "masked_scatter", lambda x, y: A.masked_scatter.default(x, rows[:, None], y), t(4, 3), t(5, 3))
    for cut in ((0, 1, 5, 3), (1, 0, 4, 2), (-1, 1, 2, 2)):
        count = len(range(*cut[1:]))
        shape = (count, 4) if cut[0] == 0 else (5, count)
        case(f, "slice_scatter", lambda x, y, c=cut: A.slice_scatter.default(x, y, *c), t(5, 4), t(*shape))
    for offset, count in ((0, 3), (1, 3), (-2, 1)):
        case(f, "diagonal_scatter", lambda x, y, o=offset: A.diagonal_scatter.default(x, y, o), t(3, 4), t(count))
    case(f, "diagonal_scatter", lambda x, y: A.diagonal_scatter.default(x, y, 0, -1, 0), t(3, 2, 4), t(2, 3))
    case(f, "fill_diagonal_", lambda x: A.fill_diagonal_.default(x * 2, 0.5), t(3, 4))
    pooled = lambda found: found[0] * (found[1] + 1)
    case(f, "max_pool1d_with_indices", lambda x: pooled(A.max_pool1d_with_indices.default(x, [2])), t(2, 3, 6))
    case(f, "max_pool2d_with_indices", lambda x: pooled(A.max_pool2d_with_indices.default(x, [3, 2], [2, 1], [1, 0])), t(2, 3, 6, 5))
    case(f, "max_pool3d_with_indices", lambda x: pooled(A.max_pool3d_with_indices.default(x, [2, 2, 2])), t(1, 2, 4, 4, 2))

    def unpooled(x, y):
        values, indices = A.max_pool2d_with_indices.default(x, [2, 2])
        return A.max_unpool2d.default(values * y, indices, [5, 6])

    case(f, "max_unpool2d", unpooled, t(2, 3, 5, 6), t(2, 3, 2, 3))
    case(f, "max_unpool3d", lambda x: A.max_unpool3d.default(
        x, ints([[[[1, 6]], [[8, 15]]]]).reshape(1, 2, 1, 2), [2, 2, 4], [2, 2, 2], [0, 0, 0]), t(1, 2, 1, 2))
