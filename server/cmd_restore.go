package main

import (
	"context"
	"fmt"
	"time"

	"screentest/server/store/backup"
)

const restoreHelp = `screentest restore [-data folder] FILE

screentest restore FILE makes a data folder of a backup. The folder must be new or
empty, such as a volume just mounted; nothing is put in place before all of the
backup was checked. Start the server with it as ever: a database of an older
Screentest is brought up to date then.
`

// restore is the command screentest restore.
func (p *program) restore(ctx context.Context, c dataConfig, file string) error {
	m, err := backup.Restore(ctx, file, c.data)
	if err != nil {
		return surroundings(err)
	}
	fmt.Fprintf(p.stdout, "Restored %s from %s: %s, backed up on %s by Screentest %s.\n", c.data, file, contents(m),
		time.UnixMilli(m.CreatedMS).UTC().Format("2 January 2006 at 15:04 UTC"), m.Program)
	p.sayKey(m)
	return nil
}
