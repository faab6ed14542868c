import threading
import time


def work(number):
    time.sleep(0.1 + 0.1 * number)
    print("thread", number, threading.current_thread().name)


for number in range(3):
    threading.Thread(target=work, args=(number,)).start()
print(threading.current_thread() is threading.main_thread(), threading.main_thread().name, threading.active_count())
print("main ends first")
