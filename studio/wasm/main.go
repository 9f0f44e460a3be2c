//go:build js

// Wasm is the studio without a server: the program that answers the page from one of the
// page's own workers. The page sends a message for each request, and gets one
// for its answer; what they hold says studio/web/src/local.ts.
package main

import (
	"context"
	"runtime/debug"
	"syscall/js"
	"time"

	"example.com/patchwork/studio"
)

// version is that of the program; the linker sets it.
var version = "(devel)"

// restPause is how long work may go on before messages are read again.
const restPause = 100 * time.Millisecond

func main() {
	debug.SetGCPercent(400) // one thread collects and works
	rested := time.Now()
	desk, err := studio.NewDesk(studio.Options{Version: version,
		Limits: studio.Limits{Time: 10 * time.Minute}, Made: made(js.Global().Get("patchworkModels")),
		Rest: func() {
			if time.Since(rested) > restPause {
				time.Sleep(time.Millisecond) // lets the worker read its messages
				rested = time.Now()
			}
		}})
	if err != nil {
		panic(err)
	}
	js.Global().Set("onmessage", js.FuncOf(func(_ js.Value, args []js.Value) any {
		m := args[0].Get("data")
		call := callOf(m)
		go func() { send(m.Get("id").Int(), desk.Answer(context.Background(), call)) }()
		return nil
	}))
	post(map[string]any{"ready": true})
	select {}
}

// made returns the files of models that the page brings along.
func made(models js.Value) map[string][]byte {
	out := map[string][]byte{}
	if !models.Truthy() {
		return out
	}
	ids := js.Global().Get("Object").Call("keys", models)
	for i := range ids.Length() {
		id := ids.Index(i).String()
		out[id] = bytesOf(models.Get(id))
	}
	return out
}

// callOf returns the request of a message.
func callOf(m js.Value) *studio.Call {
	c := &studio.Call{Method: m.Get("method").String(), Path: m.Get("path").String(), Kind: m.Get("kind").String(),
		Query: map[string][]string{}, Body: bytesOf(m.Get("body"))}
	query := m.Get("query")
	for i := range query.Length() {
		name := query.Index(i).Index(0).String()
		c.Query[name] = append(c.Query[name], query.Index(i).Index(1).String())
	}
	if files := m.Get("files"); files.Truthy() {
		c.Files = []studio.File{}
		for i := range files.Length() {
			f := files.Index(i)
			c.Files = append(c.Files, studio.File{Path: f.Get("path").String(), Content: bytesOf(f.Get("content"))})
		}
	}
	return c
}

// send posts an answer.
func send(id int, a *studio.Answer) {
	header := map[string]any{}
	for name, value := range a.Header {
		header[name] = value
	}
	post(map[string]any{"id": id, "status": a.Status, "header": header, "body": arrayOf(a.Body)})
}

func post(message map[string]any) { js.Global().Call("postMessage", message) }

func bytesOf(v js.Value) []byte {
	if !v.Truthy() {
		return nil
	}
	out := make([]byte, v.Length())
	js.CopyBytesToGo(out, v)
	return out
}

func arrayOf(content []byte) js.Value {
	out := js.Global().Get("Uint8Array").New(len(content))
	js.CopyBytesToJS(out, content)
	return out
}
