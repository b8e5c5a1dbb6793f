// Command compress writes FILE.br and FILE.gz beside each FILE, so that the
// server never compresses anything. It is run by make at build time.
//
//	compress [-level N] [-max-br BYTES] FILE...
//
// The level is brotli's, 0 to 11. For the browser's program 11, the default,
// takes the better part of a minute and 5 a second, with a quarter more to load.
// With -max-br it fails when a .br is larger than that, and leaves none behind.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"golang.org/x/sync/errgroup"
)

func main() {
	level := flag.Int("level", brotli.BestCompression, "brotli's `level`, 0 to 11; the .gz follows it")
	maxBr := flag.Int("max-br", 0, "fail when a .br has more `bytes` than this; 0 is no limit")
	flag.Usage = func() {
		fmt.Fprintf(flag.CommandLine.Output(), "usage: compress [-level N] [-max-br BYTES] FILE...\n")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() == 0 || *level < brotli.BestSpeed || *level > brotli.BestCompression {
		flag.Usage()
		os.Exit(2)
	}
	for _, name := range flag.Args() {
		line, err := compressFile(name, *level, *maxBr)
		if err != nil {
			fmt.Fprintln(os.Stderr, "compress:", err)
			os.Exit(1)
		}
		fmt.Println(line)
	}
}

// compressFile writes name.br at brotli's level, and name.gz, and returns a line
// with the sizes. A .br above maxBr bytes is an error, unless maxBr is 0.
func compressFile(name string, level, maxBr int) (string, error) {
	raw, err := os.ReadFile(name)
	if err != nil {
		return "", err
	}
	var br, gz []byte
	var both errgroup.Group
	both.Go(func() error {
		var err error
		br, err = compress(raw, func(w io.Writer) (io.WriteCloser, error) {
			// A window of 16 MiB, the largest that browsers take, holds the whole
			// program.
			return brotli.NewWriterOptions(w, brotli.WriterOptions{Quality: level, LGWin: 24}), nil
		})
		return err
	})
	both.Go(func() error {
		var err error
		gz, err = compress(raw, func(w io.Writer) (io.WriteCloser, error) {
			return gzip.NewWriterLevel(w, min(level, gzip.BestCompression))
		})
		return err
	})
	if err := both.Wait(); err != nil {
		return "", fmt.Errorf("compress %s: %w", name, err)
	}
	if maxBr > 0 && len(br) > maxBr {
		return "", fmt.Errorf("%s.br would be %d bytes, %d over the limit of %d: "+
			"find what made it larger (a new import?) before raising the limit", name, len(br), len(br)-maxBr, maxBr)
	}
	for suffix, p := range map[string][]byte{".br": br, ".gz": gz} {
		if err := writeFile(name+suffix, p); err != nil {
			return "", err
		}
	}
	return fmt.Sprintf("%s: %d bytes, .gz %d, .br %d", name, len(raw), len(gz), len(br)), nil
}

func compress(raw []byte, open func(io.Writer) (io.WriteCloser, error)) ([]byte, error) {
	var out bytes.Buffer
	w, err := open(&out)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(raw); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// writeFile writes p under another name first, so that a build that is stopped
// half-way never leaves a torn file that make takes for a finished one.
func writeFile(name string, p []byte) error {
	tmp, err := os.CreateTemp(filepath.Dir(name), ".compress-*")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name())
	if _, err := tmp.Write(p); err != nil {
		tmp.Close()
		return err
	}
	if err := tmp.Chmod(0o644); err != nil {
		tmp.Close()
		return err
	}
	if err := tmp.Close(); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), name)
}
