#!/bin/sh
# "continue": false ends the whole run, not only this call.
case "$(cat)" in
  *'"command":"make deploy'*)
    echo '{"continue":false,"stopReason":"deploying is for people: run it yourself"}' ;;
esac
