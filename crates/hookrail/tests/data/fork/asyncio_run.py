import asyncio
import signal


async def main():
    asyncio.get_running_loop().add_signal_handler(signal.SIGUSR1, lambda: print("signal"))
    signal.raise_signal(signal.SIGUSR1)
    process = await asyncio.create_subprocess_exec("echo", "from a child", stdout=asyncio.subprocess.PIPE)
    print(await process.communicate(), process.returncode)
    await asyncio.sleep(0.01)


asyncio.run(main())
