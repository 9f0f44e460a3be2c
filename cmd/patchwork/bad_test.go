package main

import (
	"os"
	"strings"
	"testing"

	"example.com/patchwork/internal/npy"
)

// badInputs writes files that cannot be used into the present folder, beside those of
// smallLetters.
func badInputs(t *testing.T) {
	t.Helper()
	smallLetters(t)
	good := read(t, "t.npz")
	write(t, "truncated.npz", good[:len(good)/2])
	write(t, "truncated-model.npz", read(t, "model.npz")[:1000])
	write(t, "text.npz", "this is not an archive")
	write(t, "empty.csv", "")
	write(t, "ragged.csv", "a,b,c\n1,0,1\n0,1\n")
	write(t, "small.csv", "a,b,c\n1,0,1\n0,1,0\n")
	save(t, "colour.npy", npy.Member{Array: npy.New(make([]uint8, 2*4*4*3), 2, 4, 4, 3)})
	save(t, "two.npy", npy.Member{Array: npy.New([]uint8{0, 1, 2, 0}, 1, 2, 2)})
	save(t, "none.npy", npy.Member{Array: npy.New([]uint8{}, 0, 2, 2)})
	save(t, "negative.npz", npy.Member{Name: "x", Array: npy.New([]uint8{0, 1}, 2, 1)},
		npy.Member{Name: "weight", Array: npy.New([]int64{1, -1}, 2)})
	must(t, "synth", "bars", "--n", "10", "-o", "bars.npz", "-q")
	must(t, "synth", "bars", "--n", "10", "--side", "9", "-o", "wide.npz", "-q")
	must(t, "learn", "bars.npz", "--rule", "max-minus-min", "-k", "2", "-o", "bars-model.npz", "-q")
	if err := os.Symlink("nowhere", "dangling"); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir("folder", 0o777); err != nil {
		t.Fatal(err)
	}
}

// learn returns a command line that would learn from the data if they were valid.
const learnK2 = " -k 2 -o out.npz"

var bad = []struct {
	line string
	code int
	says string // part of the message
}{
	// The command line.
	{"nosuch", 2, `no command "nosuch"`},
	{"lern t.npz", 2, "did you mean learn?"},
	{"learn --nosuch t.npz", 2, "unknown flag: --nosuch"},
	{"learn", 2, "no data"},
	{"learn t.npz -o out.npz --mode paper", 2, "--experts is missing: the paper's learning needs the number of parts; give --experts K"},
	{"learn t.npz -k 2", 2, "-o MODEL is required"},
	{"learn t.npz -k 0 -o out.npz", 2, "at least one part"},
	{"learn t.npz -k -3 -o out.npz", 2, "at least one part"},
	{"learn t.npz -k two -o out.npz", 2, "or auto (see patchwork learn --help)"},
	{"learn t.npz -k 2.. -o out.npz", 2, "a range to try such as 2..12, or auto"},
	{"learn t.npz -k 2...4 -o out.npz", 2, "a range to try such as 2..12, or auto"},
	{"learn t.npz -k 99999999999999999999 -o out.npz", 2, "give a number such as 8"},
	{"learn t.npz -k 5..2 -o out.npz", 2, "a range goes upwards: 2..5"},
	{"learn t.npz -k 0..2 -o out.npz", 2, "at least one part"},
	{"learn t.npz -k 2..2000000 -o out.npz", 2, "too large a model"},
	{"learn t.npz -k auto --shift 0 --starts 2 -o out.npz", 2, "a range to try such as --experts 2..12"},
	{"learn t.npz -k auto --rule max-minus-min --mode paper -o out.npz", 2, "cannot be combined with --mode paper"},
	{"learn t.npz -k auto --rule max-minus-min --method online -o out.npz", 2, "in batches"},
	{"learn t.npz -k 1..2 --take 1 -o out.npz", 2, "one image is too few: give the number"},
	{"learn t.npz new.npz", 2, "to write it say -o new.npz"},
	{"sample model.npz", 2, "name the model by -m model.npz"},
	{"sample -m model.npz 9", 2, "one word too many"},
	{"learn t.npz -k 1..2 --progress-picture p.png -o out.npz", 2, "not --experts 1..2"},
	{"learn t.npz --curve p.png" + learnK2, 2, "give --experts auto or a range"},
	{"learn t.npz -k 1..2 --curve p.gif -o out.npz", 2, ".png or .svg"},
	{"learn t.npz -k 1..2 --curve nowhere/p.png -o out.npz", 1, "create it first"},
	{"learn t.npz -k 2000000 -o out.npz", 2, "too large a model"},
	{"learn t.npz --rule means" + learnK2, 2, "did you mean mean"},
	{"learn t.npz --first-per hand" + learnK2, 2, `no metadata named "hand"; there is: `},
	{"learn t.npz --first-per writer:0" + learnK2, 2, "write it like writer"},
	{"learn t.npz --first-per writer:x" + learnK2, 2, "write it like writer"},
	{"learn t.npz --first-per ," + learnK2, 2, "lacks the name"},
	{"learn t.npz --first-per=" + learnK2, 2, "lacks the name"},
	{"learn t.npz --names {y}/{n}" + learnK2, 2, "leave --names out"},
	{"learn folder --names {y" + learnK2, 2, "a { without }"},
	{"learn folder --names {y}" + learnK2, 2, "without PNG, JPEG"},
	{"learn small.csv --transpose" + learnK2, 2, "--size HxW"},
	{"learn t.npz --mode fast" + learnK2, 2, "auto or paper"},
	{"learn t.npz --mode paper --init text" + learnK2, 2, "exclude each other"},
	{"learn t.npz --shift 24" + learnK2, 2, "out of the image"},
	{"learn t.npz --shift 3,24" + learnK2, 2, "out of the image"},
	{"learn t.npz --shift far" + learnK2, 2, "whole number of pixels"},
	{"learn t.npz --shift-step 0" + learnK2, 2, "give at least 1"},
	{"learn t.npz --rotate 24" + learnK2, 2, "RANGE:STEP"},
	{"learn t.npz --rotate 24:0" + learnK2, 2, "RANGE:STEP"},
	{"learn t.npz --rotate 180:0.0001" + learnK2, 2, "too many"},
	{"learn t.npz --rotate NaN:NaN" + learnK2, 2, "RANGE:STEP"},
	{"learn t.npz --shift 23 --rotate 180:1 -k 200 -o out.npz", 2, "too many candidates"},
	{"learn t.npz --starts 0" + learnK2, 2, "give at least 1"},
	{"learn t.npz --workers 0" + learnK2, 2, "at least 1"},
	{"learn t.npz --prior 1" + learnK2, 2, "ON:OFF"},
	{"learn t.npz --q 1.5" + learnK2, 2, "not a probability"},
	{"learn t.npz --until-ink 1" + learnK2, 2, "fraction"},
	{"learn t.npz --method batch --progress-picture p.png" + learnK2, 2, "--method batch"},
	{"learn t.npz --begin splits --progress-picture p.png" + learnK2, 2, "--start-from orders"},
	{"learn t.npz --picture p.gif" + learnK2, 2, ".png or .svg"},
	{"exact small.csv", 2, "-o OUT.npz is required"},
	{"exact small.csv -o out.csv", 2, ".csv is not a format that this command writes; choose .npz"},
	{"exact small.csv -o out.npz --report out.html", 2, "choose .txt, .csv"},
	{"exact small.csv -o out.npz --model out.npz", 2, "out.npz"},
	{"exact small.csv -o -", 2, "name a file"},
	{"exact small.csv --report - --json", 2, "both write to standard output"},
	{"exact small.csv -o out.npz --never-add", 2, "--never-add belongs to --exceptions"},
	{"exact small.csv -o out.npz --exceptions -1", 2, "give a price from 1"},
	{"exact small.csv -o out.npz --exceptions 9999999999", 2, "the price of an exception"},
	{"exact small.csv -o out.npz --prices 1,0,1", 2, "a whole number from 1"},
	{"exact small.csv -o out.npz --seconds -1", 2, "--seconds -1"},
	{"exact small.csv -o out.npz --steps 0", 2, "--steps 0: give at least 1"},
	{"exact small.csv -o out.npz --most-rows 0", 2, "at least 1"},
	{"exact small.csv -o out.npz --must nosuch.csv", 2, "nosuch.csv"},
	{"exact small.csv -o out.npz --must ragged.csv", 2, "each line is a row and a column"},
	{"exact small.csv -o out.npz --must empty.csv", 2, "no cells"},
	{"exact ragged.csv -o out.npz", 2, "ragged.csv"},
	{"explain -m model.npz t.npz --alpha 2", 2, "--alpha"},
	{"explain -m model.npz t.npz --max-picks 0", 2, "--max-picks"},
	{"explain -m model.npz t.npz --start warm", 2, "forced or empty"},
	{"explain -m bars-model.npz bars.npz --score truncated", 2, "max rule"},
	{"explain t.npz", 2, "-m MODEL is required"},
	{"explain -m model.npz t.npz --best 0", 2, "--best 0"},
	{"explain -m model.npz t.npz --best 9999999", 2, "1 to "},
	{"explain -m model.npz t.npz --best 3 --beam 0", 2, "--beam 0"},
	{"explain -m model.npz t.npz --best 3 --beam 9999999", 2, "1 to "},
	{"explain -m model.npz t.npz --beam 3", 2, "--beam belongs to --best"},
	{"explain -m model.npz t.npz --best 3 --start forced", 2, "--start forced exclude each other"},
	{"explain -m model.npz t.npz --best 3 --score mixed", 2, "--score mixed exclude each other"},
	{"explain -m model.npz t.npz --best 3 --refine", 2, "--refine exclude each other"},
	{"explain -m model.npz t.npz --best 3 --pursuit paper", 2, "--pursuit exclude each other"},
	{"explain -m model.npz t.npz --pursuit greedy", 2, "auto, refined or paper"},
	{"explain -m model.npz t.npz --pursuit paper --refine", 2, "give one of them"},
	{"score -m model.npz t.npz --refine=false --refine-threshold 2", 2, "--refine-threshold belongs to --pursuit refined"},
	{"explain -m model.npz t.npz --best 3 --min-gain 2", 2, "--min-gain exclude each other"},
	{"predict", 2, "no data"},
	{"predict -m model.npz t.npz", 2, "-o OUT is required"},
	{"predict -m model.npz t.npz -o out.txt", 2, ".csv or .npz"},
	{"predict -m model.npz t.npz -o out.csv --best 0", 2, "--best 0"},
	{"predict -m model.npz t.npz -o out.csv --workers 0", 2, "at least 1"},
	{"predict -m model.npz t.npz -o out.csv --refine", 2, "unknown flag"},
	{"predict t.npz -o out.csv", 2, "-m MODEL is required"},
	{"predict -m model.npz bars.npz -o out.csv", 2, "24 x 24"},
	{"score -m model.npz t.npz --hide 1", 2, "--hide 1"},
	{"score -m model.npz t.npz --hide NaN", 2, "--hide NaN"},
	{"score -m model.npz t.npz --seed 1", 2, "--seed belongs to --hide"},
	{"score -m model.npz t.npz --beam 1", 2, "--beam belongs to --hide"},
	{"score -m model.npz t.npz --hide 0.2 --by-column", 2, "for tables"},
	{"score -m bars-model.npz bars.npz --hide 0.0001", 2, "hide a larger share"},
	{"score -m model.npz t.npz -o -", 2, "name a file"},
	{"score -m model.npz t.npz -o rows.txt", 2, ".csv, .npz"},
	{"info", 2, "no model"},
	{"info missing.npz", 2, "missing.npz"},
	{"info model.npz missing.npz", 2, "missing.npz"},
	{"info model.npz bars.npz", 2, "24 x 24"},
	{"info model.npz t.npz --workers 0", 2, "at least 1"},
	{"draw", 2, "no model"},
	{"draw model.npz -m model.npz", 2, "one model"},
	{"draw model.npz -o out.pdf", 2, ".png or .svg"},
	{"sample -m model.npz -o out.jpg", 2, ".npz, .csv, .png or .svg"},
	{"learn t.npz -k 2 -o out.csv", 2, ".csv is not a format that this command writes; choose .npz"},
	{"sample -m model.npz -n 0", 2, "at least 1"},
	{"sample -m model.npz -n 99999999999", 2, "at most"},
	{"synth", 2, "the kind of set is missing"},
	{"synth circles", 2, "choose quadrants, bars, letters, scenes or sheet"},
	{"synth bars --n 0 -o out.npz", 2, "--n "},
	{"synth bars --n 10", 2, "-o FILE.npz is required"},
	{"synth bars --n 10 --flip 2 -o out.npz", 2, "--flip 2"},
	{"synth bars --n 10 --hide 2 -o out.npz", 2, "--hide 2"},
	{"synth letters --letters tt -o out.npz", 2, "--letters"},
	{"synth bars --n 999999999999 -o out.npz", 2, "--n "},
	{"synth scenes --n 2 --template-on 0.2 --template-off 0.5 -o out.npz", 2, "--template-o"},
	{"serve --addr 0.0.0.0:0", 2, "PATCHWORK_TOKEN"},
	{"serve --addr :8080", 2, "PATCHWORK_TOKEN"},
	{"serve --addr :8080 --no-token", 2, "PATCHWORK_TOKEN"},
	{"serve --addr [::]:0 --token short", 2, "at least 16"},
	{"serve --addr 127.0.0.1:0 --no-token --token 0123456789abcdef", 2, "exclude each other"},
	{"serve --addr 8080", 2, "HOST:PORT"},
	{"serve --addr 127.0.0.1:99999", 1, "--addr"},
	{"serve --addr 127.0.0.1:0 extra", 2, "extra"},
	{"serve --addr 127.0.0.1:0 --model missing.npz", 2, "missing.npz"},
	{"serve --addr 127.0.0.1:0 --model text.npz", 2, "text.npz"},
	{"serve --addr 127.0.0.1:0 --data missing.npz", 2, "missing.npz"},
	{"serve --addr 127.0.0.1:0 --data two.npy", 2, "--threshold"},
	{"serve --addr 127.0.0.1:0 --tls cert.pem", 2, "with a comma"},
	{"serve --addr 127.0.0.1:0 --tls .,.", 2, "is a file of at most"},
	{"report -m model.npz t.npz -o r.html --stability 4000000000", 2, "give 0 to 1000"},
	{"serve --addr 127.0.0.1:0 --tls text.npz,text.npz", 2, "--tls text.npz,text.npz"},
	{"serve --addr 127.0.0.1:0 --allow-host http://studio", 2, "without scheme"},
	{"serve --addr 127.0.0.1:0 --max-memory 70000", 2, "--max-memory 70000"},
	{"serve --addr 127.0.0.1:0 --max-time -1s", 2, "--max-time -1s"},
	{"serve --addr 127.0.0.1:0 --max-upload 1", 2, "at least 64KiB"},
	{"serve --addr 127.0.0.1:0 --max-jobs 2", 2, "--max-jobs 2"},

	// Data.
	{"learn missing.npz" + learnK2, 2, "missing.npz"},
	{"learn dangling" + learnK2, 2, "dangling"},
	{"learn t.npz/under" + learnK2, 2, "t.npz/under"},
	{"learn folder" + learnK2, 2, "folder"},
	{"learn truncated.npz" + learnK2, 2, "truncated.npz"},
	{"learn text.npz" + learnK2, 2, "text.npz"},
	{"learn empty.csv" + learnK2, 2, "empty.csv"},
	{"learn colour.npy" + learnK2, 2, "colour.npy"},
	{"learn two.npy" + learnK2, 2, "--threshold"},
	{"learn none.npy" + learnK2, 2, "none.npy"},
	{"learn ragged.csv" + learnK2, 2, "ragged.csv"},
	{"learn negative.npz" + learnK2, 2, "negative.npz"},
	{"learn t.npz bars.npz" + learnK2, 2, "bars.npz"},
	{"learn t.npz --array nosuch" + learnK2, 2, "nosuch"},
	{"learn t.npz --weight nosuch" + learnK2, 2, "nosuch"},
	{"learn t.npz --where y=Z" + learnK2, 2, "y=Z"},
	{"learn t.npz --where colour=red" + learnK2, 2, "colour"},
	{"learn t.npz --where y" + learnK2, 2, "y"},
	{"learn t.npz --take 0" + learnK2, 2, "selects nothing"},
	{"learn t.npz --skip 12" + learnK2, 2, "leaves nothing of 12"},
	{"learn t.npz --height 24" + learnK2, 2, "go together"},
	{"learn t.npz --labels t.npz --labels t.npz" + learnK2, 2, "label files"},
	{"learn small.csv --delimiter ,," + learnK2, 2, "one character"},

	// Models.
	{"explain -m missing.npz t.npz", 2, "missing.npz"},
	{"explain -m folder t.npz", 2, "is a folder"},
	{"explain -m truncated-model.npz t.npz", 2, "truncated-model.npz"},
	{"explain -m t.npz t.npz", 2, "t.npz"},
	{"info text.npz", 2, "text.npz"},
	{"explain -m model.npz bars.npz", 2, "5 x 5"},
	{"explain -m bars-model.npz wide.npz", 2, "--scene"},
	{"score -m model.npz bars.npz", 2, "24 x 24"},
	{"explain -m model.npz t.npz --shift 24", 2, "out of the image"},

	// Output.
	{"learn t.npz -k 2 -o no/such/out.npz", 1, "no/such"},
	{"learn t.npz -k 2 -o folder", 1, "is a folder"},
	{"learn t.npz -k 2 -o t.npz/out.npz", 1, "t.npz"},
	{"learn bars.npz -k 2 -o /dev/full", 1, "/dev/full"},
	{"explain -m model.npz t.npz -o /dev/full", 1, "/dev/full"},
	{"explain -m model.npz t.npz -o no/out", 1, "no"},
	{"predict -m model.npz t.npz -o no/out.csv", 1, "no"},
	{"predict -m model.npz t.npz -o folder/no/out.npz", 1, "folder/no"},
	{"synth bars --n 10 -o /dev/full", 1, "/dev/full"},
	{"demo -o t.npz", 1, "t.npz"},
}

func TestBadRequests(t *testing.T) {
	t.Chdir(t.TempDir())
	badInputs(t)
	before := listing(t, ".")
	for _, b := range bad {
		t.Run(b.line, func(t *testing.T) {
			if strings.Contains(b.line, "/dev/full") && !exists("/dev/full") {
				t.Skip("no /dev/full on this system")
			}
			o := patchworkCommand(t, fields(b.line)...)
			if o.code != b.code {
				t.Errorf("exit %d, want %d", o.code, b.code)
			}
			line, rest, _ := strings.Cut(o.err, "\n")
			if !strings.HasPrefix(line, "patchwork: ") || rest != "" {
				t.Errorf("stderr is not one line of ours: %q", o.err)
			}
			if strings.Count(line, "patchwork: ") > 1 {
				t.Errorf("the program's name comes twice: %q", line)
			}
			if !strings.Contains(line, b.says) {
				t.Errorf("%q does not mention %q", line, b.says)
			}
			if o.out != "" {
				t.Errorf("stdout has %q", o.out)
			}
			if after := listing(t, "."); after != before {
				t.Errorf("files were left: %s; before: %s", after, before)
			}
		})
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
