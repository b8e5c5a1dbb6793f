package gateway

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"runtime"
	"testing"

	"screentest/server/upstream"
	"screentest/shared/gateway"
)

// BenchmarkStreamMemory is what one open stream holds: connection, buffers and
// the goroutines of net/http. The peer holds one socket for each and no more.
func BenchmarkStreamMemory(b *testing.B) {
	const streams = 200
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		var conns []net.Conn
		defer func() {
			for _, c := range conns {
				c.Close()
			}
		}()
		in := bufio.NewReaderSize(nil, 4096)
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			conns = append(conns, conn)
			in.Reset(conn)
			if _, err := http.ReadRequest(in); err != nil {
				return
			}
			fmt.Fprint(conn, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\na\r\ndata: {}\n\n\r\n")
		}
	}()
	c, err := New("http://"+ln.Addr().String(), Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer c.Close()
	use := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc + m.StackInuse
	}
	for b.Loop() {
		before := use()
		open := make([]*upstream.Reply, streams)
		buf := make([]byte, 4096)
		for i := range open {
			if open[i], err = c.Stream(b.Context(), "key", gateway.Chat, []byte(testBody)); err != nil {
				b.Fatal(err)
			}
			if _, err = open[i].Body.Read(buf); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(use()-before)/streams/1024, "KiB/stream")
		for _, r := range open {
			r.Body.Close()
		}
	}
	ln.Close()
	<-gone
}
