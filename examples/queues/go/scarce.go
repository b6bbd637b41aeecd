package main

/*
#include <stddef.h>
// Functions of Tests/Examples/scarce/scarce.c, which is preloaded.
__attribute__((weak)) void scarce_odds(unsigned);
__attribute__((weak)) unsigned long scarce_failures(void);
static int is_preloaded(void) { return scarce_odds != NULL; }
*/
import "C"

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"
)

var long = strings.Repeat("a text that needs memory of its own ", 4)

// The tasks return errors of the library; any other failure panics.
var tasks = []func(*Queue) error{
	func(queue *Queue) error {
		timer, err := queue.Sleep(100 * time.Microsecond)
		if err != nil {
			return err
		}
		defer timer.Release()
		return timer.Await(context.Background()).Err
	},
	func(queue *Queue) error {
		source, err := queue.New()
		if err != nil {
			return err
		}
		defer source.Release()
		next, err := source.Then(func(number int64) (int64, error) { return number + 1, nil })
		if err != nil {
			return err
		}
		defer next.Release()
		expect(source.Resolve(41))
		outcome := next.Await(context.Background())
		expect(outcome.Err != nil || outcome.Number == 42)
		return outcome.Err
	},
	func(queue *Queue) error {
		source, err := queue.New()
		if err != nil {
			return err
		}
		defer source.Release()
		broken, err := source.Then(func(int64) (int64, error) { return 0, errors.New(long) })
		if err != nil {
			return err
		}
		defer broken.Release()
		expect(source.Resolve(1))
		outcome := broken.Await(context.Background())
		expect(outcome.Err != nil)
		return outcome.Err
	},
	func(*Queue) error {
		queue, err := NewQueue()
		if err == nil {
			queue.Close()
		}
		return err
	},
}

// Checks promise.go while memory runs out for libpromise: each task ends, and each failure is an error.
func checkScarce() {
	expect(C.is_preloaded() != 0)
	C.scarce_odds(1)
	_, err := NewQueue()
	expect(err != nil && err.Error() == "PROMISE_ENOMEM")
	C.scarce_odds(0)
	queue := must(NewQueue())
	var mutex sync.Mutex
	ended, failed := 0, 0
	for round := 1; round <= 60; round++ {
		var cells []Promise
		if round%2 == 0 {
			C.scarce_odds(1)
			for {
				cell, err := queue.New()
				if err != nil {
					break
				}
				cells = append(cells, cell)
			}
			for ; len(cells) > 0 && len(cells)%60 != 0; cells = cells[1:] {
				cells[0].Release()
			}
		}
		C.scarce_odds(3)
		if round%4 == 0 {
			C.scarce_odds(1)
		}
		var all sync.WaitGroup
		for index := 0; index < 4*len(tasks); index++ {
			task := tasks[index%len(tasks)]
			all.Add(1)
			go func() {
				defer all.Done()
				err := task(queue)
				mutex.Lock()
				defer mutex.Unlock()
				if err == nil {
					ended++
				} else {
					failed++
				}
			}()
		}
		all.Wait()
		C.scarce_odds(0)
		for _, cell := range cells {
			cell.Release()
		}
	}
	expect(ended+failed == 240*len(tasks) && ended > 0 && failed > 0 && C.scarce_failures() > 0)
	expect(queue.size() == 0)
	expect(tasks[0](queue) == nil && tasks[1](queue) == nil && tasks[3](queue) == nil)
	queue.Close()
	fmt.Printf("%d passed, 0 failed: %d errors\n", ended, failed)
}
