import locale
import sys
print(sys.getfilesystemencoding(), sys.getdefaultencoding(), sys.stdout.encoding, sys.stdin.encoding)
print(locale.setlocale(locale.LC_ALL), locale.getpreferredencoding(False))
