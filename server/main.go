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
	"flag"
	"fmt"
	"io"
	"log"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/peterbourgon/ff/v3/ffcli"
)

// version is set by the build.
var version = "dev"

// Exit statuses.
const (
	exitOK      = 0
	exitFailed  = 1 // the program failed, or check found an error
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

// errRefused is check's: it has printed why.
var errRefused = errors.New("the request has errors")

// run runs a command line and returns the exit status. The command ends when
// ctx does.
func (p *program) run(ctx context.Context, args []string) int {
	help := ""
	root := p.commands(&help)
	args = usual(args)
	err := root.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprint(p.stdout, help)
		return exitOK
	case err != nil:
		command := "screentest"
		for _, c := range root.Subcommands {
			if len(args) > 0 && args[0] == c.Name {
				command += " " + c.Name
			}
		}
		return p.complain(mistakef("%s. Run %s -h for the flags there are", plain(err.Error()), command))
	}
	err = root.Run(ctx)
	if errors.Is(err, errRefused) {
		return exitFailed
	}
	return p.complain(err)
}

// usual takes what many people type for what this program calls otherwise.
func usual(args []string) []string {
	if len(args) == 0 {
		return args
	}
	switch args[0] {
	case "help":
		return append(args[1:len(args):len(args)], "-h")
	case "-version", "--version", "-v":
		return []string{"version"}
	}
	return args
}

// plain says what is wrong with a flag in fewer and plainer words than the
// library.
func plain(text string) string {
	return strings.NewReplacer(
		"error parsing commandline arguments: ", "",
		"error parsing environment variables: error setting flag ", "flag ",
		"flag provided but not defined: ", "there is no flag ",
		"flag needs an argument: ", "a value is missing after ",
		": parse error", ": it must be a number",
	).Replace(text)
}

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

// noArgs refuses words after the flags.
func noArgs(name string, run func(context.Context) error) func(context.Context, []string) error {
	return func(ctx context.Context, args []string) error {
		if len(args) > 0 {
			if name != "screentest" {
				return mistakef("screentest %s takes flags alone, and %q is none: run screentest %s -h for those there are", name, args[0], name)
			}
			return mistakef("there is no command %q: run screentest -h for those there are", args[0])
		}
		return run(ctx)
	}
}

// commands is the whole command line.
func (p *program) commands(help *string) *ffcli.Command {
	var serve serveConfig
	var sandbox sandboxConfig
	var check checkConfig
	root := p.command(help, "screentest", rootHelp, "SCREENTEST", serve.flags, func(ctx context.Context) error { return p.serve(ctx, serve) })
	root.Subcommands = []*ffcli.Command{
		p.command(help, "serve", serveHelp, "SCREENTEST", serve.flags, func(ctx context.Context) error { return p.serve(ctx, serve) }),
		p.command(help, "sandbox", sandboxHelp, "SCREENTEST_SANDBOX", sandbox.flags, func(ctx context.Context) error { return p.sandbox(ctx, sandbox) }),
		p.command(help, "check", checkHelp, "SCREENTEST_CHECK", check.flags, func(context.Context) error { return p.check(check) }),
		p.backupCommand(help),
		p.restoreCommand(help),
		p.command(help, "version", versionHelp, "SCREENTEST", func(*flag.FlagSet) {}, func(context.Context) error {
			_, err := fmt.Fprintln(p.stdout, version)
			return err
		}),
	}
	return root
}
