import siblings.helper
from siblings import helper as again
import sibling
print(siblings.helper is again, sibling.VALUE, sibling.__name__, sibling.__file__ == __file__.replace("siblings_import", "sibling"))
