from siblings import helper
helper.fail("äöü")
