package store

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"screentest/server/store/engine"
	"screentest/server/store/folder"
	"screentest/server/store/people"
	"screentest/server/store/schema"
)

// NewLink keeps the hash of a link in a data folder that a server may have open:
// to the first account, where there is none, else to a new password of the account
// with the address of mail, or of the only active admin if that is "". It says
// which of both it is, whose, and the server's setting of that name: where
// browsers reach it.
// database is the address of one of PostgreSQL's, in the place of the folder's; "":
// it is the folder's.
func NewLink(ctx context.Context, dir, database, email string, hash [sha256.Size]byte, lasts func(kind string) time.Duration, setting string) (kind, whose, value string, err error) {
	put := func(t *engine.Tx) error {
		if kind, whose, err = people.PutLink(t, time.Now(), email, hash, lasts); err != nil {
			return err
		}
		value, err = people.ReadServerSetting(t, setting)
		return err
	}
	newest, err := engine.NewestMigration(schema.Files)
	if err != nil {
		return "", "", "", err
	}
	if database != "" {
		err = engine.BesidePostgres(ctx, database, newest, put)
		return kind, whose, value, err
	}
	path := folder.DatabaseIn(dir)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return "", "", "", fmt.Errorf("%s is not a data folder. Start the server with it and -team, and it prints a link to the first account", dir)
	} else if err != nil {
		return "", "", "", err
	}
	err = engine.Beside(ctx, path, newest, put)
	return kind, whose, value, err
}
