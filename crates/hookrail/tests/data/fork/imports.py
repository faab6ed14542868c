import sys
print("imp" in sys.modules)
try:
    import no_such_module
except ImportError as error:
    print(error.name, error)
try:
    from json import nothing
except ImportError as error:
    print(error)
import collections.abc, os.path as path
from email import message_from_string, policy
from xml.etree import ElementTree
print(path.basename("a/b"), policy.default.max_line_length, ElementTree.fromstring("<a/>").tag)
import this
