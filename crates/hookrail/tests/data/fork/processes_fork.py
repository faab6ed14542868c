import multiprocessing
import os


def work(number):
    return number * number, __name__


if __name__ == "__main__":
    multiprocessing.set_start_method("fork")
    with multiprocessing.Pool(2) as pool:
        print(pool.map(work, range(3)))
    print(multiprocessing.current_process().name, multiprocessing.parent_process())
