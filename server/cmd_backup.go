package main

import (
	"context"
	"flag"
	"fmt"
	"time"

	"screentest/server/blob"
	"screentest/server/store/backup"
)

const backupHelp = `screentest backup [-data folder] [-files address] FILE

screentest backup FILE writes all that a data folder holds to one file: the
database, the sealing key and the archived clips. A server may be running on the
folder and goes on meanwhile. The file is read back and checked before it gets
its name; it takes the place of no other and can't be in the folder. Links right
in the folder are followed, such as that of an archive on another disk; others are
refused, not left out.

With -files, as the server has it, the clips and uploads that are elsewhere are in
the file too; screentest restore puts them into the data folder.

It holds the keys of gateways and what seals them: keep it as safe as the folder
itself. Where the sealing key is given by SCREENTEST_SEAL_KEY it is not in the
file, and needed again.
`

// dataConfig is the configuration of screentest backup and restore.
type dataConfig struct{ data string }

func (c *dataConfig) flags(fs *flag.FlagSet) {
	fs.StringVar(&c.data, "data", "./data", "the data `folder`")
}

// backupConfig is the configuration of screentest backup.
type backupConfig struct {
	dataConfig
	files string
}

func (c *backupConfig) flags(fs *flag.FlagSet) {
	c.dataConfig.flags(fs)
	fs.StringVar(&c.files, "files", "", "`folder` or s3://bucket/prefix?endpoint=… of clips and uploads,\nas the server has it; empty: the data folder")
}

// elsewhere opens the files that are not in the data folder; nil: they are.
func (c backupConfig) elsewhere(ctx context.Context) (*blob.Files, error) {
	at, err := blob.Parse(c.files)
	if err != nil || c.files == "" {
		return nil, err
	}
	return blob.Open(ctx, at, c.data, nil)
}

// backup is the command screentest backup.
func (p *program) backup(ctx context.Context, c backupConfig, file string) error {
	begin := time.Now()
	files, err := c.elsewhere(ctx)
	if err != nil {
		return surroundings(err)
	}
	if files != nil {
		defer files.Close()
	}
	m, err := backup.WithFiles(ctx, c.data, files, file, version)
	if err != nil {
		return surroundings(err)
	}
	took := time.Since(begin).Seconds()
	fmt.Fprintf(p.stdout, "Backed up %s to %s: %s in %.1f s (%.0f MB/s), read back and checked.\n", c.data, file, contents(m), took, float64(m.Bytes())/1e6/took)
	if m.Gone > 0 {
		fmt.Fprintf(p.stdout, "%d files were deleted while it was made and are not in it.\n", m.Gone)
	}
	p.sayKey(m)
	return nil
}

func contents(m backup.Manifest) string {
	return fmt.Sprintf("the database and %d files, %.1f MB", len(m.Files)-1, float64(m.Bytes())/1e6)
}

func (p *program) sayKey(m backup.Manifest) {
	if !m.SealKey() {
		fmt.Fprintln(p.stdout, "The sealing key is not in it: give the same SCREENTEST_SEAL_KEY when you serve what is restored.")
	}
}
