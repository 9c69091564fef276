# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The exceptions that everything in this package raises, one family."""


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
