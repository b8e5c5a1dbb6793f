// Command timers sets one of its timers to an earlier time while another is
// stopped, and says whether it comes before a third, which is much later.
package main

import (
	"fmt"
	"time"
)

func main() {
	const later = 10 * time.Second
	time.AfterFunc(later, func() {})
	stopped := time.AfterFunc(time.Hour, func() {})
	frames := time.NewTicker(time.Hour)
	came := make(chan struct{})
	go func() {
		<-frames.C
		close(came)
	}()
	time.Sleep(10 * time.Millisecond) // until it is waited for

	begun := time.Now()
	frames.Reset(8 * time.Millisecond)
	stopped.Stop()
	<-came
	if took := time.Since(begun); took > later/2 {
		fmt.Printf("forgotten for %v\n", took)
		return
	}
	fmt.Println("in time")
}
