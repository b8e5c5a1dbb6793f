package engine

import (
	"context"
)

// A kind is what the two engines do each in its own way. The rest, who waits for
// whom and what is committed together, is the same.
type kind interface {
	// begin begins a writing transaction: no other is under way until it ends,
	// in this process or in another.
	begin(p *prepared) error
	// commit ends it. No error: all of it is durable.
	commit(p *prepared) error
	// writing is the context of a transaction's statements that give no rows. flush
	// carries out those that still wait under it.
	writing() context.Context
	flush(p *prepared) error
	// takeBack is ROLLBACK, of the transaction or of a part.
	takeBack(p *prepared, statement string) error
	// snapshot is how a transaction begins whose queries all see the same commit.
	snapshot() string
	// relax has the next commits not wait for the disk, durable those after them.
	relax(p *prepared) error
	durable(p *prepared) error
	// keepsDeleted says that what is deleted stays in the files until it is
	// overwritten there, which empty does as far as readers let it.
	keepsDeleted() bool
	empty(p *prepared) (done bool, err error)
}

func onPostgres(k kind) bool {
	_, is := k.(*postgresKind)
	return is
}

// holder is the number of the replica that this process is, 0 where it is alone.
func holder(k kind) int64 {
	if p, is := k.(*postgresKind); is {
		if s := p.settled.Load(); s != nil {
			return s.Holder
		}
	}
	return 0
}

// setting changes a setting of the connection. A prepared PRAGMA does so when it is
// prepared, and not when it is run again: each is prepared anew.
func (p *prepared) setting(statement string) error {
	_, err := p.conn.ExecContext(context.Background(), statement)
	return p.said(err)
}
