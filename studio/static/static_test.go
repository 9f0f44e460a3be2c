package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"encoding/json"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"example.com/patchwork/dataset"
	"example.com/patchwork/internal/recipe"
	"example.com/patchwork/internal/score/kernel"
	"example.com/patchwork/internal/testenv"
	"example.com/patchwork/learn"
	"example.com/patchwork/modelfile"
	"example.com/patchwork/studio"
)

// node runs a script of testdata.
func node(t *testing.T, args ...string) []byte {
	t.Helper()
	program, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not installed")
	}
	cmd := exec.CommandContext(t.Context(), program, args...)
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("node %s: %v\n%s", strings.Join(args, " "), err, &said)
	}
	return out
}

// built is the studio as WebAssembly, built once.
var built = sync.OnceValues(func() ([]byte, error) { return build(context.Background(), "test") })

func wasm(t *testing.T) []byte {
	t.Helper()
	testenv.Slow(t) // it compiles everything once more
	out, err := built()
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// builtin are the models that the page brings along, learned once.
var builtin = sync.OnceValues(func() (map[string][]byte, error) { return studio.Builtins(context.Background()) })

func builtins(t *testing.T) map[string][]byte {
	t.Helper()
	out, err := builtin()
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// mostBytes is what the page may come to on its way to a browser, compressed by gzip: with all learners, and reports.
const mostBytes = 5_600_000

// TestSize: what a browser loads, the page and all that stands for a server, is small once a host compresses it.
func TestSize(t *testing.T) {
	program := wasm(t)
	start, err := glue(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	files, err := pageFiles(studio.Page(), coreScript(slices.Concat(start, worker), program, builtins(t)))
	if err != nil {
		t.Fatal(err)
	}
	sum := 0
	for _, name := range []string{"index.html", "core.js"} {
		var packed bytes.Buffer
		w := gzip.NewWriter(&packed)
		w.Write(files[name])
		w.Close()
		t.Logf("%s: %d bytes, %d by gzip", name, len(files[name]), packed.Len())
		sum += packed.Len()
	}
	if sum > mostBytes {
		t.Errorf("%d bytes by gzip, more than %d: see what was added", sum, mostBytes)
	}
}

// TestImports: nothing of a server is inside, nor what is large; of what is embedded, reports have their templates.
func TestImports(t *testing.T) {
	list, err := goCommand(t.Context(), "list", "-deps", "-tags", "wasmsimd", program)
	if err != nil {
		t.Fatal(err)
	}
	for pkg := range strings.FieldsSeq(string(list)) {
		if regexp.MustCompile(
			`^(net|crypto/tls|html/template)$|^net/http|font|gonum/plot|parquet|arrow|protobuf`).MatchString(pkg) {
			t.Errorf("%s is inside", pkg)
		}
	}
}

// answer is an answer of the studio under node.
type answer struct {
	Status int
	Header map[string]string
	Body   string
}

// ask asks the studio under node.
func ask(t *testing.T, core []byte, requests []map[string]any) []answer {
	t.Helper()
	folder := t.TempDir()
	text, err := json.Marshal(requests)
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{"core.js": core, "requests.json": text} {
		if err := os.WriteFile(filepath.Join(folder, name), content, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	var out []answer
	lines := json.NewDecoder(bytes.NewReader(node(t, "testdata/ask.cjs", filepath.Join(folder, "core.js"),
		filepath.Join(folder, "requests.json"))))
	for range requests {
		var a answer
		if err := lines.Decode(&a); err != nil {
			t.Fatal(err)
		}
		body, err := base64.StdEncoding.DecodeString(a.Body)
		if err != nil {
			t.Fatal(err)
		}
		a.Body = string(body)
		out = append(out, a)
	}
	return out
}

// csvTable is a table with two groups of columns, and a cell that is not known.
func csvTable() string {
	rng, b := rand.New(rand.NewPCG(1, 2)), strings.Builder{}
	b.WriteString("site,a,b,c,d,e,f\n")
	for i := range 80 {
		row := []string{"s" + string(rune('A'+i%26)) + string(rune('0'+i/26))}
		left, right := rng.Float64() < 0.5, rng.Float64() < 0.5
		for x := range 6 {
			on := (x < 3 && left || x >= 3 && right) != (rng.Float64() < 0.03)
			row = append(row, map[bool]string{true: "1", false: "0"}[on])
		}
		if i == 7 {
			row[2] = ""
		}
		b.WriteString(strings.Join(row, ",") + "\n")
	}
	return b.String()
}

// TestSameBytes: what the page learns are the bytes that the command line writes, of drawings
// and of a table; its built-in models are those of the server.
func TestSameBytes(t *testing.T) {
	testenv.Slow(t)
	program := wasm(t)
	start, err := glue(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	models := builtins(t)
	learned := func(what string) map[string]any {
		return map[string]any{"method": "POST", "path": "/v1/learn", "kind": "application/json", "body": what}
	}
	done := func(id string) map[string]any {
		return map[string]any{"method": "GET", "path": "/v1/learn/" + id, "until": `"state":"done"`}
	}
	get := func(path string) map[string]any { return map[string]any{"method": "GET", "path": path} }
	answers := ask(t, coreScript(slices.Concat(start, worker), program, models), []map[string]any{
		get("/v1/models/letter-t/file"),
		learned(`{"data":"letters-t","take":10,"experts":2,"shift":14,"rotate":"24:6","seed":15}`), done("j1"),
		get("/v1/models/m1/file"), get("/v1/data/letters-t/file"),
		{"method": "POST", "path": "/v1/data", "query": [][]string{{"name", "sites.csv"}}, "kind": "application/octet-stream",
			"body": csvTable()},
		learned(`{"data":"d1","auto":true}`), done("j2"), get("/v1/models/m2/file"),
		get("/v1/models/m1/gallery.svg"), get("/v1/nothing"),
	})
	if answers[0].Body != string(models["letter-t"]) {
		t.Error("the built-in T is not that of the server")
	}
	if answers[3].Body != string(native(t, []byte(answers[4].Body), "", 0)) {
		t.Error("the T that the page learned has other bytes than the one learned here")
	}
	for i, status := range []int{200, 202, 200, 200, 200, 201, 202, 200, 200, 200, 404} {
		if answers[i].Status != status {
			t.Errorf("request %d: %d %.300s, want %d", i, answers[i].Status, answers[i].Body, status)
		}
	}
	if answers[8].Body != string(commanded(t, answers[7].Body)) {
		t.Error("the table that the page learned has other bytes than the command line's")
	}
	if !strings.HasPrefix(answers[9].Body, "<svg") {
		t.Errorf("a picture %.80q", answers[9].Body)
	}
}

// commanded returns the model that the command line of a job learns from the table.
func commanded(t *testing.T, job string) []byte {
	t.Helper()
	var j struct{ Command string }
	if err := json.Unmarshal([]byte(job), &j); err != nil ||
		!strings.HasPrefix(j.Command, "patchwork learn sites.csv -o model.npz") {
		t.Fatalf("%.300s: %v", job, err)
	}
	folder := t.TempDir()
	program := filepath.Join(folder, "patchwork")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", program,
		"example.com/patchwork/cmd/patchwork").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if err := os.WriteFile(filepath.Join(folder, "sites.csv"), []byte(csvTable()), 0o666); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), program, strings.Fields(j.Command)[1:]...)
	cmd.Dir = folder
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", j.Command, err, out)
	}
	model, err := os.ReadFile(filepath.Join(folder, "model.npz"))
	if err != nil {
		t.Fatal(err)
	}
	return model
}

// native learns the T of a data file here, as patchwork learn --experts 2 --shift 14 --rotate 24:6 --seed 15 does,
// with a method and a number of starts if they are not empty.
func native(t *testing.T, data []byte, method string, starts int) []byte {
	t.Helper()
	set, err := dataset.Decode(t.Context(), "data.npz", data, dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	set = set.Take(10) // as the requests do
	r := recipe.Recipe{Count: recipe.Count{Experts: 2}, Poses: recipe.Poses{Shift: 14, Rotate: "24:6"}, Seed: 15,
		Method: method, Starts: starts}
	plan, err := r.Plan(56, 56)
	if err != nil {
		t.Fatal(err)
	}
	m, err := learn.Learn(t.Context(), set.Data, plan.Config, plan.Learn)
	if err == nil {
		m, err = set.Describe(m)
	}
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if err := modelfile.Write(&file, m); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// TestStop: what learns in the page hears that it should stop, though there is one thread, and keeps the
// best so far, as the command line makes it; what is stopped before there is a model says so.
func TestStop(t *testing.T) {
	program, models := wasm(t), builtins(t)
	start, err := glue(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	begin := map[string]any{"method": "POST", "path": "/v1/learn", "kind": "application/json",
		"body": `{"data":"letters-t","take":10,"experts":2,"shift":14,"rotate":"24:6","seed":15,"method":"both","starts":100}`}
	stop := func(id string) map[string]any {
		return map[string]any{"method": "POST", "path": "/v1/learn/" + id + "/stop"}
	}
	get := func(path, until string) map[string]any {
		return map[string]any{"method": "GET", "path": path, "until": until}
	}
	answers := ask(t, coreScript(slices.Concat(start, worker), program, models), []map[string]any{
		begin, get("/v1/learn/j1", `"trial":([2-9]|1\d)`), stop("j1"), get("/v1/learn/j1", `"state":"stopped"`),
		get("/v1/models/m1/file", ""), get("/v1/data/letters-t/file", ""),
		begin, get("/v1/learn/j2", `"state":"running"`), stop("j2"), get("/v1/learn/j2", `"state":"(stopped|done)"`),
	})
	for i, status := range []int{202, 200, 200, 200, 200, 200, 202, 200, 200, 200} {
		if answers[i].Status != status {
			t.Fatalf("request %d: %d %.300s, want %d", i, answers[i].Status, answers[i].Body, status)
		}
	}
	var j struct {
		Trial          int
		Model, Command string
	}
	if err := json.Unmarshal([]byte(answers[3].Body), &j); err != nil || j.Model != "m1" || j.Trial >= 100 {
		t.Fatalf("stopped: %v, %.500s", err, answers[3].Body)
	}
	_, starts, _ := strings.Cut(j.Command, "--starts ")
	n, err := strconv.Atoi(strings.Fields(starts + " -")[0])
	if err != nil || n < 2 || n >= 100 {
		t.Fatalf("the command is %q", j.Command)
	}
	if answers[4].Body != string(native(t, []byte(answers[5].Body), "both", n)) {
		t.Errorf("the best so far has other bytes than %s makes", j.Command)
	}
	// Within the second that is left for it the first start may just come to a model.
	body := answers[9].Body
	kept, none := strings.Contains(body, `"model":"`), strings.Contains(body, "stopped before the first model")
	if !strings.Contains(body, `"state":"stopped"`) || kept == none {
		t.Errorf("stopped at once: %.500s", body)
	}
}

// TestStack: the vector code of the page adds up what kernel.Path.Stack does.
func TestStack(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	numbers := make([]int32, 700)
	for i := range numbers {
		numbers[i] = int32(rng.Uint32())
	}
	type job struct {
		Places, Sums []int32
	}
	var jobs []job
	for _, n := range []int{1, 2, 7, 100} {
		j, places := job{Sums: make([]int32, kernel.Lanes)}, kernel.Places{}
		for range n {
			at := rng.Int32N(int32(len(numbers) - kernel.Lanes + 1))
			j.Places = append(j.Places, at)
			places.Add(at)
		}
		kernel.Portable().Stack(j.Sums, numbers, &places)
		jobs = append(jobs, j)
	}
	text, err := json.Marshal(map[string]any{"simd": simdModule(), "worker": string(worker), "numbers": numbers,
		"jobs": jobs})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "jobs.json")
	if err := os.WriteFile(file, text, 0o666); err != nil {
		t.Fatal(err)
	}
	if out := node(t, "testdata/stack.cjs", file); string(out) != "as expected, with vectors and without\n" {
		t.Errorf("%s", out)
	}
}

// TestPageFiles: the page has its script and style inside, and a policy that names them.
func TestPageFiles(t *testing.T) {
	files, err := pageFiles(studio.Page(), []byte("core"))
	if err != nil {
		t.Fatal(err)
	}
	page := string(files["index.html"])
	script, style := regexp.MustCompile(`(?s)<script type="module">(.*)</script>\s*</body>`).FindStringSubmatch(page),
		regexp.MustCompile(`(?s)<style>(.*?)</style>`).FindStringSubmatch(page)
	if script == nil || style == nil || !strings.Contains(page, hash(script[1])) ||
		!strings.Contains(page, hash(style[1])) {
		t.Error("the policy does not name the script and the style")
	}
	for _, unwanted := range []string{`src="./assets`, "./icon.svg", `href="./assets`, "</script></script>"} {
		if strings.Contains(page, unwanted) {
			t.Errorf("the page has %s", unwanted)
		}
	}
	if !strings.Contains(page, "connect-src 'none'") || !strings.Contains(page, `<script src="./core.js"></script>`) {
		t.Error("the page may connect, or lacks its core")
	}
	if _, err := pageFiles(fstest.MapFS{"index.html": {Data: []byte("<p>")}, "icon.svg": {}, "licenses.txt": {}},
		nil); err == nil {
		t.Error("a page without a script is accepted")
	}
}

// TestText: a text of JavaScript has a character for each byte.
func TestText(t *testing.T) {
	all := make([]byte, 512)
	for i := range all {
		all[i] = byte(i)
	}
	file := filepath.Join(t.TempDir(), "core.js")
	if err := os.WriteFile(file, coreScript(nil, all, map[string][]byte{"a-b": []byte(`"\`)}), 0o666); err != nil {
		t.Fatal(err)
	}
	out := node(t, "-e", `(0,eval)(require("fs").readFileSync(process.argv[1],"utf8"));const c=globalThis.patchworkCore;console.log(Buffer.from(c.studio,"latin1").toString("hex"),c.models["a-b"])`, file)
	want := ""
	for _, b := range all {
		want += string("0123456789abcdef"[b>>4]) + string("0123456789abcdef"[b&15])
	}
	if got := strings.TrimSpace(string(out)); got != want+` "\` {
		t.Errorf("%.200s", got)
	}
}
