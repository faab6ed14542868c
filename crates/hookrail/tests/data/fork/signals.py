import signal
for number in sorted(signal.valid_signals()):
    print(number, signal.getsignal(number))
print(signal.pthread_sigmask(signal.SIG_BLOCK, []), signal.set_wakeup_fd(-1), signal.getitimer(signal.ITIMER_REAL))
signal.signal(signal.SIGALRM, lambda number, frame: print("alarm", frame.f_code.co_filename == __file__))
signal.setitimer(signal.ITIMER_REAL, 0.01)
signal.pause()
