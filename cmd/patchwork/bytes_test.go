package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// bytesVariable makes TestBytes, with the value "write", rewrite the list.
const (
	bytesVariable = "PATCHWORK_BYTES"
	bytesList     = "testdata/bytes.json"
)

// byteCases lists command lines, each after its name, that run one after the other in
// one folder: each writes files with new names, and later ones read what earlier ones
// wrote. Those named slow- are left out by -short, and none reads what they write.
// Empty lines and those with # are comments.
const byteCases = `
# Images and rows.
synth-letters         synth letters --letters TL --writers 6 --side 20 --seed 3 -o t.npz --picture t.png
synth-letters-hidden  synth letters --n 8 --letters T --side 20 --hide 0.1 --seed 4 -o h.npz --picture h.svg
synth-quadrants       synth quadrants --n 60 --seed 1 -o q.npz --picture q.png
synth-quadrants-many  synth quadrants --n 600 --side 4 --seed 2 -o many.npz
synth-quadrants-gaps  synth quadrants --n 20 --hide 0.2 --seed 5 -o gaps.npz
synth-bars            synth bars --n 80 --side 5 --on 0.25 --seed 1 -o b.npz --picture b.svg
synth-bars-out        synth bars --n 3 --flip 0.1 -o -
synth-scenes          synth scenes --n 2 --side 50 --objects 2 --exemplars 1 --flip 0.05 --seed 4 -o s.npz --model digits.npz --picture s.png

# Learning experts that move, under the max rule.
learn-poses           learn t.npz -o t-model.npz -k 2 --shift 3 --rotate 12:12 --where y=T --picture t-model.png
learn-poses-1-worker  learn t.npz -o w1.npz -k 3 --shift 2 --rotate 10:10 --starts 2 --seed 2 --workers 1
learn-poses-3-workers learn t.npz -o w3.npz -k 3 --shift 2 --rotate 10:10 --starts 2 --seed 2 --workers 3
learn-orders          learn t.npz -o o.npz -k 2 --shift 3,2 --begin orders --starts 2 --where y=T --picture o.svg --progress-picture steps.png
learn-progress        learn t.npz -o pp.npz -k 2 --shift 2 --starts 1 --method online --take 5 --progress-picture steps.svg
learn-splits          learn t.npz -o sp.npz -k 2 --shift 4 --shift-step 2 --begin splits --starts 2 --seed 5
learn-both-begins     learn t.npz -o bb.npz -k 2 --shift 2 --begin both --starts 4 --seed 6 --iterations 2
learn-refine          learn t.npz -o r.npz -k 2 --shift 2 --rotate 12:12 --starts 2 --refine --iterations 3
learn-paper           learn t.npz -o p.npz -k 2 --shift 3 --rotate 12:12 --mode paper --where y=T --seed 1
learn-paper-batch     learn t.npz -o pb.npz -k 2 --shift 2 --mode paper --method batch --iterations 3
learn-online          learn t.npz -o on.npz -k 2 --shift 2 --method online --starts 2
learn-batch           learn t.npz -o ba.npz -k 2 --shift 2 --method batch --starts 2 --iterations 4
learn-both            learn t.npz -o bo.npz -k 2 --shift 2 --method both --starts 2 --iterations 2
learn-still           learn t.npz -o st.npz -k 4 --starts 3
learn-init-text       learn t.npz -o it.npz -k 3 --shift 2 --starts 2 --init text --until-ink 0.2 --method online
learn-init-literal    learn t.npz -o il.npz -k 3 --shift 2 --starts 2 --init literal --truncate=false --outside unknown
learn-flags           learn t.npz -o fl.npz -k 2 --shift 2 --starts 2 --q 0.05 --prior 0.5:1 --reuse 2 --truncate --iterations 2
learn-weights         learn t.npz -o we.npz -k 2 --shift 2 --starts 2 --weight writer
learn-hidden-pixels   learn h.npz -o hp.npz -k 2 --shift 2 --starts 2 --skip 1 --take 6
learn-range-poses     learn t.npz -o rp.npz -k 1..2 --shift 2 --starts 2 --curve rp.png
learn-max-range       learn b.npz -o mr.npz -k 1..3 --starts 2 --curve mr.svg
learn-out             learn t.npz -o - -k 2 --starts 1 -q
learn-alphabet        learn t.npz -o al.npz --alphabet 2 --starts 2 --iterations 2 --picture al.png
learn-alphabet-3      learn t.npz -o al3.npz --alphabet 2 --starts 2 --iterations 2 --workers 3
learn-from-alphabet   learn t.npz -o fa.npz -k 2 --shift 3 --starts 2 --start-from al.npz --where y=T
learn-stretch         learn t.npz -o sx.npz -k 2 --shift 2 --stretch 0.75,1x1.33 --starts 2 --where y=T
explain-alphabet      explain -m al.npz t.npz

# Learning experts that stay, under max-minus-min.
learn-votes           learn q.npz -o q-model.npz -k 8 --rule max-minus-min --starts 3 --picture q-model.png
learn-votes-online    learn q.npz -o vo.npz -k 4 --rule max-minus-min --method online --starts 2 --seed 3
learn-votes-both      learn q.npz -o vb.npz -k 4 --rule max-minus-min --method both --starts 2 --workers 3
learn-votes-splits    learn q.npz -o vs.npz -k 4 --rule max-minus-min --begin splits --starts 2
learn-votes-orders    learn q.npz -o vr.npz --take 30 -k 4 --rule max-minus-min --begin orders --starts 2 --refine --reuse 2
learn-votes-paper     learn q.npz -o vp.npz -k 4 --rule max-minus-min --mode paper --seed 2
learn-votes-poses     learn t.npz -o vt.npz -k 2 --rule max-minus-min --shift 2 --rotate 12:12 --starts 2
learn-votes-gaps      learn gaps.npz -o vg.npz -k 4 --rule max-minus-min --starts 2
learn-votes-range     learn q.npz -o range.npz --take 40 -k 2..4 --rule max-minus-min --starts 2 --curve range.png
learn-checkpoint      learn q.npz -o ck.npz -k 4 --rule max-minus-min --starts 2 --checkpoint kept
slow-learn-votes-auto learn b.npz -o auto.npz -k auto --rule max-minus-min --take 40 --curve auto.svg

# Soft learning.
learn-soft            learn q.npz -o soft.npz -k 6 --rule max-minus-min --method soft
learn-soft-grow       learn q.npz -o sg.npz -k 4 --rule max-minus-min --method soft --begin grow --seed 1
learn-soft-mixture    learn q.npz -o sm.npz -k 4 --rule max-minus-min --method soft --begin mixture --workers 1
learn-soft-gaps       learn gaps.npz -o so.npz -k 3 --rule max-minus-min --method soft --iterations 5 --workers 3
learn-soft-auto       learn b.npz -o sa.npz --take 50 -k auto --rule max-minus-min --method soft --curve sa.png
learn-soft-interpret  learn b.npz -o si.npz -k auto --rule max-minus-min --method soft --aim interpret --curve si.svg

# Learning from more than fits in memory.
learn-stream          learn many.npz -o ms.npz -k 4 --rule max-minus-min --starts 2 --sample 100 --iterations 3 --memory 64KiB
learn-stream-1-worker learn many.npz -o m1.npz -k 4 --rule max-minus-min --starts 2 --sample 100 --iterations 3 --memory 64KiB --workers 1
learn-stream-online   learn many.npz -o mo.npz -k 3 --method online --memory 64KiB
learn-stream-range    learn many.npz -o mg.npz -k 2..3 --rule max-minus-min --starts 1 --sample 100 --iterations 2 --memory 64KiB --curve mg.png
learn-stream-max      learn many.npz -o mx.npz -k 3 --starts 2 --sample 100 --iterations 2 --memory 64KiB

# Steps of learning in parts.
stats-1               stats -m q-model.npz q.npz --take 30 -o 1.tally
stats-2               stats -m q-model.npz q.npz --skip 30 --shard second -o 2.tally --workers 3
stats-lines           stats -m t-model.npz t.npz --lines
stats-paper           stats -m p.npz t.npz --mode paper -o paper.tally
stats-stream          stats -m ms.npz many.npz --memory 64KiB -o many.tally
mstep                 mstep -m q-model.npz 1.tally 2.tally -o q-next.npz
mstep-last            mstep -m q-model.npz 2.tally 1.tally -o q-last.npz --last
mstep-paper           mstep -m p.npz paper.tally -o p-next.npz --mode paper

# Explanations.
explain               explain -m t-model.npz t.npz
explain-paper         explain -m t-model.npz t.npz --pursuit paper
explain-picture       explain -m t-model.npz t.npz -o e.jsonl --take 4 --picture e.png
explain-picture-paper explain -m t-model.npz t.npz -o ep.jsonl --take 4 --picture ep.png --refine=false
explain-steps         explain -m t-model.npz t.npz --take 1 --picture one.svg --workers 1
explain-steps-paper   explain -m t-model.npz t.npz --take 1 --picture onep.svg --workers 1 --pursuit paper
explain-original      explain -m t-model.npz t.npz --score original --workers 3
explain-truncated     explain -m t-model.npz t.npz --score truncated --start forced
explain-mixed         explain -m t-model.npz t.npz --score mixed --alpha 0.8 --min-gain 2
explain-refine        explain -m t-model.npz t.npz --refine --max-picks 3 --reuse 2
explain-threshold     explain -m w1.npz t.npz --refine --refine-threshold -1 --start forced
explain-prior         explain -m t-model.npz t.npz --pose-prior
explain-prior-paper   explain -m t-model.npz t.npz --pose-prior --pursuit paper
explain-best          explain -m t-model.npz t.npz --take 3 --best 3
explain-best-beam     explain -m q-model.npz q.npz --take 5 --best 4 --beam 4
explain-best-reuse    explain -m t-model.npz t.npz --take 2 --best 2 --reuse 2 --max-picks 3
explain-shift         explain -m t-model.npz t.npz --shift 5 --rotate 20:10 --first-per writer --skip 2
explain-shift-paper   explain -m t-model.npz t.npz --shift 5 --rotate 20:10 --first-per writer --skip 2 --pursuit paper
explain-hidden        explain -m hp.npz h.npz --refine
explain-scene         explain -m digits.npz s.npz --scene --refine --picture scenes.png
explain-letter-scene  explain -m t-model.npz s.npz --scene --max-picks 3
explain-scene-paper   explain -m t-model.npz s.npz --scene --max-picks 3 --pursuit paper
explain-votes         explain -m q-model.npz q.npz --refine
explain-votes-gaps    explain -m q-model.npz gaps.npz --score original
explain-soft          explain -m soft.npz q.npz --best 2
explain-stream        explain -m ms.npz many.npz --memory 64KiB -o stream.jsonl
explain-codes         explain -m q-model.npz q.npz -o codes.csv --workers 3
explain-codes-letters explain -m t-model.npz t.npz -o codes.arrow --gains=false

# Predictions and scores.
predict-npz           predict -m q-model.npz gaps.npz -o filled.npz
predict-csv           predict -m q-model.npz gaps.npz --best 4 --beam 3 -o filled.csv
predict-all           predict -m t-model.npz h.npz --all --take 2 -o -
predict-table         predict -m q-model.npz q.npz -o table.csv
predict-soft          predict -m so.npz gaps.npz -o soft.csv --best 1 --max-picks 2
predict-poses         predict -m hp.npz h.npz -o poses.npz
predict-cells         predict -m q-model.npz gaps.npz --cells -o cells.csv
predict-cells-images  predict -m t-model.npz h.npz --cells --take 2 -o cells.jsonl
score-rows            score -m q-model.npz q.npz -o rows.csv --workers 3
predict-stream        predict -m ms.npz many.npz --memory 64KiB --all -o stream.csv
score                 score -m t-model.npz t.npz --where writer>3
score-paper           score -m t-model.npz t.npz --where writer>3 --pursuit paper
score-votes           score -m q-model.npz q.npz
score-json            score -m q-model.npz q.npz --json --refine
score-prior           score -m t-model.npz t.npz --json --pose-prior --score original
score-hide            score -m q-model.npz q.npz --hide 0.2 --seed 1
score-hide-json       score -m soft.npz q.npz --hide 0.2 --seed 1 --json --best 4
score-stream          score -m ms.npz many.npz --memory 64KiB --workers 3
table-learn           learn table.csv --meta index -k 3 -o tm.npz --rule max-minus-min --starts 2
table-score           score -m tm.npz table.csv --meta index --hide 0.25 --seed 2 --by-column
table-explain         explain -m tm.npz table.csv --meta index --take 5

# Exactly, as blocks.
exact                 exact b.npz -o be.npz --picture be.png --report be.txt --model be-model.npz
exact-cheapest        exact b.npz -o bc.npz --cheapest --steps 300000 --workers 3 --report bc.csv
exact-exceptions      exact gaps.npz -o bx.npz --exceptions 3 --steps 200000 --seed 2 --prices 1,2,3
exact-table           exact table.csv --meta index -o bt.npz --most-columns 3 --most-rows 20 --report -

# Samples, pictures and words.
sample                sample -m t-model.npz -n 3 --seed 1
sample-npz            sample -m t-model.npz -n 5 --seed 1 --probabilities -o new.npz --picture new.png
sample-svg            sample -m q-model.npz -n 4 --seed 2 --probabilities -o new.svg
draw                  draw t-model.npz
draw-png              draw t-model.npz -o drawn.png
draw-svg              draw q-model.npz -o drawn.svg
draw-coloured         draw t-model.npz --coloured -o coloured.png
draw-coloured-svg     draw t-model.npz --coloured -o coloured.svg
info                  info t-model.npz
info-json             info q-model.npz --json
info-data             info t-model.npz t.npz
info-curve            info range.npz
info-soft             info sa.npz --json
info-stream           info ms.npz
info-step             info q-next.npz

# Reports.
report-table          report -m tm.npz table.csv -o tr.html --stability 1 --workers 3
report-images         report -m t-model.npz t.npz -o ti.html --stability 0
report-json           report -m soft.npz q.npz --json --stability 0

# Real values: bits read so, then images of real numbers drawn from the model, which are recognised.
learn-real            learn b.npz -o re.npz --for real --starts 2 --picture re.png
learn-real-3-workers  learn b.npz -o re3.npz --for real --starts 2 --workers 3
sample-real           sample -m re.npz -n 40 --seed 3 -o rs.npz
sample-real-picture   sample -m re.npz -n 4 -o rs.svg
learn-real-recognised learn rs.npz -o rr.npz --starts 1 -k 3 -q
explain-real          explain -m re.npz b.npz --rows :6 --best 3
explain-real-codes    explain -m re.npz b.npz -o re-codes.npz --picture re-explained.svg
score-real            score -m re.npz b.npz --hide 0.2 -o re-scores.npz
predict-real          predict -m re.npz b.npz --all -o re-filled.npz --rows :9
predict-real-cells    predict -m re.npz b.npz --all --cells -o re-cells.csv --rows :2
name-real             name re.npz 0 first -o re-named.npz
draw-real             draw re-named.npz -o re-named.svg
info-real             info re-named.npz
report-real           report -m re-named.npz b.npz -o re.html

# All in one.
slow-demo             demo -o demo

# Classes, and symbols on pages.
classify-learn        classify learn t.npz --by y --where writer<=3 -o classes.npz
classify-3-workers    classify learn t.npz --by y --where writer<=3 --workers 3 -o classes3.npz
classify-predict      classify predict -m classes.npz t.npz --where writer>3 -o named.csv
classify-why          classify predict -m classes.npz t.npz --where writer>3 --workers 3 -o why.jsonl
classify-curve        classify learn t.npz --by y --curve 1,2 --json
synth-sheet           synth sheet --height 300 --width 400 --symbols 4 --placements 6 --flip 0.01 --seed 3 -o sheet.npz --model symbols.npz --page page.png
find-model            find -m symbols.npz page.png --turns --mirror -o finds.csv --counts counts.csv --svg finds.svg --png finds.png
find-tiles            find -m symbols.npz page.png --turns --mirror --all --tiles 50 --workers 3 -o all.jsonl
find-rival            find -m symbols.npz page.png --turns --rival 1 --list-rivals -o rivals.npz
`

// TestBytes compares the SHA-256 of every file that byteCases write, and of what they
// print, with a list in testdata: a refactoring must not change a byte. If a default
// or a text changes on purpose, the list is rewritten, and the commit says why:
//
//	PATCHWORK_BYTES=write go test -run TestBytes ./cmd/patchwork
//
// The cases that end in -paper have the bytes their namesakes had (explain-scene-paper
// those of explain-letter-scene) before the refined pursuit became the default where
// experts move: the paper's pursuit is as it was.
//
// A new version of Go may compress .npz and .png files differently; then the list is
// rewritten before anything else is changed.
func TestBytes(t *testing.T) {
	if raceDetector {
		t.Skip("other tests look for races; this one takes ten times as long with the detector")
	}
	list, err := filepath.Abs(bytesList)
	if err != nil {
		t.Fatal(err)
	}
	writing := os.Getenv(bytesVariable) == "write"
	if writing && testing.Short() {
		t.Fatalf("%s=write writes all of the list: leave out -short", bytesVariable)
	}
	text := read(t, list)
	t.Chdir(t.TempDir())
	got := runByteCases(t)
	if t.Failed() {
		return
	}
	if writing {
		text, err := json.MarshalIndent(got, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		write(t, list, string(text)+"\n")
		return
	}
	want := make(map[string]map[string]string)
	if err := json.Unmarshal([]byte(text), &want); err != nil {
		t.Fatal(err)
	}
	if testing.Short() {
		maps.DeleteFunc(want, func(name string, _ map[string]string) bool { return isSlow(name) })
	}
	compareBytes(t, got, want)
}

// compareBytes reports each file of each case that is not as listed.
func compareBytes(t *testing.T, got, want map[string]map[string]string) {
	t.Helper()
	for _, name := range keysOf(got, want) {
		if got[name] == nil {
			t.Errorf("%s is listed and is no case", name)
			continue
		}
		for _, file := range keysOf(got[name], want[name]) {
			if got[name][file] != want[name][file] {
				t.Errorf("%s: %s has SHA-256 %s, listed is %s", name, file, orNone(got[name][file]), orNone(want[name][file]))
			}
		}
	}
}

// runByteCases returns for each case the hashes of the files that it wrote,
// and of "stdout" where they printed something.
func runByteCases(t *testing.T) map[string]map[string]string {
	t.Helper()
	got, seen := make(map[string]map[string]string), make(map[string]bool)
	for line := range strings.Lines(byteCases) {
		name, command, _ := strings.Cut(strings.TrimSpace(line), " ")
		if name == "" || name == "#" || testing.Short() && isSlow(name) {
			continue
		}
		if got[name] != nil {
			t.Fatalf("two cases have the name %s", name)
		}
		began := time.Now()
		var out, err bytes.Buffer
		if code := run(context.Background(), fields(command), console{out: &out, err: &err, getenv: func(string) string { return "" }}); code != 0 {
			t.Errorf("%s: patchwork %s: exit %d, stderr %q", name, command, code, err.String())
		}
		if took := time.Since(began); took > 300*time.Millisecond {
			t.Logf("%s took %v", name, took)
		}
		got[name] = newFiles(t, seen)
		if out.Len() > 0 {
			got[name]["stdout"] = hashOf(out.Bytes())
		}
	}
	return got
}

// newFiles returns the hash of each file in the present folder and below that
// is not in seen, and adds it there. Files that hold nothing but times are
// left out.
func newFiles(t *testing.T, seen map[string]bool) map[string]string {
	t.Helper()
	out := make(map[string]string)
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && !seen[path] && d.Name() != "times.json" {
			seen[path] = true
			out[filepath.ToSlash(path)] = hashOf([]byte(read(t, path)))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// times matches how long something took, in summaries and pages.
var times = regexp.MustCompile(` in [0-9.]+ s(econds)?\b|<td class="n">[0-9.]+</td></tr>| Seconds: [^<]*</p>|(?m:` + "`" + ` \| [0-9]+ \|$)`)

// hashOf returns the SHA-256 of content without the times in it.
func hashOf(content []byte) string {
	sum := sha256.Sum256(times.ReplaceAll(content, []byte("(time)")))
	return hex.EncodeToString(sum[:])
}

// keysOf returns the keys of two maps, sorted.
func keysOf[V any](a, b map[string]V) []string {
	return slices.Compact(slices.Sorted(func(yield func(string) bool) {
		for _, m := range []map[string]V{a, b} {
			for key := range m {
				if !yield(key) {
					return
				}
			}
		}
	}))
}

// isSlow reports whether -short leaves a case out.
func isSlow(name string) bool { return strings.HasPrefix(name, "slow-") }

func orNone(hash string) string {
	if hash == "" {
		return "none"
	}
	return hash[:12] + "…"
}
