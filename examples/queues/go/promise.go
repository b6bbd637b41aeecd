// Promises of libpromise.so for Go, on the completion queue alone: nothing calls into Go. One goroutine takes the
// events. A failed call returns a Status as its error, and changes nothing.
package main

/*
#cgo pkg-config: promise
#include <stdlib.h>
#include <promise.h>

static int64_t number(const promise_event_t *event) {
  return event->value.kind == PROMISE_KIND_VOID ? 0 : event->value.as.i64;
}
static promise_status_t resolve(promise_t *promise, int64_t number) {
  promise_value_t value = {.kind = PROMISE_KIND_I64, .as.i64 = number};
  return promise_resolve(promise, &value);
}
// Rejects with an error, or with VOID if there is no memory for the error.
static promise_status_t reject(promise_t *promise, const char *message) {
  promise_value_t value;
  promise_value_error(&value, "go", 1, message);
  return promise_reject(promise, &value);
}

// Returns the status with the result: promise_last_status() belongs to the thread, and a goroutine may change threads
// between two calls.
static promise_queue_t *open_queue(promise_status_t *status) {
  promise_queue_t *queue = promise_queue_new();
  *status = queue == NULL ? promise_last_status() : PROMISE_OK;
  return queue;
}
static promise_t *made(promise_t *promise, promise_status_t *status) {
  *status = promise == NULL ? promise_last_status() : PROMISE_OK;
  return promise;
}
static promise_t *new(promise_status_t *status) { return made(promise_new(), status); }
static promise_t *pause(int64_t nanoseconds, promise_status_t *status) {
  return made(promise_sleep(nanoseconds), status);
}
static promise_t *then(promise_queue_t *queue, promise_t *source, uint64_t tag, promise_status_t *status) {
  return made(promise_queue_then(queue, source, tag), status);
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

// Status is the reason for which a call of the library failed.
type Status int32

func (status Status) Error() string {
	return C.GoString(C.promise_status_name(C.promise_status_t(status)))
}

func check(status C.promise_status_t) error {
	if status < 0 {
		return Status(status)
	}
	return nil
}

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

const room = 64

// NewQueue starts a goroutine that takes events.
func NewQueue() (*Queue, error) {
	events := (*[room]C.promise_event_t)(C.calloc(room, C.sizeof_promise_event_t))
	if events == nil {
		return nil, Status(C.PROMISE_ENOMEM)
	}
	var status C.promise_status_t
	queue := &Queue{waiting: map[uint64]func(Outcome, *C.promise_t){}, done: make(chan struct{})}
	if queue.handle = C.open_queue(&status); queue.handle == nil {
		C.free(unsafe.Pointer(events))
		return nil, check(status)
	}
	go queue.run(events)
	return queue, nil
}

// Close ends the goroutine. No event comes afterwards.
func (queue *Queue) Close() {
	C.promise_queue_retain(queue.handle)
	C.promise_queue_free(queue.handle)
	<-queue.done
	C.promise_queue_release(queue.handle)
}

func (queue *Queue) run(events *[room]C.promise_event_t) {
	defer close(queue.done)
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
			switch kind := event.value.kind; {
			case kind == C.PROMISE_KIND_I64, kind == C.PROMISE_KIND_VOID:
			case kind == C.PROMISE_KIND_U64 && outcome.Number >= 0:
			default:
				outcome = Outcome{Err: errors.New("the value is no integer of int64")}
			}
			if event.state != C.PROMISE_FULFILLED {
				outcome = Outcome{Err: errors.New("cancelled")}
				if event.value.kind == C.PROMISE_KIND_ERROR {
					outcome.Err = errors.New(C.GoString(C.promise_value_data(&event.value, nil)))
				}
			}
			C.promise_value_release(&event.value)
			// Nil if the wait ended after this event had been taken.
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

// Returns the number of tags whose event is to come.
func (queue *Queue) size() int {
	queue.mutex.Lock()
	defer queue.mutex.Unlock()
	return len(queue.waiting)
}

// Promise is a reference, which Release ends.
type Promise struct {
	queue  *Queue
	handle *C.promise_t
}

// New makes a pending promise.
func (queue *Queue) New() (Promise, error) {
	var status C.promise_status_t
	handle := C.new(&status)
	return Promise{queue, handle}, check(status)
}

// Sleep makes a promise that is fulfilled after a while.
func (queue *Queue) Sleep(duration time.Duration) (Promise, error) {
	var status C.promise_status_t
	handle := C.pause(C.int64_t(duration), &status)
	return Promise{queue, handle}, check(status)
}

func (promise Promise) Release() { C.promise_release(promise.handle) }

// Resolve settles the promise; false if it is settled already. A call of Then that is not due yet is dropped.
func (promise Promise) Resolve(number int64) bool {
	return C.resolve(promise.handle, C.int64_t(number)) == C.PROMISE_OK
}

func (promise Promise) Reject(err error) bool { return reject(promise.handle, err) == C.PROMISE_OK }

func reject(promise *C.promise_t, err error) C.promise_status_t {
	message := C.CString(err.Error())
	defer C.free(unsafe.Pointer(message))
	return C.reject(promise, message)
}

// Then calls body with the number on a goroutine once the promise is fulfilled. The returned promise ends as that call
// does. If the promise is destroyed while pending, the returned one stays pending: await it with a context.
func (promise Promise) Then(body func(int64) (int64, error)) (Promise, error) {
	queue := promise.queue
	tag := queue.remember(func(outcome Outcome, answer *C.promise_t) {
		if answer == nil {
			// The promise was settled before, or the source was destroyed while pending.
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
	var status C.promise_status_t
	handle := C.then(queue.handle, promise.handle, tag, &status)
	if handle == nil {
		queue.forget(uint64(tag))
	}
	return Promise{queue, handle}, check(status)
}

// Await waits for the outcome, or until the context is done, which ends the watch.
func (promise Promise) Await(wait context.Context) Outcome {
	settled := make(chan Outcome, 1)
	tag := promise.queue.remember(func(outcome Outcome, _ *C.promise_t) { settled <- outcome })
	if err := check(C.promise_queue_watch(promise.queue.handle, promise.handle, tag)); err != nil {
		promise.queue.forget(uint64(tag))
		return Outcome{Err: err}
	}
	select {
	case outcome := <-settled:
		return outcome
	case <-wait.Done():
		C.promise_queue_unwatch(promise.queue.handle, tag)
		promise.queue.forget(uint64(tag))
		return Outcome{Err: wait.Err()}
	}
}
