package main

/*
#include <promise.h>

static promise_t *resolved(promise_kind_t kind, uint64_t bits) {
  promise_value_t value = {.kind = kind, .as.u64 = bits};
  return promise_new_resolved(&value);
}
static promise_t *rejected(void) {
  promise_value_t reason;
  promise_value_error(&reason, "x", 7, "of C");
  return promise_new_rejected(&reason);
}
static promise_t *rejected_void(void) {
  promise_value_t reason = {.kind = PROMISE_KIND_VOID};
  return promise_new_rejected(&reason);
}
// The code of the reason, if that is an ERROR; or its kind.
static int64_t reason_of(promise_t *promise) {
  promise_value_t reason;
  promise_result(promise, &reason);
  int64_t number = reason.kind == PROMISE_KIND_ERROR ? promise_value_code(&reason) : (int64_t)reason.kind;
  promise_value_release(&reason);
  return number;
}
*/
import "C"

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"
)

func expect(holds bool) {
	if !holds {
		panic("an expectation does not hold")
	}
}

func must[Made any](made Made, err error) Made {
	if err != nil {
		panic(err)
	}
	return made
}

// Checks promise.go; with the argument `scarce`, while memory runs out.
func main() {
	if len(os.Args) > 1 && os.Args[1] == "scarce" {
		checkScarce()
		return
	}
	always := context.Background()
	queue := must(NewQueue())

	source := must(queue.New())
	next := must(source.Then(func(number int64) (int64, error) { return number + 1, nil }))
	broken := must(next.Then(func(int64) (int64, error) { return 0, errors.New("broken") }))
	expect(source.Resolve(41) && !source.Resolve(42))
	expect(next.Await(always) == Outcome{Number: 42})
	expect(broken.Await(always).Err.Error() == "broken")

	// The source is destroyed while pending.
	lost := must(queue.New())
	dropped := must(lost.Then(func(int64) (int64, error) { panic("called") }))
	lost.Release()
	expect(dropped.Await(always).Err.Error() == "cancelled")
	dropped.Release()

	// Reasons pass unchanged: an error of C with its code, and a cancellation.
	cancelled := must(queue.New())
	C.promise_discard(cancelled.handle)
	for _, rejected := range []struct {
		promise Promise
		message string
		reason  C.int64_t
	}{{Promise{queue, C.rejected()}, "of C", 7}, {cancelled, "cancelled", C.PROMISE_KIND_DISCARDED},
		{Promise{queue, C.rejected_void()}, "the reason has no equivalent in Go", C.PROMISE_KIND_VOID}} {
		passes := must(rejected.promise.Then(func(int64) (int64, error) { panic("called") }))
		expect(passes.Await(always).Err.Error() == rejected.message)
		expect(C.reason_of(passes.handle) == rejected.reason)
		passes.Release()
		rejected.promise.Release()
	}

	// Texts of errors arrive whole; bytes that are not UTF-8 are replaced.
	for text, arrives := range map[string]string{"a\x00b": "a\x00b", "caf\xff": "caf\uFFFD"} {
		texts := must(queue.New())
		expect(texts.Reject(errors.New(text)) && texts.Await(always).Err.Error() == arrives)
		texts.Release()
	}

	// A derived promise is settled by hand, before its source.
	waits := must(queue.New())
	hand := must(waits.Then(func(int64) (int64, error) { panic("called") }))
	expect(hand.Resolve(7) && !hand.Resolve(8) && waits.Resolve(1))
	expect(hand.Await(always) == Outcome{Number: 7})
	hand.Release()
	waits.Release()
	// The events of all tags are taken, that of the promise settled by hand included.
	for deadline := time.Now().Add(time.Minute); queue.size() > 0; time.Sleep(time.Millisecond) {
		expect(time.Now().Before(deadline))
	}

	// Numbers arrive unchanged, or as an error.
	for _, value := range []struct {
		kind   C.promise_kind_t
		bits   uint64
		number int64
		exact  bool
	}{
		{C.PROMISE_KIND_I64, 1 << 63, -1 << 63, true}, {C.PROMISE_KIND_VOID, 7, 0, true},
		{C.PROMISE_KIND_U64, 7, 7, true}, {C.PROMISE_KIND_U64, 1 << 63, 0, false}, {C.PROMISE_KIND_F64, 7, 0, false},
	} {
		other := Promise{queue, C.resolved(value.kind, C.uint64_t(value.bits))}
		outcome := other.Await(always)
		expect(outcome.Number == value.number && (outcome.Err == nil) == value.exact)
		other.Release()
	}

	never := must(queue.New())
	for i := 0; i < 100; i++ {
		soon, cancel := context.WithTimeout(always, 100*time.Microsecond)
		expect(never.Await(soon).Err == context.DeadlineExceeded)
		cancel()
	}
	expect(queue.size() == 0)

	var all sync.WaitGroup
	for i := 0; i < 1000; i++ {
		all.Add(1)
		go func() {
			defer all.Done()
			timer := must(queue.Sleep(time.Millisecond))
			expect(timer.Await(always).Err == nil)
			timer.Release()
		}()
	}
	all.Wait()

	// Goroutines await until the queue closes.
	ends := make(chan error)
	for i := 0; i < 2; i++ {
		go func() { ends <- never.Await(always).Err }()
	}
	for deadline := time.Now().Add(time.Minute); queue.size() < 2; time.Sleep(time.Millisecond) {
		expect(time.Now().Before(deadline))
	}

	// Timers fire while the queue closes and the process exits: nobody takes their events.
	for i := 0; i < 200; i++ {
		timer := must(queue.Sleep(time.Duration(i) * 10 * time.Microsecond))
		must(timer.Then(func(int64) (int64, error) { return 0, nil })).Release()
		timer.Release()
	}
	queue.Close()
	expect(<-ends == Status(C.PROMISE_ECLOSED) && <-ends == Status(C.PROMISE_ECLOSED))
	expect(never.Await(always).Err == Status(C.PROMISE_ECLOSED))
	for _, promise := range []Promise{source, next, broken, never} {
		promise.Release()
	}
	fmt.Println("passed")
}
