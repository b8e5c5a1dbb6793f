package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// The configuration people are told to use for server-sent events; logs are
// off, so it does nothing but relay. %[1]s is a folder, %[2]s the address to
// listen on, %[3]s the gateway's.
const nginxConf = `
daemon off;
worker_processes auto;
pid %[1]s/pid;
error_log %[1]s/error.log;
events { worker_connections 4096; }
http {
	access_log off;
	client_body_temp_path %[1]s/body;
	proxy_temp_path %[1]s/proxy;
	fastcgi_temp_path %[1]s/fastcgi;
	uwsgi_temp_path %[1]s/uwsgi;
	scgi_temp_path %[1]s/scgi;
	upstream gateway { server %[3]s; keepalive 64; }
	server {
		listen %[2]s backlog=4096;
		location / {
			proxy_pass http://gateway;
			proxy_http_version 1.1;
			proxy_set_header Connection "";
			proxy_set_header Host localhost; # the sandbox answers to no other name here
			proxy_buffering off;
			proxy_read_timeout 1h;
		}
	}
}
`

// nginx is a running nginx in front of the gateway.
type nginx struct {
	url  string
	cmd  *exec.Cmd
	gone chan struct{}
}

var errNoNginx = errors.New("nginx is not here: install Debian's nginx-light, or run make bench as root, which does it")

// startNginx runs nginx out of the folder dir, relaying to gateway
// ("127.0.0.1:9090").
func startNginx(ctx context.Context, dir, gateway string) (*nginx, error) {
	path, err := exec.LookPath("nginx")
	if err != nil {
		path = "/usr/sbin/nginx" // not in everybody's PATH
		if _, err := os.Stat(path); err != nil {
			return nil, errNoNginx
		}
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	addr := listener.Addr().String()
	listener.Close()

	conf := filepath.Join(dir, "nginx.conf")
	if err := os.WriteFile(conf, fmt.Appendf(nil, nginxConf, dir, addr, gateway), 0o600); err != nil {
		return nil, err
	}
	cmd := exec.Command(path, "-p", dir, "-c", conf, "-e", filepath.Join(dir, "error.log"))
	var stderr strings.Builder
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	n := &nginx{url: "http://" + addr, cmd: cmd, gone: make(chan struct{})}
	go func() {
		_ = cmd.Wait()
		close(n.gone)
	}()
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, n.url, nil)
		if err != nil {
			return nil, err
		}
		if res, err := http.DefaultClient.Do(req); err == nil {
			res.Body.Close()
			return n, nil
		}
		select {
		case <-n.gone:
			return nil, fmt.Errorf("nginx ended: %s", stderr.String())
		default:
		}
	}
	n.stop()
	return nil, fmt.Errorf("nginx does not answer: %s", stderr.String())
}

func (n *nginx) stop() {
	_ = n.cmd.Process.Signal(os.Interrupt)
	select {
	case <-n.gone:
	case <-time.After(10 * time.Second):
		_ = n.cmd.Process.Kill()
		<-n.gone
	}
}
