import multiprocessing
import sys


def work(number):
    print("child", number, __name__, sys.argv, flush=True)


if __name__ == "__main__":
    multiprocessing.set_start_method("spawn")
    process = multiprocessing.Process(target=work, args=(3,))
    process.start()
    process.join()
    print(process.exitcode)
