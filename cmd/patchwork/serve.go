//go:build !slim

package main

import (
	"crypto/rand"
	"crypto/tls"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"example.com/patchwork/studio"
)

// serveFlags are the flags of serve.
type serveFlags struct {
	data                         dataFlags
	models, files, hosts         []string
	addr, token, tlsCert, tlsKey string
	noLearn, noUpload, noBuiltin bool
	open, noToken                bool
	random                       bool // the token is one that was made here
	log                          choice
	limits                       limitFlags
}

// limitFlags are the limits of the server; 0 means the default.
type limitFlags struct {
	body, upload, flight, answers, modelMemory, searchMemory, dataMemory    byteSize
	pixels, batch, samples, concurrent, queue, models, data, jobs, learning int
	candidates, templates, effort                                           int
	learnImages, streams                                                    int
	time, readTime, writeTime, learnTime                                    time.Duration
}

const serveLong = `Serve models over HTTP: an API that explains, scores, samples and learns, and a page
that uses it. Open the printed address in a browser.

Models and data are named in any order; data are read as those were that a model was
learned from. The server also learns built-in models when it starts. /openapi.json
describes the API, docs/serve.md shows it by example, /healthz and /readyz are for
supervisors and /metrics is for Prometheus.

The server listens to this machine alone, and every request needs a token, which
is part of the printed address: other users of the machine have none. Programs send
it as the header Authorization: Bearer TOKEN. PATCHWORK_TOKEN in the environment sets
it, and so does --token, which others can see; any other --addr requires one of them.
Requests beyond the limits below are refused. Nothing is written to disk, and
nothing leaves the machine. The first interrupt lets requests in progress finish.`

const serveExample = `  patchwork serve
  patchwork serve model.npz t.npz --open
  patchwork serve --model model.npz --data t.npz --addr 127.0.0.1:9000
  PATCHWORK_TOKEN=... patchwork serve --addr :8443 --tls-cert cert.pem --tls-key key.pem --allow-host studio.example.org`

func (a *app) serveCommand() *cobra.Command {
	f := new(serveFlags)
	cmd := &cobra.Command{
		Use:     "serve [MODEL|FILE]... [--open] [--addr HOST:PORT]",
		Short:   "Serve models over HTTP, with a page to explore and learn them",
		Long:    serveLong,
		Example: serveExample,
		RunE: func(cmd *cobra.Command, args []string) error {
			f.sort(args)
			return a.serve(cmd, f)
		},
	}
	f.add(cmd)
	return cmd
}

func (f *serveFlags) add(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.StringArrayVarP(&f.models, "model", "m", nil, "model file to serve, as a name without a flag is, too; may be repeated")
	fs.StringArrayVar(&f.files, "data", nil, "data file to serve, likewise; may be repeated")
	fs.BoolVar(&f.open, "open", false, "open the page in the browser")
	fs.StringVar(&f.addr, "addr", "127.0.0.1:8080", "address to listen to; port 0 takes a free one")
	fs.StringVar(&f.token, "token", "", "token that requests must send (default: PATCHWORK_TOKEN of the environment, else a random one)")
	fs.BoolVar(&f.noToken, "no-token", false, "ask for no token: any user of this machine can then read the tables and rename the parts")
	fs.StringSliceVar(&f.hosts, "allow-host", nil, "host name of the server, besides localhost and IP addresses")
	fs.StringVar(&f.tlsCert, "tls-cert", "", "certificate (PEM), for HTTPS, with --tls-key")
	fs.StringVar(&f.tlsKey, "tls-key", "", "its key (PEM)")
	fs.BoolVar(&f.noLearn, "no-learn", false, "do not learn on request")
	fs.BoolVar(&f.noUpload, "no-upload", false, "do not accept uploads of models and data")
	fs.BoolVar(&f.noBuiltin, "no-builtin", false, "without the built-in models")
	f.log.add(cmd, "log", "auto", "form of the log on stderr: a line per request as text or json, or none; auto: text, on a terminal warnings only", "auto", "text", "json", "none")
	f.data.addThreshold(fs, "of --data: ")
	f.data.addSize(fs, "of --data: ")
	fs.StringVar(&f.data.array, "array", "", "array of --data .npz files that holds the images (default x, or the only one)")
	f.limits.add(cmd)
}

func (l *limitFlags) add(cmd *cobra.Command) {
	fs, d := cmd.Flags(), studio.Limits{}.WithDefaults()
	l.body, l.upload, l.flight, l.answers = byteSize(d.BodyBytes), byteSize(d.UploadBytes), byteSize(d.FlightBytes), byteSize(d.AnswerBytes)
	l.modelMemory, l.searchMemory, l.dataMemory = byteSize(d.ModelBytes), byteSize(d.SearchBytes), byteSize(d.DataBytes)
	fs.Var(&l.body, "max-body", "of a request that is no upload")
	fs.Var(&l.upload, "max-upload", "of a model or data file")
	fs.Var(&l.flight, "max-flight", "of all request bodies at one time")
	fs.Var(&l.answers, "max-answers", "of one answer, and of all that are made or not read yet")
	fs.Var(&l.modelMemory, "max-model-memory", "of all uploaded and learned models")
	fs.Var(&l.searchMemory, "max-search-memory", "approximately, of what is kept to explain the next request faster")
	fs.Var(&l.dataMemory, "max-data-memory", "of all uploaded data sets, their images packed")
	fs.IntVar(&l.pixels, "max-pixels", d.Pixels, "of one image")
	fs.IntVar(&l.batch, "max-batch", d.Batch, "images in one request")
	fs.IntVar(&l.samples, "max-samples", d.Samples, "in one request")
	fs.IntVar(&l.candidates, "max-candidates", d.Candidates, "parts x poses of an uploaded or learned model")
	fs.IntVar(&l.templates, "max-templates", d.Templates, "numbers of its templates, rotations counted")
	fs.IntVar(&l.effort, "max-effort", d.Effort, "its candidates x pixels")
	fs.IntVar(&l.concurrent, "max-concurrent", d.Concurrent, "requests in progress at one time")
	fs.IntVar(&l.queue, "max-queue", d.Queue, "requests that wait; further ones are answered 503")
	fs.IntVar(&l.models, "max-models", d.Models, "uploaded and learned models kept")
	fs.IntVar(&l.data, "max-data", d.Data, "uploaded data sets kept")
	fs.IntVar(&l.jobs, "max-jobs", d.Jobs, "learning jobs kept, finished ones too")
	fs.IntVar(&l.learning, "max-learn-queue", d.LearnQueue, "learning jobs that wait")
	fs.IntVar(&l.learnImages, "max-learn-images", d.LearnImages, "images in one learning job")
	fs.IntVar(&l.streams, "max-streams", d.Streams, "event streams open at one time")
	fs.DurationVar(&l.time, "max-time", d.Time, "of one request, waiting included")
	fs.DurationVar(&l.readTime, "max-read-time", d.ReadTime, "in which a request's body must arrive")
	fs.DurationVar(&l.writeTime, "max-write-time", d.WriteTime, "in which a client must take 64 KB of an answer")
	fs.DurationVar(&l.learnTime, "max-learn-time", d.LearnTime, "of one learning job, which then ends with its best model")
}

// limits returns the flags as limits of the server. None may be 0, which would mean
// the default.
func (l *limitFlags) limits(cmd *cobra.Command) (studio.Limits, error) {
	for _, f := range []struct {
		name  string
		value int64
	}{
		{"max-body", int64(l.body)}, {"max-upload", int64(l.upload)}, {"max-flight", int64(l.flight)}, {"max-answers", int64(l.answers)}, {"max-data-memory", int64(l.dataMemory)},
		{"max-model-memory", int64(l.modelMemory)}, {"max-search-memory", int64(l.searchMemory)},
		{"max-pixels", int64(l.pixels)}, {"max-batch", int64(l.batch)},
		{"max-candidates", int64(l.candidates)}, {"max-templates", int64(l.templates)}, {"max-effort", int64(l.effort)}, {"max-samples", int64(l.samples)}, {"max-concurrent", int64(l.concurrent)},
		{"max-queue", int64(l.queue)}, {"max-models", int64(l.models)}, {"max-data", int64(l.data)}, {"max-jobs", int64(l.jobs)},
		{"max-learn-queue", int64(l.learning)}, {"max-learn-images", int64(l.learnImages)}, {"max-streams", int64(l.streams)},
		{"max-time", int64(l.time)}, {"max-read-time", int64(l.readTime)}, {"max-write-time", int64(l.writeTime)}, {"max-learn-time", int64(l.learnTime)},
	} {
		if f.value < 1 {
			return studio.Limits{}, usagef("--%s %v: a limit must be above 0", f.name, cmd.Flag(f.name).Value)
		}
	}
	if l.jobs <= l.learning+1 {
		return studio.Limits{}, usagef("--max-jobs %d: give more than the number of jobs that run and wait, %d", l.jobs, l.learning+1)
	}
	return studio.Limits{BodyBytes: int64(l.body), UploadBytes: int64(l.upload), FlightBytes: int64(l.flight), AnswerBytes: int64(l.answers), DataBytes: int64(l.dataMemory),
		ModelBytes: int64(l.modelMemory), SearchBytes: int64(l.searchMemory),
		Pixels: l.pixels, Candidates: l.candidates, Templates: l.templates, Effort: l.effort, Batch: l.batch, Samples: l.samples, Concurrent: l.concurrent, Queue: l.queue, Models: l.models, Data: l.data,
		Jobs: l.jobs, LearnQueue: l.learning, LearnImages: l.learnImages, Streams: l.streams,
		Time: l.time, ReadTime: l.readTime, WriteTime: l.writeTime, LearnTime: l.learnTime}, nil
}

// mostTLS bounds the bytes of a certificate or key.
const mostTLS = 1 << 20

func (a *app) serve(cmd *cobra.Command, f *serveFlags) error {
	opt, err := a.serveOptions(cmd, f)
	if err != nil {
		return err
	}
	if f.tlsCert != "" {
		for _, file := range []string{f.tlsCert, f.tlsKey} { // they are read whole
			if info, err := os.Stat(file); err == nil && (!info.Mode().IsRegular() || info.Size() > mostTLS) {
				return &inputError{fmt.Errorf("%s: a certificate or key is a file of at most %d bytes", file, mostTLS)}
			}
		}
		if _, err := tls.LoadX509KeyPair(f.tlsCert, f.tlsKey); err != nil {
			return &inputError{fmt.Errorf("--tls-cert %s, --tls-key %s: %w", f.tlsCert, f.tlsKey, err)}
		}
	}
	ln, err := (&net.ListenConfig{}).Listen(cmd.Context(), "tcp", f.addr)
	if err != nil {
		return fmt.Errorf("listen to %s: %w; choose another with --addr", f.addr, underlying(err))
	}
	defer ln.Close()
	s, err := studio.New(opt)
	if err != nil {
		return request(err)
	}
	defer s.Close()
	site, err := a.saySite(ln.Addr(), f, &opt)
	if err != nil {
		return err
	}
	if f.open {
		if err := a.browse(site); err != nil {
			a.warn("%v; open %s in one", err, site)
		}
	}
	return s.Serve(cmd.Context(), ln, f.tlsCert, f.tlsKey)
}

// saySite prints and returns the address of the page, with the token if it is a random one, and says
// how programs send the token. The page takes it from the fragment, which no browser sends.
func (a *app) saySite(addr net.Addr, f *serveFlags, opt *studio.Options) (string, error) {
	scheme, token, at := "http", "$PATCHWORK_TOKEN", ""
	if f.tlsCert != "" {
		scheme = "https"
	}
	if f.random {
		token, at = opt.Token, "token="+opt.Token
	}
	if len(opt.Real)+len(opt.Values) > 0 {
		at += "/values"
	}
	site := fmt.Sprintf("%s://%s/", scheme, reachable(addr))
	page := site
	if at != "" {
		page += "#" + at
	}
	if _, err := fmt.Fprintf(a.out, "serving at %s\n", page); err != nil {
		return page, err
	}
	if opt.Token == "" {
		return page, a.say(a.out, "without a token: any user of this machine can read the tables and rename the parts")
	}
	return page, a.say(a.out, "every request needs the token: curl -H \"Authorization: Bearer %s\" %sv1/models", token, site)
}

// reachable returns an address that a browser on this machine can open.
func reachable(addr net.Addr) string {
	at, err := netip.ParseAddrPort(addr.String())
	if err == nil && at.Addr().IsUnspecified() {
		return fmt.Sprintf("localhost:%d", at.Port())
	}
	return addr.String()
}

// serveOptions reads the models and data and checks the flags.
func (a *app) serveOptions(cmd *cobra.Command, f *serveFlags) (studio.Options, error) {
	opt := studio.Options{Version: version(), Token: f.token, Hosts: f.hosts, NoLearn: f.noLearn, NoUpload: f.noUpload, NoBuiltin: f.noBuiltin}
	if !cmd.Flags().Changed("token") && !f.noToken {
		opt.Token = a.getenv("PATCHWORK_TOKEN")
	}
	err := f.check(opt.Token)
	if err != nil {
		return opt, err
	}
	if f.random = opt.Token == "" && !f.noToken; f.random {
		opt.Token = rand.Text()
	}
	if opt.Limits, err = f.limits.limits(cmd); err != nil {
		return opt, err
	}
	var bits []string
	if bits, err = f.readReal(cmd, &opt); err != nil {
		return opt, err
	}
	for _, path := range f.models {
		if isReal(path) {
			continue
		}
		m, err := loadModel(path)
		if err != nil {
			return opt, err
		}
		opt.Models = append(opt.Models, studio.NamedModel{Name: strings.TrimSuffix(filepath.Base(path), ".npz"), Model: m})
	}
	for _, path := range bits {
		set, err := f.readData(cmd, path, opt.Models)
		if v := f.plainlyReal(cmd, err, path); v != nil {
			f.addValues(cmd, &opt, path, v)
			continue
		}
		if err != nil {
			return opt, err
		}
		opt.Data = append(opt.Data, studio.NamedData{Name: filepath.Base(path), Set: set, Args: f.data.args(cmd)})
	}
	opt.Log = a.logger(f.log.value)
	return opt, nil
}

// args returns the flags of serve that say how data are read.
func (f *dataFlags) args(cmd *cobra.Command) []string {
	var out []string
	for _, name := range []string{"array", "threshold"} {
		if flag := cmd.Flags().Lookup(name); flag.Changed {
			out = append(out, "--"+name, flag.Value.String())
		}
	}
	return out
}

// logger returns the log of a server, on stderr: of warnings only if it is quiet, or if
// somebody sits before it and asked for no form.
func (a *app) logger(form string) *slog.Logger {
	level := slog.LevelInfo
	if a.quiet || form == "auto" && a.errTerminal {
		level = slog.LevelWarn
	}
	o := &slog.HandlerOptions{Level: level}
	switch form {
	case "json":
		return slog.New(slog.NewJSONHandler(a.err, o))
	case "none":
		return slog.New(slog.DiscardHandler)
	}
	return slog.New(slog.NewTextHandler(a.err, o))
}

// shortestToken is the least length of a token, against guessing.
const shortestToken = 16

// check returns an error if serving so would be unsafe or impossible.
func (f *serveFlags) check(token string) error {
	host, port, err := net.SplitHostPort(f.addr)
	switch {
	case err != nil || port == "":
		return usagef("--addr %s: give HOST:PORT, such as 127.0.0.1:8080, or :8080 for all addresses of this machine", f.addr)
	case (f.tlsCert == "") != (f.tlsKey == ""):
		return usagef("--tls-cert and --tls-key go together")
	case token != "" && f.noToken:
		return usagef("--token and --no-token exclude each other")
	case strings.ContainsAny(token, " \t\r\n"):
		return usagef("the token contains a blank; use letters and digits")
	case token == "" && !loopback(host):
		return usagef("--addr %s admits other machines; set the token that they must send, PATCHWORK_TOKEN in the environment, or use 127.0.0.1", f.addr)
	case token != "" && len(token) < shortestToken:
		return usagef("the token has %d characters; use at least %d, such as the output of: openssl rand -hex 16", len(token), shortestToken)
	}
	for _, h := range f.hosts {
		if h == "" || strings.ContainsAny(h, "/: *") {
			return usagef("--allow-host %q: give a name such as studio.example.org, without scheme and port", h)
		}
	}
	return nil
}

// loopback reports whether an address is for this machine alone.
func loopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.IsLoopback()
}
