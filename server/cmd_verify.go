package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"screentest/server/store/verify"
	"screentest/shared/money"
)

const verifyHelp = `screentest verify [-data folder]

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

// verify is the command screentest verify.
func (p *program) verify(ctx context.Context, c dataConfig) error {
	if _, err := os.Stat(c.data); err != nil {
		return mistakef("%s is not a data folder: %w", c.data, err)
	}
	r, err := verify.Verify(ctx, c.data, os.Getenv("SCREENTEST_SEAL_KEY"))
	if err != nil {
		return surroundings(err)
	}
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
