# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The exceptions that everything in this package raises, one family, and its warnings."""
import sys
import warnings


class Error(RuntimeError):
    """What failed, in the user's names. Each kind says what is at fault."""


class InvalidInputError(Error, ValueError):
    """A file or a tensor is at fault."""


class UsageError(Error, ValueError):
    """The call is at fault, or when it was made."""


class UnsupportedError(UsageError):
    """A call is at fault that torch runs, and no compiled program."""


class ExportError(UnsupportedError):
    """A module is at fault that torch.export does not take."""


class EnvironmentFault(Error):
    """Disk, memory, processor or permission are at fault."""


class PeerError(Error):
    """Another process of the training is at fault."""


class DivergedError(Error):
    """The training is at fault: it has diverged."""


class InternalError(Error):
    """mpc itself is at fault."""


class MpcWarning(UserWarning):
    """Something works in another way than one may think."""


_BETWEEN = ("/mpc_compiler/", "/torch/")


def warn(text: str) -> None:
    """Warns at the user's line, which calls through torch's modules."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back and any(part in frame.f_code.co_filename for part in _BETWEEN):
        level, frame = level + 1, frame.f_back
    warnings.warn(text, MpcWarning, stacklevel=level)


# By MpcErrorCode, which are exit codes of the command-line tools.
_KINDS = {
    1: InvalidInputError,
    2: UsageError,
    3: EnvironmentFault,
    4: PeerError,
    5: DivergedError,
    70: InternalError,
}


def of_code(code: int, message: str) -> Error:
    """The exception for an error of the C ABI."""
    return _KINDS.get(code, Error)(message)
