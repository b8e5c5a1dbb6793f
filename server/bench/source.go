package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"time"

	"screentest/server/e2e/rig"
)

// sourceCommand is the argument with which this program is the source.
const sourceCommand = "source"

// startSource starts the gateway that everything reads, as a process of its
// own. It does nothing but send: ready-made chunks of chat, one write to the
// network for each, to 0.1 ms of their time and with the time of sending in them.
func startSource(ctx context.Context) (*rig.Program, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return rig.Start(ctx, self, nil, sourceCommand)
}

// serveSource is the source's process. It returns only with an error.
func serveSource() error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	p := newPacer()
	go p.run()
	fmt.Printf("the source is ready: http://%s\n", l.Addr())
	for {
		c, err := l.Accept()
		if err != nil {
			return err
		}
		go func() {
			defer c.Close()
			if err := answerAll(c, p); err != nil {
				fmt.Fprintln(os.Stderr, "source:", err)
			}
		}()
	}
}

// answerAll answers the requests of a connection, one after the other.
func answerAll(c net.Conn, pace *pacer) error {
	in := bufio.NewReader(c)
	for {
		req, err := http.ReadRequest(in)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		body, err := io.ReadAll(req.Body)
		if err != nil {
			return err
		}
		plan, err := planOf(body)
		if req.Method != http.MethodPost || err != nil {
			if _, err := io.WriteString(c, "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"); err != nil {
				return err
			}
			continue
		}
		if err := answer(c, plan, pace); err != nil {
			return err
		}
	}
}

// answer sends a reply: its head with the first chunk, the chunks, the end.
func answer(c net.Conn, plan plan, pace *pacer) error {
	f := newFrame()
	if _, err := c.Write(append([]byte(replyHead), f.stamped(time.Now())...)); err != nil {
		return err
	}
	if plan.rate > 0 {
		if err := pace.send(c, plan); err != nil {
			return err
		}
	} else {
		for range plan.chunks - 1 {
			if _, err := c.Write(f.stamped(time.Now())); err != nil {
				return err
			}
		}
	}
	_, err := c.Write(append(httpChunk(replyEnd), "0\r\n\r\n"...))
	return err
}
