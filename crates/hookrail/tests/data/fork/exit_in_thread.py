import sys
import threading
threading.Thread(target=sys.exit, args=(9,)).start()
print("main goes on")
