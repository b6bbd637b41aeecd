// Promises of libpromise.so for Go, on the completion queue alone: nothing calls into Go. One goroutine takes the events.
package main

/*
#cgo pkg-config: promise
#include <stdlib.h>
#include <promise.h>

static int64_t number(const promise_event_t *event) { return event->value.as.i64; }
static promise_status_t resolve(promise_t *promise, int64_t number) {
  promise_value_t value = {.kind = PROMISE_KIND_I64, .as.i64 = number};
  return promise_resolve(promise, &value);
}
static promise_status_t reject(promise_t *promise, const char *message) {
  promise_value_t value;
  promise_value_error(&value, "go", 1, message);
  return promise_reject(promise, &value);
}
*/
import "C"

import (
	"context"
	"errors"
	"sync"
	"time"
	"unsafe"
)

// Outcome is how a promise ended: a number, or an error.
type Outcome struct {
	Number int64
	Err    error
}

// Queue takes the events of its promises until it is closed.
type Queue struct {
	handle  *C.promise_queue_t
	mutex   sync.Mutex
	tag     uint64
	waiting map[uint64]func(Outcome, *C.promise_t)
	done    chan struct{}
}

// NewQueue starts a goroutine that takes events.
func NewQueue() *Queue {
	queue := &Queue{C.promise_queue_new(), sync.Mutex{}, 0, map[uint64]func(Outcome, *C.promise_t){}, make(chan struct{})}
	go queue.run()
	return queue
}

// Close ends the goroutine. No event comes afterwards.
func (queue *Queue) Close() {
	C.promise_queue_retain(queue.handle)
	C.promise_queue_free(queue.handle)
	<-queue.done
	C.promise_queue_release(queue.handle)
}

func (queue *Queue) run() {
	const room = 64
	defer close(queue.done)
	events := (*[room]C.promise_event_t)(C.calloc(room, C.sizeof_promise_event_t))
	defer C.free(unsafe.Pointer(events))
	for {
		count := C.promise_queue_take(queue.handle, &events[0], room, -1)
		if count == C.PROMISE_EINTR {
			continue
		}
		if count < 0 {
			return
		}
		for i := 0; i < int(count); i++ {
			event := &events[i]
			outcome := Outcome{Number: int64(C.number(event))}
			if event.state != C.PROMISE_FULFILLED {
				outcome = Outcome{Err: errors.New("cancelled")}
				if event.value.kind == C.PROMISE_KIND_ERROR {
					outcome.Err = errors.New(C.GoString(C.promise_value_data(&event.value, nil)))
				}
			}
			C.promise_value_release(&event.value)
			if handle := queue.forget(uint64(event.tag)); handle != nil {
				handle(outcome, event.promise)
			}
		}
	}
}

func (queue *Queue) remember(handle func(Outcome, *C.promise_t)) C.uint64_t {
	queue.mutex.Lock()
	defer queue.mutex.Unlock()
	queue.tag++
	queue.waiting[queue.tag] = handle
	return C.uint64_t(queue.tag)
}

func (queue *Queue) forget(tag uint64) func(Outcome, *C.promise_t) {
	queue.mutex.Lock()
	defer queue.mutex.Unlock()
	handle := queue.waiting[tag]
	delete(queue.waiting, tag)
	return handle
}

// Promise is a reference; give it back with Release.
type Promise struct {
	queue  *Queue
	handle *C.promise_t
}

// New makes a pending promise.
func (queue *Queue) New() Promise { return Promise{queue, C.promise_new()} }

// Sleep makes a promise that is fulfilled after a while.
func (queue *Queue) Sleep(duration time.Duration) Promise {
	return Promise{queue, C.promise_sleep(C.int64_t(duration))}
}

func (promise Promise) Release() { C.promise_release(promise.handle) }
func (promise Promise) Resolve(number int64) bool {
	return C.resolve(promise.handle, C.int64_t(number)) == 0
}
func (promise Promise) Reject(err error) bool { return reject(promise.handle, err) }

func reject(promise *C.promise_t, err error) bool {
	message := C.CString(err.Error())
	defer C.free(unsafe.Pointer(message))
	return C.reject(promise, message) == 0
}

// Then calls body with the number on a goroutine once the promise is fulfilled; the result ends as that call does. If
// the promise is destroyed while pending, the result stays pending: await it with a context.
func (promise Promise) Then(body func(int64) (int64, error)) Promise {
	tag := promise.queue.remember(func(outcome Outcome, answer *C.promise_t) {
		if answer == nil {
			return
		}
		go func() {
			defer C.promise_release(answer)
			if outcome.Err == nil {
				outcome.Number, outcome.Err = body(outcome.Number)
			}
			if outcome.Err != nil {
				reject(answer, outcome.Err)
			} else {
				C.resolve(answer, C.int64_t(outcome.Number))
			}
		}()
	})
	return Promise{promise.queue, C.promise_queue_then(promise.queue.handle, promise.handle, tag)}
}

// Await waits for the outcome, or until the context is done, which ends the watch.
func (promise Promise) Await(wait context.Context) Outcome {
	settled := make(chan Outcome, 1)
	tag := promise.queue.remember(func(outcome Outcome, _ *C.promise_t) { settled <- outcome })
	C.promise_queue_watch(promise.queue.handle, promise.handle, tag)
	select {
	case outcome := <-settled:
		return outcome
	case <-wait.Done():
		C.promise_queue_unwatch(promise.queue.handle, tag)
		promise.queue.forget(uint64(tag))
		return Outcome{Err: wait.Err()}
	}
}
