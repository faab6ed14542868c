from concurrent.futures import ThreadPoolExecutor, as_completed
with ThreadPoolExecutor(2) as pool:
    print(sorted(future.result() for future in as_completed([pool.submit(pow, 2, n) for n in range(4)])))
