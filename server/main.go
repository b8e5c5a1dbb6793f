// Command screentest is a self-hosted playground for a model gateway: one
// binary that serves the page, keeps the history, and brings a gateway of its
// own for trying things out. `screentest -h` tells how to use it.
//
// This package only reads the command line and puts the parts together; each
// part is a package below and knows none of the others.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"screentest/shared/wire"
)

// version is set by the build.
var version = "dev"

// Exit statuses.
const (
	exitOK      = 0
	exitFailed  = 1 // the program failed, or check or verify found something wrong
	exitMistake = 2 // the command line, the configuration or the surroundings are wrong
)

func main() {
	// This is net/http's log alone, which quotes what a gateway sends unasked,
	// and that may be the key. All else is written by program.logger.
	log.SetOutput(io.Discard)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// A second signal ends the program at once.
	context.AfterFunc(ctx, stop)
	hangup := make(chan os.Signal, 1)
	signal.Notify(hangup, syscall.SIGHUP)
	p := &program{stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, reload: hangup}
	os.Exit(p.run(ctx, os.Args[1:]))
}

// program is one run of the command, with what it talks to.
type program struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	reload         <-chan os.Signal // reads the catalogue again
}

// mistake is an error that the person who started the program can put right.
type mistake struct{ error }

func (m mistake) Unwrap() error { return m.error }

func mistakef(format string, args ...any) error { return mistake{fmt.Errorf(format, args...)} }

// errRefused is check's and verify's: they have printed why.
var errRefused = errors.New("something is wrong with what was looked at")

// complain prints an error as one sentence and returns the exit status.
func (p *program) complain(err error) int {
	if err == nil {
		return exitOK
	}
	fmt.Fprintf(p.stderr, "screentest: %v\n", err)
	var m mistake
	if errors.As(err, &m) {
		return exitMistake
	}
	return exitFailed
}

func (p *program) logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(p.stderr, nil))
}

// What -log-format may be.
const logText, logJSON = "text", "json"

// loggerAs is the logger of a format.
func (p *program) loggerAs(format string) (*slog.Logger, error) {
	switch format {
	case logText:
		return p.logger(), nil
	case logJSON:
		return slog.New(slog.NewJSONHandler(p.stderr, nil)), nil
	}
	return nil, mistakef("-log-format %q: it must be %s or %s", format, logText, logJSON)
}

// surroundings says that what went wrong is the person's to put right: a file
// that is missing or in the way, a backup that is damaged, a disk that is full.
// What to do is told with it.
func surroundings(err error) error {
	var known *wire.Problem
	if errors.As(err, &known) && known.Hint != "" {
		return mistake{fullStop{err, known.Hint}}
	}
	return mistake{err}
}

// fullStop is an error with a sentence of what to do behind it.
type fullStop struct {
	error
	todo string
}

func (f fullStop) Error() string {
	return strings.TrimSuffix(f.error.Error(), ".") + ". " + strings.TrimSuffix(f.todo, ".")
}
func (f fullStop) Unwrap() error { return f.error }
