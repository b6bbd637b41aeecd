package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

func expect(holds bool) {
	if !holds {
		panic("an expectation does not hold")
	}
}

// Checks promise.go.
func main() {
	always := context.Background()
	queue := NewQueue()

	source := queue.New()
	next := source.Then(func(number int64) (int64, error) { return number + 1, nil })
	broken := next.Then(func(int64) (int64, error) { return 0, errors.New("broken") })
	expect(source.Resolve(41) && !source.Resolve(42))
	expect(next.Await(always) == Outcome{Number: 42})
	expect(broken.Await(always).Err.Error() == "broken")

	// The source is destroyed while pending.
	lost := queue.New()
	dropped := lost.Then(func(int64) (int64, error) { panic("called") })
	lost.Release()
	late, stop := context.WithTimeout(always, 50*time.Millisecond)
	expect(dropped.Await(late).Err == context.DeadlineExceeded)
	stop()
	dropped.Release()

	never := queue.New()
	for i := 0; i < 100; i++ {
		soon, cancel := context.WithTimeout(always, 100*time.Microsecond)
		expect(never.Await(soon).Err == context.DeadlineExceeded)
		cancel()
	}
	expect(len(queue.waiting) == 0)

	var all sync.WaitGroup
	for i := 0; i < 1000; i++ {
		all.Add(1)
		go func() {
			defer all.Done()
			timer := queue.Sleep(time.Millisecond)
			expect(timer.Await(always).Err == nil)
			timer.Release()
		}()
	}
	all.Wait()

	// Timers fire while the queue closes and the process exits: nobody takes these.
	for i := 0; i < 200; i++ {
		queue.Sleep(time.Duration(i) * 10 * time.Microsecond).Then(func(int64) (int64, error) { return 0, nil }).Release()
	}
	for _, promise := range []Promise{source, next, broken, never} {
		promise.Release()
	}
	queue.Close()
	fmt.Println("passed")
}
