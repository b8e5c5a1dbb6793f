package main

import (
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"screentest/server/ops"
	"screentest/server/wiretest"
	"screentest/shared/gateway"
	"screentest/shared/wire"
)

// What .docs/deploy says is tried here as far as a machine without containers
// and without systemd running can.
const deployDir = "../.docs/deploy/"

// built is the program as it is shipped: static, and as make builds it.
func built(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "screentest")
	cmd := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w -X main.version=v0.0.0-test", "-o", file, ".")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return file
}

// The unit is one to systemd, and leaves the service little.
func TestTheUnitIsVerified(t *testing.T) {
	if _, err := exec.LookPath("systemd-analyze"); err != nil {
		if os.Getenv("SCREENTEST_NO_SYSTEMD") != "" { // make test has said so aloud
			t.Skip("no systemd-analyze")
		}
		t.Fatal(err)
	}
	raw, err := os.ReadFile(deployDir + "screentest.service")
	if err != nil {
		t.Fatal(err)
	}
	const program = "ExecStart=/usr/local/bin/screentest\n"
	if !strings.Contains(string(raw), program) {
		t.Fatalf("there is no %s", program)
	}
	unit := filepath.Join(t.TempDir(), "screentest.service") // the program isn't there yet
	if err := os.WriteFile(unit, []byte(strings.Replace(string(raw), program, "ExecStart=/bin/sh\n", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("systemd-analyze", "verify", unit).CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("verify: %v\n%s", err, out)
	}
	// 0 is nothing left, 100 everything; a service without any of it has 96.
	if out, err := exec.Command("systemd-analyze", "security", "--offline=true", "--threshold=15", "--no-pager", unit).CombinedOutput(); err != nil {
		t.Errorf("security: %v\n%s", err, out)
	}
}

// bare is a folder with what the image has, and the environment that it sets.
type bare struct {
	dir string
	env []string
}

func newBare(t *testing.T, program string, certificates []byte) bare {
	t.Helper()
	raw, err := os.ReadFile(deployDir + "Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	_, image, found := strings.Cut(string(raw), "\nFROM scratch\n")
	if !found {
		t.Fatal("the image is not made from scratch")
	}
	b := bare{dir: t.TempDir()}
	for _, m := range regexp.MustCompile(`(?m)^ENV (\S+)$`).FindAllStringSubmatch(image, -1) {
		b.env = append(b.env, m[1])
	}
	for _, must := range []string{"USER 65532:65532\n", "VOLUME /data\n", `ENTRYPOINT ["/screentest"]`, "ENV SCREENTEST_DATA=/data\n"} {
		if !strings.Contains(image, must) {
			t.Errorf("the image has no %s", must)
		}
	}
	if n := strings.Count(image, "COPY "); n != 3 {
		t.Errorf("the image is made of %d things, and of three here", n)
	}
	content, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	for name, file := range map[string][]byte{"screentest": content, "etc/ssl/certs/ca-certificates.crt": certificates} {
		name = filepath.Join(b.dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, file, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	data := filepath.Join(b.dir, "data")
	if err := os.Mkdir(data, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(data, 65532, 65532); err != nil {
		t.Fatal(err)
	}
	for dir := b.dir; dir != os.TempDir() && dir != "/"; dir = filepath.Dir(dir) {
		if err := os.Chmod(dir, 0o755); err != nil { // the user has to get there
			t.Fatal(err)
		}
	}
	return b
}

// command is the program as the image runs it: no root, no other file.
func (b bare) command(env []string, args ...string) *exec.Cmd {
	return &exec.Cmd{
		Path: "/screentest", Args: append([]string{"screentest"}, args...), Dir: "/data", Env: append(b.env[:len(b.env):len(b.env)], env...),
		SysProcAttr: &syscall.SysProcAttr{Chroot: b.dir, Credential: &syscall.Credential{Uid: 65532, Gid: 65532}},
	}
}

func (b bare) start(t *testing.T, env ...string) (c *child, url string) {
	t.Helper()
	c = &child{cmd: b.command(env), ended: make(chan struct{})}
	c.cmd.Stdout, c.cmd.Stderr = &c.stdout, &c.stderr
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { _ = c.cmd.Wait(); close(c.ended) }()
	t.Cleanup(func() { c.end(os.Kill) })
	url, ok := c.stdout.wait(`ready on (http://[^ ,\n]+)`, c.ended)
	if !ok {
		t.Fatalf("not ready: %s%s", &c.stdout, &c.stderr)
	}
	return c, url
}

func (b bare) stop(t *testing.T, c *child) {
	t.Helper()
	c.end(syscall.SIGTERM)
	if code := c.cmd.ProcessState.ExitCode(); code != 0 || strings.Contains(c.stderr.String(), "level=ERROR") {
		t.Errorf("it ended with %d: %s", code, &c.stderr)
	}
}

// The image's content is all that the program wants: itself, certificates, and a
// folder that it may write to.
func TestTheImageIsEnough(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		if os.Getenv("CI") == "true" {
			t.Fatal("only root can try the image's content")
		}
		t.Skip("not root") // make test has said so aloud
	}
	remote := httptest.NewTLSServer(newStage(t).sandbox)
	t.Cleanup(remote.Close)
	b := newBare(t, built(t), pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: remote.Certificate().Raw}))

	// As it is, a proxy in front encrypts; only the port is a free one here.
	c, url := b.start(t, "SCREENTEST_ADDR=127.0.0.1:0", "SCREENTEST_PUBLIC_URL=https://play.example.com")
	if _, ok := c.stdout.wait(`(Set up at https://play\.example\.com/setup#\S+\n)`, c.ended); !ok {
		t.Errorf("there is no link to the first account: %s", &c.stdout)
	}
	for _, path := range []string{ops.LivePath, ops.ReadyPath, "/"} {
		if res := fetch(t, wiretest.NewHTTP(), url+path); res.StatusCode != http.StatusOK {
			t.Errorf("%s: %s", path, res.Status)
		}
	}
	b.stop(t, c)

	// It knows a gateway by the certificates that are there, makes clips, and backs
	// itself up.
	c, url = b.start(t, "SCREENTEST_ADDR=127.0.0.1:0", "SCREENTEST_GATEWAY="+remote.URL, "SCREENTEST_DATA=/data/alone")
	tab := dial(t, url, wiretest.NewHTTP())
	setKey(t, tab, canary)
	s := turn(gateway.Chat, "Say something [[repeat: 20]]")
	play(t, tab, s)
	if r, m := end(t, tab, s); r.State != wire.Done || m.Text == "" {
		t.Errorf("the answer ended %s with %v", r.State, r.Problem)
	}
	v := clipRequest("a clip")
	if err := tab.Call(t.Context(), wire.OpVideoCreate, v, nil); err != nil {
		t.Fatal(err)
	}
	awaitTask(t, tab, v.ID, "saved", saved)
	if out, err := b.command([]string{"SCREENTEST_DATA=/data/alone"}, "backup", "/data/my.backup").CombinedOutput(); err != nil {
		t.Errorf("backup: %v\n%s", err, out)
	}
	if out, err := b.command(nil, "version").CombinedOutput(); err != nil || string(out) != "v0.0.0-test\n" {
		t.Errorf("version: %v, %s", err, out)
	}
	b.stop(t, c)
	var names []string
	entries, err := os.ReadDir(b.dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if fmt.Sprint(names) != "[data etc screentest]" {
		t.Errorf("at its root there are %q", names)
	}
}
