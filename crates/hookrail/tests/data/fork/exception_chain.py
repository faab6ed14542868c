class Refused(Exception):
    pass


def outer():
    try:
        {}["missing"]
    except KeyError as error:
        raise Refused("no\nsecond line") from error


try:
    outer()
except Refused:
    1 / 0
