// Command verdicts prints the validator's verdict for each request of the
// corpus, a line each: the endpoint, the body and the verdict as JSON. A test
// builds it for js/wasm too and compares the two.
//
//	verdicts SEED COUNT
package main

import (
	"bufio"
	"fmt"
	"os"
	"strconv"

	"screentest/shared/gateway"
	"screentest/shared/gateway/gatewaytest"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "verdicts:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 2 {
		return fmt.Errorf("give a seed and a count, not %d arguments", len(args))
	}
	seed, err := strconv.ParseUint(args[0], 10, 64)
	if err != nil {
		return fmt.Errorf("seed: %w", err)
	}
	count, err := strconv.Atoi(args[1])
	if err != nil {
		return fmt.Errorf("count: %w", err)
	}
	out := bufio.NewWriterSize(os.Stdout, 1<<16)
	if err := gatewaytest.WriteVerdicts(out, gateway.SampleCatalogue(), seed, count); err != nil {
		return err
	}
	return out.Flush()
}
