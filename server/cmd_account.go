package main

import (
	"context"
	"flag"
	"fmt"
	"time"

	"screentest/server/signin"
	"screentest/server/store"
)

const accountLinkHelp = `screentest account link [-data folder | -database URL] [-email address]

screentest account link prints a link for who is locked out of a team's instance:
to the first account, where there is none, else to a new password of the account
with that e-mail address, or of the only admin. Servers may be running on the
folder or the database. The link can be used once, the first for an hour, the
second for a day; a new password takes away the second factors and passkeys there
were, and ends all sessions.
`

// accountConfig is the configuration of screentest account link.
type accountConfig struct {
	dataConfig
	email, publicURL, database string
}

func (c *accountConfig) flags(fs *flag.FlagSet) {
	c.dataConfig.flags(fs)
	fs.StringVar(&c.database, "database", "", "`URL` of the instance's PostgreSQL database, in the place of the\nfolder's")
	fs.StringVar(&c.email, "email", "", "e-mail `address` of the account; empty: the only admin's")
	fs.StringVar(&c.publicURL, "public-url", "", "`URL` by which browsers reach the server; empty: that of its last\nstart")
}

// accountLink is the command screentest account link.
func (p *program) accountLink(ctx context.Context, c accountConfig) error {
	public, err := publicAddress(c.publicURL)
	if err != nil {
		return err
	}
	token, hash := signin.NewToken()
	kind, whose, address, err := store.NewLink(ctx, c.data, c.database, c.email, hash, signin.Lasts, addressSetting)
	if err != nil {
		return surroundings(err)
	}
	if public != nil {
		address = origin(public)
	}
	if address == "" {
		return mistakef("no server of a team has had this folder open yet, so nobody knows how browsers reach it: say so with -public-url")
	}
	until := time.Now().Add(signin.Lasts(kind)).UTC().Format("2 January 15:04 UTC")
	if whose == "" {
		_, err = fmt.Fprintf(p.stdout, "Set up at %s/%s#%s\nThe link can be used once, until %s.\n", address, kind, token, until)
	} else {
		_, err = fmt.Fprintf(p.stdout, "A new password for %s at %s/%s#%s\nThe link can be used once, until %s.\n", whose, address, kind, token, until)
	}
	return err
}
