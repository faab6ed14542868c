import warnings


def old():
    warnings.warn("old is deprecated", DeprecationWarning, stacklevel=2)


old()
warnings.warn("here", UserWarning)
