package clustertest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// startNginx has nginx pass on what comes to a port to the replicas in turn. It knows
// nothing of sessions, and asks the next one where one is not there.
func startNginx(t testing.TB, port int, replicas []int) {
	t.Helper()
	path, err := exec.LookPath("nginx")
	if err != nil {
		if path = "/usr/sbin/nginx"; !there(path) {
			missing(t, "nginx")
		}
	}
	dir := t.TempDir()
	var servers strings.Builder
	for _, r := range replicas {
		fmt.Fprintf(&servers, "\t\tserver 127.0.0.1:%d max_fails=1 fail_timeout=1s;\n", r)
	}
	config := strings.NewReplacer("DIR", dir, "SERVERS", servers.String(), "PORT", fmt.Sprint(port)).Replace(`daemon off;
master_process off;
pid DIR/pid;
error_log DIR/error.log;
events {
	worker_connections 8192;
}
http {
	access_log off;
	client_body_temp_path DIR/body;
	proxy_temp_path DIR/proxy;
	fastcgi_temp_path DIR/fastcgi;
	uwsgi_temp_path DIR/uwsgi;
	scgi_temp_path DIR/scgi;
	client_max_body_size 0;
	map $http_upgrade $connection_upgrade {
		default upgrade;
		'' '';
	}
	upstream replicas {
SERVERS	}
	server {
		listen 127.0.0.1:PORT backlog=4096;
		location / {
			proxy_pass http://replicas;
			proxy_http_version 1.1;
			proxy_set_header Host $http_host;
			proxy_set_header Upgrade $http_upgrade;
			proxy_set_header Connection $connection_upgrade;
			proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
			proxy_set_header X-Forwarded-Proto $scheme;
			proxy_buffering off;
			proxy_request_buffering off;
			proxy_connect_timeout 1s;
			proxy_read_timeout 1h;
			proxy_send_timeout 1h;
			proxy_next_upstream error timeout http_503;
			add_header X-Replica $upstream_addr always;
		}
	}
}
`)
	file := filepath.Join(dir, "nginx.conf")
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	helper(t, at(port), path, "-p", dir, "-c", file, "-e", filepath.Join(dir, "error.log"))
}

func there(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
