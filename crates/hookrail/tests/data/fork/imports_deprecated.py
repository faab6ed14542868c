import warnings
try:
    import imp
except ImportError:
    print("gone")
warnings.warn("shown", DeprecationWarning)
warnings.warn("shown once")
