package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

const rootHelp = `screentest serves a playground for a model gateway: chat, compare models and make
videos in the browser, with history and spend.

  screentest                 serve the playground (the same as screentest serve)
  screentest sandbox         serve only the sandbox, a gateway for tests
  screentest check           judge a request before it is sent
  screentest backup FILE     write all that is kept to one file, while it is served
  screentest restore FILE    make a data folder of such a file
  screentest verify          look whether ledger and audit are as they were written
  screentest move            move a data folder to PostgreSQL, or back
  screentest account link    let somebody in who is locked out
  screentest version         print the version

screentest COMMAND -h tells more of each.

Without -gateway it starts a sandbox of its own, which costs nothing and needs no
key: run it, open the address that it prints, and talk to a model. With -gateway
it asks for your key in the settings of the page, and keeps it sealed.

It exits with 0 when it was ended, 1 when it failed, and 2 when a flag, the
configuration or the surroundings (a port in use, a full disk) are wrong.
`

const versionHelp = `screentest version prints the version.
`

// command is one of the program's commands.
type command struct {
	name, help string
	env        string // what the environment variables of its flags begin with
	flags      *flag.FlagSet
	file       bool // takes one file after its flags
	run        func(ctx context.Context, file string) error
}

// commands is the whole command line. The first is done where none is named.
func (p *program) commands() []command {
	var serve serveConfig
	var sandbox sandboxConfig
	var check checkConfig
	var backup backupConfig
	var restore dataConfig
	var verify verifyConfig
	var move moveConfig
	var account accountConfig
	serving := func(ctx context.Context, _ string) error { return p.serve(ctx, serve) }
	return []command{
		{"screentest", rootHelp, "SCREENTEST", flags(serve.flags), false, serving},
		{"serve", serveHelp, "SCREENTEST", flags(serve.flags), false, serving},
		{"sandbox", sandboxHelp, "SCREENTEST_SANDBOX", flags(sandbox.flags), false,
			func(ctx context.Context, _ string) error { return p.sandbox(ctx, sandbox) }},
		{"check", checkHelp, "SCREENTEST_CHECK", flags(check.flags), false,
			func(context.Context, string) error { return p.check(check) }},
		{"backup", backupHelp, "SCREENTEST", flags(backup.flags), true,
			func(ctx context.Context, file string) error { return p.backup(ctx, backup, file) }},
		{"restore", restoreHelp, "SCREENTEST", flags(restore.flags), true,
			func(ctx context.Context, file string) error { return p.restore(ctx, restore, file) }},
		{"verify", verifyHelp, "SCREENTEST", flags(verify.flags), false,
			func(ctx context.Context, _ string) error { return p.verify(ctx, verify) }},
		{"move", moveHelp, "SCREENTEST", flags(move.flags), false,
			func(ctx context.Context, _ string) error { return p.move(ctx, move) }},
		{"account link", accountLinkHelp, "SCREENTEST", flags(account.flags), false,
			func(ctx context.Context, _ string) error { return p.accountLink(ctx, account) }},
		{"version", versionHelp, "SCREENTEST", flags(), false, func(context.Context, string) error {
			_, err := fmt.Fprintln(p.stdout, version)
			return err
		}},
	}
}

func flags(define ...func(*flag.FlagSet)) *flag.FlagSet {
	fs := flag.NewFlagSet("", flag.ContinueOnError)
	fs.SetOutput(io.Discard) // mistakes are told once, by complain
	fs.Usage = func() {}
	for _, d := range define {
		d(fs)
	}
	return fs
}

// run runs a command line and returns the exit status. The command ends when
// ctx does.
func (p *program) run(ctx context.Context, args []string) int {
	args = usual(args)
	all := p.commands()
	named := func(word string) int { return slices.IndexFunc(all, func(c command) bool { return c.name == word }) }
	c := all[0]
	if len(args) > 1 && named(args[0]+" "+args[1]) > 0 {
		args = append([]string{args[0] + " " + args[1]}, args[2:]...)
	}
	if len(args) > 0 && named(args[0]) > 0 {
		c, args = all[named(args[0])], args[1:]
	}
	file, err := c.parse(args, func(word string) bool { return named(word) > 0 })
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprint(p.stdout, c.usage())
		return exitOK
	}
	if err == nil {
		err = c.run(ctx, file)
	}
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
		return usual(append(args[1:len(args):len(args)], "-h"))
	case "-version", "--version", "-v":
		return []string{"version"}
	case "account":
		if len(args) == 2 && slices.Contains([]string{"-h", "-help", "--help"}, args[1]) {
			return []string{"account", "link", "-h"} // it is all there is of account
		}
	}
	return args
}

// parse sets the flags, from the environment where they are not given, and
// returns the file behind them.
func (c command) parse(args []string, isCommand func(word string) bool) (file string, err error) {
	err = c.flags.Parse(args)
	if c.name == "screentest" && err == nil && c.flags.Arg(0) == "serve" {
		err = c.flags.Parse(c.flags.Args()[1:]) // it has the same flags
	}
	if errors.Is(err, flag.ErrHelp) {
		return "", err
	} else if err != nil {
		return "", mistakef("%s. Run %s -h for the flags there are", plain(err), c.line())
	}
	given := map[string]bool{}
	c.flags.Visit(func(f *flag.Flag) { given[f.Name] = true })
	c.flags.VisitAll(func(f *flag.Flag) {
		name := c.variable(f)
		value := os.Getenv(name)
		if err != nil || given[f.Name] || value == "" {
			return
		}
		if bad := f.Value.Set(value); bad != nil {
			must := "it must be a number"
			if b, is := f.Value.(interface{ IsBoolFlag() bool }); is && b.IsBoolFlag() {
				must = "it must be true or false"
			}
			err = mistakef("flag %q from environment variable %q: %s. Run %s -h for the flags there are", f.Name, name,
				strings.Replace(bad.Error(), "parse error", must, 1), c.line())
		}
	})
	if err != nil {
		return "", err
	}
	switch rest := c.flags.Args(); {
	case c.file && len(rest) == 1:
		return rest[0], nil
	case c.file:
		return "", mistakef("give one file, after the flags, such as: %s -data ./data my.backup", c.line())
	case len(rest) > 0 && c.name == "screentest" && isCommand(rest[0]):
		return "", mistakef("flags go behind the command: screentest %s -h tells those that it has", rest[0])
	case len(rest) > 0 && c.name == "screentest":
		return "", mistakef("there is no command %q: run screentest -h for those there are", rest[0])
	case len(rest) > 0:
		return "", mistakef("%s takes flags alone, and %q is none: run %s -h for those there are", c.line(), rest[0], c.line())
	}
	return "", nil
}

// line is the command as it is typed.
func (c command) line() string {
	if c.name == "screentest" {
		return c.name
	}
	return "screentest " + c.name
}

// variable is the environment variable that says the same as a flag.
func (c command) variable(f *flag.Flag) string {
	return c.env + "_" + strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_"))
}

// plain says what is wrong with a flag in fewer words than package flag.
func plain(err error) string {
	must := ": it must be a number"
	if strings.HasPrefix(err.Error(), "invalid boolean") {
		must = ": it must be true or false"
	}
	return strings.NewReplacer(
		"flag provided but not defined: ", "there is no flag ",
		"flag needs an argument: ", "a value is missing after ",
		": parse error", must,
	).Replace(err.Error())
}

// usage is what -h prints.
func (c command) usage() string {
	var b strings.Builder
	b.WriteString(c.help)
	head := "\nFlags, and the environment variables for the same:\n"
	c.flags.VisitAll(func(f *flag.Flag) {
		b.WriteString(head)
		head = ""
		arg, text := flag.UnquoteUsage(f)
		line := "  -" + f.Name
		if arg != "" {
			line += " " + arg
		}
		fmt.Fprintf(&b, "%-27s %s\n", line, strings.ReplaceAll(text, "\n", fmt.Sprintf("\n%28s", "")))
		if f.DefValue != "" && f.DefValue != "false" && f.DefValue != "0" {
			fmt.Fprintf(&b, "%28sdefault %s, ", "", f.DefValue)
		} else {
			fmt.Fprintf(&b, "%28s", "")
		}
		fmt.Fprintln(&b, c.variable(f))
	})
	return b.String()
}
