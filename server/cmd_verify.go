package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"time"

	"screentest/server/store/verify"
	"screentest/shared/money"
)

const verifyHelp = `screentest verify [-data folder | -database postgres://…]

screentest verify looks whether the ledger and the audit of a data folder are as
they were written, and whether the sums of the ledger are those of its rows. A
server may be running on the folder. It exits with 0 if all is right, and with 1
and the first row that is wrong of each if not.

Each row has a hash over itself and the hash before it; the last one's is sealed.
So it shows rows that were changed, taken out, put in or moved by anybody who
hasn't the sealing key. Who has it can write another history, and so can who sets
a whole folder back: keep the two lines it prints somewhere else, and the key with
SCREENTEST_SEAL_KEY, out of the folder. A row's hash is found again by
  sqlite3 screentest.db "SELECT hex(hash) FROM ledger_chain WHERE n = 17"
`

// verifyConfig is the configuration of screentest verify.
type verifyConfig struct {
	dataConfig
	database string
}

func (c *verifyConfig) flags(fs *flag.FlagSet) {
	c.dataConfig.flags(fs)
	fs.StringVar(&c.database, "database", "", "`address` of the database that replicas share, postgres://…,\nin place of that in the folder")
}

// verify is the command screentest verify.
func (p *program) verify(ctx context.Context, c verifyConfig) error {
	r, err := c.look(ctx)
	if err != nil {
		return err
	}
	return p.sayVerified(r)
}

// look looks through the books.
func (c verifyConfig) look(ctx context.Context) (r verify.Report, err error) {
	key := os.Getenv("SCREENTEST_SEAL_KEY")
	if c.database != "" {
		if r, err = verify.VerifyPostgres(ctx, c.database, key); err != nil {
			return r, surroundings(err)
		}
		return r, nil
	}
	if _, err := os.Stat(c.data); err != nil {
		return r, mistakef("%s is not a data folder: %w", c.data, err)
	}
	if r, err = verify.Verify(ctx, c.data, key); err != nil {
		return r, surroundings(err)
	}
	return r, nil
}

// sayVerified prints what was found.
func (p *program) sayVerified(r verify.Report) error {
	if len(r.Wrong) > 0 {
		for _, w := range r.Wrong {
			fmt.Fprintf(p.stdout, "%s, row %d: it %s.\n", w.Table, w.N, w.What)
		}
		return errRefused
	}
	fmt.Fprintf(p.stdout, "ledger: %d rows, the last is %d, %x\n", r.Ledger.Rows, r.Ledger.N, r.Ledger.Hash)
	fmt.Fprintf(p.stdout, "audit: %d rows, the last is %d, %x\n", r.Audit.Rows, r.Audit.N, r.Audit.Hash)
	fmt.Fprintf(p.stdout, "All rows are as they were written, in chains since %s; %d sums are those of the rows, %v in all.\n",
		time.UnixMilli(r.BeganMS).UTC().Format("2 January 2006 at 15:04 UTC"), r.Hours, money.NanoUSD(r.NanoUSD))
	return nil
}
