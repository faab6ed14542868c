import ctypes
libc = ctypes.CDLL(None)
libc.printf(b"by the C library, never flushed by Python\n")
print("end")
