//go:build !slim

package main

import (
	"crypto/rand"
	"crypto/tls"
	"fmt"
	"log/slog"
	"math"
	"net"
	"net/netip"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"example.com/patchwork/studio"
	"example.com/patchwork/workbench"
)

// serveFlags are the flags of serve.
type serveFlags struct {
	data                 dataFlags
	models, files, hosts []string
	addr, token, tls     string
	keep                 string
	noLearn, noUpload    bool
	open, noToken        bool
	random               bool // the token is one that was made here
	limits               studio.Limits
}

const serveLong = `Serve models over HTTP: an API that explains, scores, samples and learns, and a page
that uses it. Open the printed address in a browser.

Models and data are named in any order; data are read as those were that a model was
learned from. Where none are named the server learns built-in models. /openapi.json
describes the API, docs/serve.md shows it by example, /healthz and /readyz are for
supervisors.

The server listens to this machine alone, and every request needs a token, which
is part of the printed address: other users of the machine have none. Programs send
it as the header Authorization: Bearer TOKEN. PATCHWORK_TOKEN in the environment sets
it, and so does --token, which others can see; any other --addr requires one of them.
Requests beyond the limits below are refused. Nothing leaves the machine, and nothing
is written to disk but the models of --keep. The first interrupt lets requests in
progress finish.`

const serveExample = `  patchwork serve
  patchwork serve model.npz t.npz --open
  patchwork serve --model model.npz --data t.npz --addr 127.0.0.1:9000
  PATCHWORK_TOKEN=... patchwork serve --addr :8443 --tls cert.pem,key.pem --allow-host studio.example.org`

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
	fs.StringArrayVarP(&f.models, "model", "m", nil,
		"model file to serve, as a name without a flag is, too; may be repeated")
	fs.StringArrayVar(&f.files, "data", nil, "data file to serve, likewise; may be repeated")
	fs.BoolVar(&f.open, "open", false, "open the page in the browser")
	fs.StringVar(&f.addr, "addr", "127.0.0.1:8080", "address to listen to; port 0 takes a free one")
	fs.StringVar(&f.token, "token", "",
		"token that requests must send (default: PATCHWORK_TOKEN of the environment, else a random one)")
	fs.BoolVar(&f.noToken, "no-token", false,
		"ask for no token: any user of this machine can then read the tables and rename the parts")
	fs.StringSliceVar(&f.hosts, "allow-host", nil, "host name of the server, besides localhost and IP addresses")
	fs.StringVar(&f.tls, "tls", "", "`CERT,KEY`: files (PEM) of a certificate and its key, for HTTPS")
	fs.BoolVar(&f.noLearn, "no-learn", false, "do not learn on request")
	fs.BoolVar(&f.noUpload, "no-upload", false, "do not accept uploads of models and data")
	fs.StringVar(&f.keep, "keep", "",
		"`DIR`: write the models that are learned or opened there, and list them again after a restart")
	everyday(cmd, "model data addr open keep token no-learn no-upload")
	f.data.addThreshold(fs, "of --data: ")
	f.data.addSize(fs, "of --data: ")
	fs.StringVar(&f.data.array, "array", "",
		"array of --data .npz files that holds the images (default x, or the only one)")
	f.limits = studio.Limits{}.WithDefaults()
	fs.Var((*byteSize)(&f.limits.Upload), "max-upload",
		"of a model or data file; other requests and their images in proportion")
	fs.Var((*byteSize)(&f.limits.Memory), "max-memory",
		"of all that the server keeps: models, data, searches, requests and answers")
	fs.IntVar(&f.limits.Jobs, "max-jobs", f.limits.Jobs,
		"learning jobs kept, finished ones too; models and data sets in proportion")
	fs.DurationVar(&f.limits.Time, "max-time", f.limits.Time,
		"of one request, waiting included; a learning job has 20 times as long")
}

func (a *app) serve(cmd *cobra.Command, f *serveFlags) error {
	opt, err := a.serveOptions(cmd, f)
	if err != nil {
		return err
	}
	cert, key, err := f.certificate()
	if err != nil {
		return err
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
	keepTo(2 * f.limits.Memory)
	return s.Serve(cmd.Context(), ln, cert, key)
}

// certificate returns the files of --tls, which can be loaded; "" without the flag.
func (f *serveFlags) certificate() (cert, key string, err error) {
	if f.tls == "" {
		return "", "", nil
	}
	cert, key, ok := strings.Cut(f.tls, ",")
	if !ok {
		return "", "", usagef("--tls %s: give two files, a certificate and its key, with a comma between them", f.tls)
	}
	if _, err := tls.LoadX509KeyPair(cert, key); err != nil {
		return "", "", &inputError{fmt.Errorf("--tls %s: %w", f.tls, err)}
	}
	return cert, key, nil
}

// keepTo tells Go to keep to so many bytes beside what the process has already, unless GOMEMLIMIT says how many:
// it then collects garbage more often before it takes more.
func keepTo(bytes int64) {
	if debug.SetMemoryLimit(-1) != math.MaxInt64 {
		return
	}
	var now runtime.MemStats
	runtime.ReadMemStats(&now)
	debug.SetMemoryLimit(int64(now.HeapAlloc) + bytes)
}

// saySite prints and returns the address of the page, with the token if it is a random one, and says
// how programs send the token. The page takes it from the fragment, which no browser sends.
func (a *app) saySite(addr net.Addr, f *serveFlags, opt *studio.Options) (string, error) {
	scheme, token, at := "http", "$PATCHWORK_TOKEN", ""
	if f.tls != "" {
		scheme = "https"
	}
	if f.random {
		token, at = opt.Token, "token="+opt.Token
	}
	switch { // where a person goes on; a model of drawings is drawn for
	case slices.ContainsFunc(opt.Models, func(m studio.NamedModel) bool { return m.Model.Table() }):
		at += "/rows"
	case len(opt.Models) == 0 && len(opt.Data) > 0:
		at += "/learn"
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
	return page, a.say(a.out, "every request needs the token: curl -H \"Authorization: Bearer %s\" %sv1/models", token,
		site)
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
	opt := studio.Options{Version: version(), Token: f.token, Hosts: f.hosts, NoLearn: f.noLearn, NoUpload: f.noUpload,
		Keep:      f.keep,
		Limits:    f.limits,
		NoBuiltin: len(f.models)+len(f.files) > 0}
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
	if err := f.limits.Check(); err != nil {
		return opt, usagef("--%v", err)
	}
	for _, path := range f.models {
		m := studio.NamedModel{Name: strings.TrimSuffix(filepath.Base(path), ".npz")}
		if m.Model, err = everyColumn(load(path)); err != nil {
			return opt, err
		}
		if _, classes := m.Model.(workbench.Classes); classes {
			return opt, notClasses(path)
		}
		opt.Models = append(opt.Models, m)
	}
	for _, path := range f.files {
		d := studio.NamedData{Name: filepath.Base(path), Args: f.data.args(cmd)}
		if d.Set, err = f.readData(cmd, path, opt.Models); err != nil {
			return opt, err
		}
		opt.Data = append(opt.Data, d)
	}
	opt.Log = a.logger()
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
// somebody sits before it.
func (a *app) logger() *slog.Logger {
	level := slog.LevelInfo
	if a.quiet || a.errTerminal {
		level = slog.LevelWarn
	}
	return slog.New(slog.NewTextHandler(a.err, &slog.HandlerOptions{Level: level}))
}

// shortestToken is the least length of a token, against guessing.
const shortestToken = 16

// check returns an error if serving so would be unsafe or impossible.
func (f *serveFlags) check(token string) error {
	host, port, err := net.SplitHostPort(f.addr)
	switch {
	case err != nil || port == "":
		return usagef("--addr %s: give HOST:PORT, such as 127.0.0.1:8080, or :8080 for all addresses of this machine", f.addr)
	case token != "" && f.noToken:
		return usagef("--token and --no-token exclude each other")
	case strings.ContainsAny(token, " \t\r\n"):
		return usagef("the token contains a blank; use letters and digits")
	case token == "" && !loopback(host):
		return usagef("--addr %s admits other machines; set the token that they must send, PATCHWORK_TOKEN in the "+
			"environment, or use 127.0.0.1", f.addr)
	case token != "" && len(token) < shortestToken:
		return usagef("the token has %d characters; use at least %d, such as the output of: openssl rand -hex 16", len(token),
			shortestToken)
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
