class Base(BaseException):
    pass


raise Base("not an Exception")
