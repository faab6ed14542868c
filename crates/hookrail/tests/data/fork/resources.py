import resource
import os
print([resource.getrlimit(kind) for kind in (resource.RLIMIT_NOFILE, resource.RLIMIT_STACK)], os.umask(0o22), os.nice(0))
