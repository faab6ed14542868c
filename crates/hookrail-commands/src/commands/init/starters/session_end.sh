printf '%s %s\n' "$(field timestamp)" "$(field reason)" >> "$(dirname "$0")/sessions.log"
