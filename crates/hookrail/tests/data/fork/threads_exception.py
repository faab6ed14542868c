import threading
thread = threading.Thread(target=lambda: 1 / 0, name="worker")
thread.start()
thread.join()
print("survived")
