package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"text/tabwriter"
	"time"

	"screentest/server/blob"
	"screentest/server/seal"
	"screentest/server/store"
	"screentest/server/store/engine"
	"screentest/server/store/folder"
	"screentest/server/store/move"
	"screentest/server/store/schema"
	"screentest/server/store/search"
)

const moveHelp = `screentest move -data folder -to postgres://… -files place
screentest move -from postgres://… -files place -data newfolder

screentest move moves all that a data folder holds to a database of PostgreSQL's,
and its clips and uploads to the place of -files, which is a folder that is there or
s3://bucket/prefix?endpoint=…, as serve has it; or back into a new folder. No
server may be running on either. It can be broken off: call it again and it goes on
where it was. All is compared in the end, row by row and file by file, and only then
can the new place be served; the old one stays as it is and can only be read.

What is sealed stays so: SCREENTEST_SEAL_KEY must be the key that it was sealed
with, which is in the file seal.key of the folder where none was given to the
server. It is needed from then on, also for a folder that was moved back into: no
seal.key is written.

Not moved are what servers find again: downloads under way, the sandbox inside and
certificates fetched by -acme.
`

// moveConfig is the configuration of screentest move.
type moveConfig struct {
	dataConfig
	to, from, files string
	dryRun          bool
	watch           time.Duration // for replicas; move.BeatsWithin but in tests
}

func (c *moveConfig) flags(fs *flag.FlagSet) {
	c.dataConfig.flags(fs)
	c.watch = move.BeatsWithin
	fs.StringVar(&c.to, "to", "", "`address` of the empty database to move to,\npostgres://name:password@host:5432/database")
	fs.StringVar(&c.from, "from", "", "`address` of the database to move from, into -data")
	fs.StringVar(&c.files, "files", "", "`place` of clips and uploads beside the database, as serve has it:\na folder that is there, or s3://bucket/prefix?endpoint=https://host:port")
	fs.BoolVar(&c.dryRun, "dry-run", false, "look at both, and whether -files may be written to, and say what would\nbe moved, and move nothing")
}

// move is the command screentest move.
func (p *program) move(ctx context.Context, c moveConfig) error {
	url := c.to
	switch {
	case (c.to == "") == (c.from == ""):
		return mistakef("give -to, the database to move the folder to, or -from, the one to move into a new folder")
	case c.files == "":
		return mistakef("-files is missing: say where clips and uploads are kept beside the database")
	case c.from != "":
		url = c.from
	}
	key, err := c.key()
	if err != nil {
		return err
	}
	box, err := seal.New(key)
	if err != nil {
		return err
	}
	files, err := c.openFiles(ctx)
	if err != nil {
		return err
	}
	defer files.Close()
	j := &moving{program: p, c: c, url: url, box: box, beside: move.Files{Archive: files.Archive.Place(), Uploads: files.Uploads}}
	if j.address, err = engine.AddressOf(url); err != nil {
		return surroundings(err)
	}
	if j.dir, err = filepath.Abs(c.data); err != nil {
		return err
	}
	if j.version, err = engine.NewestPostgres(schema.Postgres); err != nil {
		return err
	}
	run := j.there
	if c.from != "" {
		run = j.back
	}
	if err := run(ctx); err != nil {
		return surroundings(err)
	}
	return nil
}

// key is the sealing key, which must be given.
func (c moveConfig) key() ([]byte, error) {
	file := filepath.Join(c.data, folder.SealKeyFile)
	text := os.Getenv("SCREENTEST_SEAL_KEY")
	inFile, err := os.ReadFile(file)
	has := err == nil && c.to != ""
	switch {
	case text == "" && has:
		return nil, mistakef("SCREENTEST_SEAL_KEY is missing: it must be the key in %s, with which all is sealed that is moved, and every replica needs it. Set it with: export SCREENTEST_SEAL_KEY=$(cat %s)", file, file)
	case text == "":
		return nil, mistakef("SCREENTEST_SEAL_KEY is missing: it must be the key with which all is sealed that is moved")
	}
	key, err := seal.ParseKey(text)
	if err != nil {
		return nil, mistakef("SCREENTEST_SEAL_KEY: %w", err)
	}
	if has {
		given := slices.Collect(slices.Chunk(key, seal.KeySize))
		needed, _ := seal.ParseKey(string(inFile)) // none of a file that has none
		for one := range slices.Chunk(needed, seal.KeySize) {
			if !slices.ContainsFunc(given, func(k []byte) bool { return bytes.Equal(k, one) }) {
				return nil, mistakef("SCREENTEST_SEAL_KEY is another key than that in %s, with which all is sealed that is moved. Set it with: export SCREENTEST_SEAL_KEY=$(cat %s)", file, file)
			}
		}
	}
	return key, nil
}

// openFiles opens what -files names, as a server does: nobody else has it now.
func (c moveConfig) openFiles(ctx context.Context) (*blob.Files, error) {
	at, err := blob.Parse(c.files)
	if err != nil {
		return nil, mistake{err}
	}
	files, err := blob.Open(ctx, at, c.data, nil)
	if err != nil {
		return nil, surroundings(err)
	}
	return files, nil
}

// moving is one call of the command.
type moving struct {
	*program
	c            moveConfig
	url, address string // of the database
	dir          string // the data folder
	version      int    // of the schema
	box          *seal.Box
	beside       move.Files
}

func (j *moving) say(format string, args ...any) { fmt.Fprintf(j.stdout, format+"\n", args...) }

// lookAtFolder calls fn with the database of the folder.
func (j *moving) lookAtFolder(ctx context.Context, fn func(q engine.Reading, version int) error) error {
	return engine.Look(ctx, folder.DatabaseIn(j.dir), j.version, fn)
}

// lookAtDatabase does so with that of PostgreSQL's.
func (j *moving) lookAtDatabase(ctx context.Context, fn func(q engine.Reading, version int) error) error {
	return engine.LookPostgres(ctx, j.url, j.version, fn)
}

// wantAlone refuses a database that replicas run on.
func (j *moving) wantAlone(ctx context.Context) error {
	return move.WantAlone(ctx, j.address, j.c.watch, func(fn func(engine.Reading) error) error {
		return j.lookAtDatabase(ctx, func(q engine.Reading, version int) error {
			if version == 0 {
				return nil
			}
			return fn(q)
		})
	})
}

// there moves the folder to the database.
func (j *moving) there(ctx context.Context) error {
	if _, err := os.Stat(folder.DatabaseIn(j.dir)); err != nil {
		return fmt.Errorf("%s is not a data folder: %w", j.c.data, err)
	}
	if err := j.wantAlone(ctx); err != nil {
		return err
	}
	var begun string
	err := j.lookAtDatabase(ctx, func(q engine.Reading, version int) (err error) {
		begun, err = move.WantTarget(q, version, "database", j.address)
		return err
	})
	if err := cmp.Or(j.wantSource(ctx, j.lookAtFolder, j.dir, begun), err); err != nil {
		return err
	}
	files := move.InFolder(j.dir)
	if j.c.dryRun {
		unlock, err := lockForLook(j)
		if err != nil {
			return err
		}
		defer unlock()
		return j.dry(ctx, j.lookAtFolder, begun, files, j.dir, j.address)
	}
	from, err := store.Open(ctx, j.dir, store.Options{SealKey: os.Getenv("SCREENTEST_SEAL_KEY"), Logger: j.logger(), Moving: true})
	if err != nil {
		return err
	}
	defer from.Close()
	return j.run(ctx, move.End{DB: from.Engine(), What: "folder", Name: j.dir, Files: files, Index: from.Finder.Index}, func(index *search.Index) (*engine.DB, error) {
		return engine.OpenPostgres(ctx, j.url, engine.Options{Migrations: schema.Postgres, Follower: index, Now: time.Now, Logger: j.logger()})
	}, move.End{What: "database", Name: j.address, Files: j.beside})
}

// lockForLook holds the folder for a dry run, and leaves no trace of that.
func lockForLook(j *moving) (unlock func(), err error) {
	file := filepath.Join(j.dir, folder.LockFile)
	_, missing := os.Stat(file)
	lock, err := folder.Lock(j.dir, j.logger())
	if err != nil {
		return nil, err
	}
	return func() {
		_ = lock.Close() // this process ends
		if missing != nil {
			_ = os.Remove(file)
		}
	}, nil
}

// back moves the database into the folder.
func (j *moving) back(ctx context.Context) error {
	if err := j.wantAlone(ctx); err != nil {
		return err
	}
	var begun string
	_, err := os.Stat(folder.DatabaseIn(j.dir))
	if err == nil {
		err = j.lookAtFolder(ctx, func(q engine.Reading, version int) (err error) {
			begun, err = move.WantTarget(q, version, "folder", j.dir)
			return err
		})
	} else {
		err = wantEmpty(j.dir)
	}
	if err := cmp.Or(j.wantSource(ctx, j.lookAtDatabase, j.address, begun), err); err != nil {
		return err
	}
	if j.c.dryRun {
		return j.dry(ctx, j.lookAtDatabase, begun, j.beside, j.address, j.dir)
	}
	lock, err := folder.Lock(j.dir, j.logger())
	if err != nil {
		return err
	}
	defer lock.Close()
	own, err := os.MkdirTemp("", "screentest-move-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(own)
	from, err := store.Open(ctx, own, store.Options{Database: j.url, SealKey: os.Getenv("SCREENTEST_SEAL_KEY"), Logger: j.logger(), Moving: true})
	if err != nil {
		return err
	}
	defer from.Close()
	return j.run(ctx, move.End{DB: from.Engine(), What: "database", Name: j.address, Files: j.beside, Index: from.Finder.Index}, func(index *search.Index) (*engine.DB, error) {
		path := folder.DatabaseIn(j.dir)
		if err := folder.MakePrivate(path, j.logger()); err != nil {
			return nil, err
		}
		return engine.Open(ctx, path, engine.Options{Migrations: schema.Files, Follower: index, Now: time.Now, Logger: j.logger()})
	}, move.End{What: "folder", Name: j.dir, Files: move.InFolder(j.dir)})
}

// wantEmpty refuses a folder that has something in it.
func wantEmpty(dir string) error {
	names, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	for _, n := range names {
		if n.Name() != folder.LockFile && n.Name() != folder.LostFound {
			return move.NotEmpty("folder", dir)
		}
	}
	return err
}

// wantSource refuses what can't be moved from.
func (j *moving) wantSource(ctx context.Context, look looking, name, begun string) error {
	return look(ctx, func(q engine.Reading, version int) error {
		if version == 0 {
			return fmt.Errorf("%s is empty: there is nothing to move", name)
		}
		return move.WantSource(q, j.box, begun)
	})
}

// looking calls fn with a database and its version.
type looking func(ctx context.Context, fn func(q engine.Reading, version int) error) error

// dry says what would be moved.
func (j *moving) dry(ctx context.Context, look looking, begun string, files move.Files, from, to string) error {
	return look(ctx, func(q engine.Reading, version int) error {
		all, err := move.Count(ctx, q, files)
		if err != nil {
			return err
		}
		if version < j.version {
			j.say("The database would first be brought from version %d to %d.", version, j.version)
		}
		w := tabwriter.NewWriter(j.stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
		for _, c := range all {
			fmt.Fprintf(w, "%s\t%d\t", c.What, c.Rows)
			if c.Bytes > 0 {
				fmt.Fprintf(w, "%d bytes\t", c.Bytes)
			}
			fmt.Fprintln(w)
		}
		if err := w.Flush(); err != nil {
			return err
		}
		if begun != "" {
			j.say("Half a move is in %s: it would go on, or begin anew if it was begun from another state.", to)
		}
		j.say("All of it would be moved from %s to %s. Nothing was changed.", from, to)
		return nil
	})
}

// run moves from one end to the other, which open opens.
func (j *moving) run(ctx context.Context, from move.End, open func(*search.Index) (*engine.DB, error), to move.End) (err error) {
	release, err := engine.HoldPostgres(ctx, j.url)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, release()) }()
	to.Index = search.NewIndex()
	if to.DB, err = open(to.Index); err != nil {
		return fmt.Errorf("open where it is moved to: %w", err)
	}
	defer func() { err = errors.Join(err, to.DB.Close()) }()
	began := time.Now()
	m := &move.Move{From: from, To: to, Box: j.box, Version: j.version, Now: time.Now, Say: j.say}
	r, err := m.Run(ctx)
	w := tabwriter.NewWriter(j.stdout, 0, 0, 2, ' ', 0)
	for _, l := range r.Lines {
		equal := "equal"
		if !l.Equal {
			equal = "DIFFERENT"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", l.What, l.From, l.To, equal)
	}
	if err := errors.Join(err, w.Flush()); err != nil {
		return err
	}
	j.say("Moved %s to %s in %.1f s. %s can only be read from now on.", from.Name, to.Name, time.Since(began).Seconds(), from.Name)
	j.say("Serve it with the same SCREENTEST_SEAL_KEY, without which nothing of it opens.")
	return nil
}
