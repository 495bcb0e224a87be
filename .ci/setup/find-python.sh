#!/bin/sh
# Prints the path of a Python that can run the grader, or explains what is missing and fails.
#
# Looks along PATH for 3.11 to 3.14 (what the pinned JAX has wheels for) with venv and pip. Started by root it prefers
# an interpreter that every user can read: student code runs under a throw-away identity, and could import nothing
# later from an interpreter that lies in root's private home. $PYTHON, if set, is taken as it is.
set -u

probe='
import os, pathlib, sys
if not (3, 11) <= sys.version_info[:2] <= (3, 14): sys.exit(3)
try:
    import ensurepip, venv
except ImportError:
    sys.exit(4)
home = pathlib.Path(os.__file__).resolve().parent
private = any(not folder.stat().st_mode & 0o001 for folder in [home, *home.parents])
sys.exit(5 if private else 0)
'

judge() { # 0 good, 5 good but private, 4 without venv, anything else unfit
    "$1" -c "$probe" >/dev/null 2>&1
}

if [ -n "${PYTHON:-}" ]; then
    judge "$PYTHON"
    case $? in
    0 | 5) command -v "$PYTHON" && exit 0 ;;
    4) echo "PYTHON=$PYTHON lacks venv or ensurepip (on Debian and Ubuntu: apt install python3-venv)." >&2 ;;
    *) echo "PYTHON=$PYTHON is not a Python from 3.11 to 3.14 that can be started." >&2 ;;
    esac
    exit 1
fi

private='' bare=''
IFS=:
for name in python3 python3.13 python3.12 python3.11 python3.14; do
    for folder in $PATH; do
        candidate="$folder/$name"
        [ -x "$candidate" ] || continue
        judge "$candidate"
        case $? in
        0)
            echo "$candidate"
            exit 0
            ;;
        5)
            if [ "$(id -u)" != 0 ]; then
                echo "$candidate"
                exit 0
            fi
            private=${private:-$candidate}
            ;;
        4) bare=${bare:-$candidate} ;;
        esac
    done
done

if [ -n "$private" ]; then
    echo "$private"
    exit 0
fi
if [ -n "$bare" ]; then
    echo "$bare lacks venv or ensurepip. On Debian and Ubuntu: apt install python3-venv. Then run make again." >&2
else
    echo "No Python from 3.11 to 3.14 found on PATH. Install one, or name it: make demo PYTHON=/path/to/python3" >&2
fi
exit 1
