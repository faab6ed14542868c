import logging
logging.basicConfig(level=logging.INFO, format="%(levelname)s %(module)s %(funcName)s %(process)d".replace(" %(process)d", ""))
logging.info("x")
logging.getLogger("hook").warning("y")
record = logging.LogRecord("a", 20, "p", 1, "m", (), None)
print(record.relativeCreated < 5000)
logging.shutdown()
