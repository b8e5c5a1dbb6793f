// Command pack makes a WebAssembly program that Go has linked shorter, without
// changing what it does.
//
//	pack [-names] IN OUT
//
// It joins the data segments that lie close together (memory.go), drops the
// names and lines of functions and lays out anew what the runtime needs to know
// of each function (functab.go), lets the program itself fill in what can be
// counted (start.go), and writes shorter where each call returns to (code.go).
//
// Of a panic in such a program its message is left; where it was, only a
// program packed with -names says.
package main

import (
	"flag"
	"fmt"
	"os"
)

func main() {
	names := flag.Bool("names", false, "keep the names and lines of functions, which stack traces need")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: pack [-names] IN OUT")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() != 2 {
		flag.Usage()
		os.Exit(2)
	}
	if err := run(flag.Arg(0), flag.Arg(1), *names); err != nil {
		fmt.Fprintln(os.Stderr, "pack:", err)
		os.Exit(1)
	}
}

func run(in, out string, names bool) error {
	linked, err := os.ReadFile(in)
	if err != nil {
		return err
	}
	packed, err := pack(linked, names)
	if err != nil {
		return fmt.Errorf("%s: %w", in, err)
	}
	return os.WriteFile(out, packed, 0o644)
}

// pack returns the program packed, with the names of functions or without.
func pack(linked []byte, names bool) ([]byte, error) {
	p, err := parse(linked)
	if err != nil {
		return nil, err
	}
	mem, err := p.memory()
	if err != nil {
		return nil, err
	}
	if !names {
		counted, err := shortenTables(mem)
		if err != nil {
			return nil, err
		}
		if err := p.shortenCode(); err != nil {
			return nil, err
		}
		if err := p.addStart(counted); err != nil {
			return nil, err
		}
	}
	p.setMemory(mem)
	return p.bytes(), nil
}
