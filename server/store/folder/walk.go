package folder

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
)

// LostFound is what file systems keep at the top of a disk, for root to read: a
// data folder, or what its archive leads to, may be a disk of its own.
const LostFound = "lost+found"

// EachFile calls fn with every file of the data folder dir, in order: its name
// with slashes, and where it is. As the server does, it follows a link in the
// place of dir, and those right in it: the archive may be on another disk. A
// link farther down, to nothing or to a folder that dir is in is not followed;
// fn gets the link itself. What skip says of a folder is true of all below it.
// A file that goes meanwhile is left out.
func EachFile(dir string, skip func(name string) bool, fn func(name, file string, info fs.FileInfo) error) error {
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return err
	}
	top, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, d := range top {
		root := filepath.Join(dir, d.Name())
		if d.Type()&fs.ModeSymlink != 0 {
			root = Follow(dir, root)
		}
		if err := filepath.WalkDir(root, func(file string, e fs.DirEntry, err error) error {
			if err != nil {
				return unlessGone(err)
			}
			below, err := filepath.Rel(root, file)
			if err != nil {
				return err
			}
			name := path.Join(d.Name(), filepath.ToSlash(below))
			if e.IsDir() {
				if e.Name() == LostFound || skip(name) {
					return fs.SkipDir
				}
				return nil
			}
			if skip(name) {
				return nil
			}
			info, err := e.Info()
			if err != nil {
				return unlessGone(err)
			}
			return fn(name, file, info)
		}); err != nil {
			return err
		}
	}
	return nil
}

// Follow is where the link leads to; the link itself, if that is nothing or a
// folder that dir is in, which would have no end.
func Follow(dir, link string) string {
	to, err := filepath.EvalSymlinks(link)
	if err != nil {
		return link
	}
	if within, err := filepath.Rel(to, dir); err == nil && filepath.IsLocal(within) {
		return link
	}
	return to
}

func unlessGone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
