// Command program does what the packed tables are read for: it collects
// garbage under deep stacks, grows and moves them, defers, panics and recovers,
// and looks at its own frames. What it prints tells whether that went right.
package main

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"time"
)

func main() {
	fmt.Println("deep:", deep(20_000, make([]byte, 64)))
	fmt.Println("many:", many())
	fmt.Println("defers:", defers(5))
	fmt.Println("recovered:", recovered(func() { var p *[4]int; _ = p[len(os.Args)] }))
	fmt.Println("recovered:", recovered(func() { _ = []int{1, 2}[len(os.Args)+5] }))
	fmt.Println("recovered:", recovered(func() { panic(errors.New("an error")) }))
	fmt.Println("recovered:", recovered(func() { panic(fmt.Sprint("once ", recovered(func() { panic("twice") }))) }))
	fmt.Println("recovered:", recovered(func() { var x any = "text"; _ = x.(fmt.Stringer) }))
	fmt.Println("recovered a nil receiver:", strings.HasSuffix(recovered(func() { nameOf(nobody()) }), "called using nil *value pointer"))
	fmt.Println("an exit runs what is deferred:", exits())
	fmt.Println("frames:", frames(10))
	time.Sleep(time.Millisecond)
	runtime.GC()
	if len(os.Args) > 1 && os.Args[1] == "panic" {
		go func() { panic("nobody recovers this") }()
		select {}
	}
	if len(os.Args) > 1 && os.Args[1] == "deadlock" {
		select {}
	}
}

type namer interface{ name() string }

type value struct{ s string }

func (v value) name() string { return v.s }

// Through these two the compiler can't see which method is called.
func nobody() namer         { var p *value; return p }
func nameOf(n namer) string { return n.name() }

// deep has pointers in every frame, and garbage collected while they are there.
func deep(n int, p []byte) int {
	local := make([]*int, 8) // not an array: js/wasm forgets one whose index is computed while the function waits
	sum := n
	local[n%8] = &sum
	if n%5000 == 0 {
		runtime.GC()
	}
	if n == 0 {
		return len(p)
	}
	s := strings.Repeat("x", n%7)
	d := deep(n-1, p)
	return d + *local[n%8] - n + len(s)
}

// many goroutines allocate, wait for each other and grow their stacks.
func many() int {
	var all sync.WaitGroup
	var mu sync.Mutex
	total := 0
	results := make(chan map[string][]int)
	for i := range 200 {
		all.Go(func() {
			m := map[string][]int{}
			for k := range 50 {
				m[fmt.Sprint(i, k)] = make([]int, k)
			}
			runtime.Gosched()
			n := deep(i*10, nil)
			mu.Lock()
			total += len(m) + n - n
			mu.Unlock()
			results <- m
		})
	}
	go func() { all.Wait(); close(results) }()
	for m := range results {
		runtime.GC()
		for _, v := range m {
			total += len(v)
		}
	}
	return total
}

func defers(n int) (order string) {
	defer func() { order += "a" }()
	for i := range n {
		defer func() { order += fmt.Sprint(i) }()
	}
	if n > 3 {
		defer func() { order += "b" }()
	}
	return "r"
}

func recovered(f func()) (s string) {
	defer func() {
		runtime.GC()
		s = fmt.Sprint(recover())
	}()
	f()
	return "nothing"
}

func exits() (n int) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() { n++ }()
		runtime.Goexit()
	}()
	<-done
	return n
}

func frames(n int) int {
	if n > 0 {
		return frames(n - 1)
	}
	pcs := make([]uintptr, 50)
	pcs = pcs[:runtime.Callers(0, pcs)]
	seen := 0
	for fs := runtime.CallersFrames(pcs); ; {
		f, more := fs.Next()
		seen += len(f.Function)*0 + 1
		if !more {
			break
		}
	}
	_, _, _, ok := runtime.Caller(1)
	if !ok || runtime.FuncForPC(pcs[0]) == nil {
		return -1
	}
	return min(seen, 11)
}
