#!/bin/sh
# Starts a worker of Beam's PROCESS environment: Beam's boot program, which
# fetches patchwork-beam from the job server and runs it. A runner starts this as
#
#   boot.sh --id='job-001...' --provision_endpoint=HOST:PORT
#
# with the quotes in the argument, which the boot program does not expect.
#
# BEAM_BOOT is the boot program, as a full path (default: "container" on the PATH), from
#   go install github.com/apache/beam/sdks/v2/go/container@v2.77.0
set -eu
for argument; do
	shift
	set -- "$@" "$(printf %s "$argument" | tr -d \'\")"
done
# All files of the worker are in one folder, which is removed when it ends. (The boot
# program becomes the worker: they are one process.)
dir=$(mktemp -d "${TMPDIR:-/tmp}/patchwork-beam-worker-XXXXXX")
export TMPDIR="$dir"
cd "$dir" # the boot program writes here
(while readlink "/proc/$$/exe"; do sleep 1; done; rm -rf "$dir") </dev/null >/dev/null 2>&1 &
exec "${BEAM_BOOT:-container}" --semi_persist_dir "$dir" "$@"
