# What .ci/run and .ci/nightly share; they source it. Steps stop at the first error, need no
# input, and end with the seconds that each took.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
exec </dev/null
export CI=true
export GOFLAGS=${GOFLAGS:--trimpath} CGO_ENABLED=0 # as releases and wheels are built: one cache serves all

scratch=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$scratch"' EXIT

# GOGC of the tools: less time for more memory, 1.4 GB at most.
throughput=400

at='' began=0
step() { # name; ends the previous step
	[ -z "$at" ] || printf '%5d s  %s\n' $((SECONDS - began)) "$at" | tee -a "$scratch/seconds"
	at=$* began=$SECONDS
	printf '\n== %s\n' "$at"
}

# Ends the last step and shows all of them.
finish() {
	step done
	echo "$((SECONDS / 60)) min $((SECONDS % 60)) s:"
	cat "$scratch/seconds"
}

# Runs a command beside the steps. Its output is kept for together.
beside() { # name, command...
	local name=$1
	shift
	"$@" >"$scratch/$name.out" 2>&1 &
	echo $! >"$scratch/$name.pid"
}

# Waits for a command that runs beside, and shows its output.
together() { # name
	local code=0
	wait "$(cat "$scratch/$1.pid")" || code=$?
	cat "$scratch/$1.out"
	return "$code"
}

# Installs a Debian package if a check fails and we are root. Otherwise the tests
# that need it say so.
need() { # package, check...
	local package=$1
	shift
	if "$@" >/dev/null 2>&1; then return; fi
	if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
		step "installing $package"
		export DEBIAN_FRONTEND=noninteractive
		if apt-get update -qq && apt-get install -y -qq --no-install-recommends "$package" >/dev/null; then return; fi
	fi
	echo "note: $package is missing and could not be installed"
}

# Passes a check that failed only because it could not reach the network.
offline() { # the error in that case, its output
	if grep -q "$1" "$2"; then
		echo "note: not checked, the list of known vulnerabilities is not reachable: $(grep -m1 "$1" "$2")"
		return
	fi
	cat "$2"
	exit 1
}

# Tools are run by version, so that no module here depends on them.
# The default checks, and those of comments on packages and exported names.
staticcheck() { go run honnef.co/go/tools/cmd/staticcheck@v0.8.2 -checks inherit,ST1000,ST1020,ST1021,ST1022 "$@"; }
govulncheck() {
	go run golang.org/x/vuln/cmd/govulncheck@v1.8.0 "$@" >"$scratch/vulnerable" 2>&1 || offline 'fetching vulnerabilities' "$scratch/vulnerable"
}

# What the tests need beside Go.
needs() {
	need python3-numpy sh -c 'for p in python3 /usr/bin/python3; do $p -c "import numpy" && exit; done; exit 1'
	need python3-sklearn /usr/bin/python3 -c "import sklearn"
	need python3-pandas /usr/bin/python3 -c "import pandas"
	need python3-venv /usr/bin/python3 -c "import ensurepip"
	need gcc sh -c 'echo "#include <stdlib.h>" | gcc -E - '
	need libc6-dev sh -c 'echo "#include <stdlib.h>" | gcc -E - '
	need npm sh -c 'command -v npm && command -v node'
	need chromium sh -c 'command -v chromium'
}
