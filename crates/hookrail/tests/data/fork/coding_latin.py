# -*- coding: latin-1 -*-
print(repr("ä"), "ä")
