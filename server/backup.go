package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"strings"
	"time"

	"github.com/peterbourgon/ff/v3/ffcli"

	"screentest/server/store/backup"
	"screentest/shared/wire"
)

const (
	backupHelp = `screentest backup [-data folder] FILE

screentest backup FILE writes all that a data folder holds to one file: the
database, the sealing key and the archived clips. A server may be running on the
folder and goes on meanwhile. The file is read back and checked before it gets
its name; it takes the place of no other and can't be in the folder. Links right
in the folder are followed, such as that of an archive on another disk; others are
refused, not left out.

It holds the keys of gateways and what seals them: keep it as safe as the folder
itself. Where the sealing key is given by SCREENTEST_SEAL_KEY it is not in the
file, and needed again.
`
	restoreHelp = `screentest restore [-data folder] FILE

screentest restore FILE makes a data folder of a backup. The folder must be new or
empty, such as a volume just mounted; nothing is put in place before all of the
backup was checked. Start the server with it as ever: a database of an older
Screentest is brought up to date then.
`
)

func dataFlag(data *string) func(*flag.FlagSet) {
	return func(fs *flag.FlagSet) { fs.StringVar(data, "data", "./data", "the data `folder`") }
}

func (p *program) backupCommand(help *string) *ffcli.Command {
	var data string
	return p.commandOf(help, "backup", backupHelp, "SCREENTEST", dataFlag(&data), oneFile("backup", func(ctx context.Context, file string) error {
		begin := time.Now()
		m, err := backup.Backup(ctx, data, file, version)
		if err != nil {
			return surroundings(err)
		}
		took := time.Since(begin).Seconds()
		fmt.Fprintf(p.stdout, "Backed up %s to %s: %s in %.1f s (%.0f MB/s), read back and checked.\n", data, file, contents(m), took, float64(m.Bytes())/1e6/took)
		if m.Gone > 0 {
			fmt.Fprintf(p.stdout, "%d files were deleted while it was made and are not in it.\n", m.Gone)
		}
		p.sayKey(m)
		return nil
	}))
}

func (p *program) restoreCommand(help *string) *ffcli.Command {
	var data string
	return p.commandOf(help, "restore", restoreHelp, "SCREENTEST", dataFlag(&data), oneFile("restore", func(ctx context.Context, file string) error {
		m, err := backup.Restore(ctx, file, data)
		if err != nil {
			return surroundings(err)
		}
		fmt.Fprintf(p.stdout, "Restored %s from %s: %s, backed up on %s by Screentest %s.\n", data, file, contents(m),
			time.UnixMilli(m.CreatedMS).UTC().Format("2 January 2006 at 15:04 UTC"), m.Program)
		p.sayKey(m)
		return nil
	}))
}

func contents(m backup.Manifest) string {
	return fmt.Sprintf("the database and %d files, %.1f MB", len(m.Files)-1, float64(m.Bytes())/1e6)
}

func (p *program) sayKey(m backup.Manifest) {
	if !m.SealKey() {
		fmt.Fprintln(p.stdout, "The sealing key is not in it: give the same SCREENTEST_SEAL_KEY when you serve what is restored.")
	}
}

// oneFile takes the one word that must follow the flags of a command.
func oneFile(command string, run func(context.Context, string) error) func(context.Context, []string) error {
	return func(ctx context.Context, args []string) error {
		if len(args) != 1 {
			return mistakef("give one file, after the flags, such as: screentest %s -data ./data my.backup", command)
		}
		return run(ctx, args[0])
	}
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
