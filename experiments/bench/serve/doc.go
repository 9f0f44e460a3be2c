// Package serve measures the load that a patchwork server can take, and attacks it:
//
//	go test ./experiments/bench/serve -run Held -v -timeout 30m -args -hold 10m
//	go test ./experiments/bench/serve -run Attack -v -timeout 30m -args -attack 10m
//
// The first sends POST /v1/explain at rising rates until the server no longer keeps up, holds the
// highest rate that it kept up with for some minutes, and then sends twice as many requests, which
// must be answered by 503 and nothing worse. In the second a server with 4 GB of addresses and
// GOMEMLIMIT=1GiB is attacked in every way that is known, while a client with good manners must be
// answered.
//
// The server is a process of its own on this machine, so the load uses a part of the
// processors that it measures.
package serve
