#!/usr/bin/env bash
source ./lib.sh
. other.sh
. "$SCRIPT_DIR/third.sh"
. "$(dirname "$0")/fourth.sh"
. "$HOME/.profile"
source "$name"

export PATH="$PATH:/opt/hunter2" EDITOR=vi
readonly VERSION="1"
declare -rx BOTH=1
plain=1

# Says it.
say() {
  local text=$1
  inner() { :; }
}

function loud {
  echo
}

function _hidden () { :; }

if true; then
  maybe() { :; }
fi
