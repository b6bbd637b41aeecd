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
static promise_status_t reject(promise_t *promise, const char *message, size_t length) {
  promise_value_t value;
  promise_value_error_sized(&value, "go", 2, 1, message, length);
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
	"strings"
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

// A handler of an event, which is nil if the queue is closed first.
type handler func(event *C.promise_event_t)

// Queue takes the events of its promises until it is closed.
type Queue struct {
	handle  *C.promise_queue_t
	mutex   sync.Mutex
	tag     C.uint64_t
	waiting map[C.uint64_t]handler
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
	queue := &Queue{waiting: map[C.uint64_t]handler{}, done: make(chan struct{})}
	if queue.handle = C.open_queue(&status); queue.handle == nil {
		C.free(unsafe.Pointer(events))
		return nil, check(status)
	}
	go queue.run(events)
	return queue, nil
}

// Close ends the goroutine. No event comes afterwards: each Await that waits returns PROMISE_ECLOSED.
func (queue *Queue) Close() {
	C.promise_queue_retain(queue.handle)
	C.promise_queue_free(queue.handle)
	<-queue.done
	queue.mutex.Lock()
	waiting := queue.waiting
	queue.waiting = nil
	queue.mutex.Unlock()
	for _, handle := range waiting {
		handle(nil)
	}
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
			// Nil if the wait ended after this event had been taken.
			if handle := queue.forget(event.tag); handle != nil {
				handle(event)
			}
			C.promise_value_release(&event.value)
			if event.promise != nil {
				C.promise_release(event.promise)
			}
		}
	}
}

// Reads the outcome in an event, and keeps the event as it is.
func read(event *C.promise_event_t) Outcome {
	switch kind := event.value.kind; {
	case event.state == C.PROMISE_FULFILLED:
		number := int64(C.number(event))
		if kind == C.PROMISE_KIND_I64 || kind == C.PROMISE_KIND_VOID || kind == C.PROMISE_KIND_U64 && number >= 0 {
			return Outcome{Number: number}
		}
		return Outcome{Err: errors.New("the value is no integer of int64")}
	case kind == C.PROMISE_KIND_ERROR:
		var length C.size_t
		message := C.promise_value_data(&event.value, &length)
		return Outcome{Err: errors.New(C.GoStringN(message, C.int(length)))}
	case event.kind == C.PROMISE_EVENT_DROPPED || kind == C.PROMISE_KIND_DISCARDED:
		return Outcome{Err: errors.New("cancelled")}
	default:
		return Outcome{Err: errors.New("the reason has no equivalent in Go")}
	}
}

// Calls ask with a new tag, and keeps the handler for its event unless that fails. The event waits for the lock.
func (queue *Queue) ask(handle handler, ask func(tag C.uint64_t) C.promise_status_t) (C.uint64_t, error) {
	queue.mutex.Lock()
	defer queue.mutex.Unlock()
	if queue.waiting == nil {
		return 0, Status(C.PROMISE_ECLOSED)
	}
	queue.tag++
	if err := check(ask(queue.tag)); err != nil {
		return 0, err
	}
	queue.waiting[queue.tag] = handle
	return queue.tag, nil
}

func (queue *Queue) forget(tag C.uint64_t) handler {
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
	text := strings.ToValidUTF8(err.Error(), "\uFFFD")
	message := C.CString(text)
	defer C.free(unsafe.Pointer(message))
	return C.reject(promise, message, C.size_t(len(text)))
}

// Then calls body with the number on a goroutine once the promise is fulfilled. The returned promise ends as that call
// does. A rejection passes to it unchanged. If the promise is destroyed while pending, the returned one is cancelled.
func (promise Promise) Then(body func(int64) (int64, error)) (Promise, error) {
	queue := promise.queue
	var derived *C.promise_t
	handle := func(event *C.promise_event_t) {
		switch {
		case event == nil || event.kind != C.PROMISE_EVENT_CALL:
			// The body will never be called: the queue was closed, the source was destroyed while pending, or the promise
			// is settled. If all its references were released, its handle is stale.
			C.promise_discard(derived)
		case event.state == C.PROMISE_REJECTED:
			event.state = C.PROMISE_REJECT
			C.promise_queue_answer(event, 1)
		default:
			outcome, answer := read(event), event.promise
			event.promise = nil
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
		}
	}
	_, err := queue.ask(handle, func(tag C.uint64_t) (status C.promise_status_t) {
		derived = C.then(queue.handle, promise.handle, tag, &status)
		return status
	})
	return Promise{queue, derived}, err
}

// Await waits for the outcome, or until the context is done, which ends the watch.
func (promise Promise) Await(wait context.Context) Outcome {
	queue := promise.queue
	settled := make(chan Outcome, 1)
	handle := func(event *C.promise_event_t) {
		if event == nil {
			settled <- Outcome{Err: Status(C.PROMISE_ECLOSED)}
		} else {
			settled <- read(event)
		}
	}
	tag, err := queue.ask(handle, func(tag C.uint64_t) C.promise_status_t {
		return C.promise_queue_watch(queue.handle, promise.handle, tag)
	})
	if err != nil {
		return Outcome{Err: err}
	}
	select {
	case outcome := <-settled:
		return outcome
	case <-wait.Done():
		C.promise_queue_unwatch(queue.handle, tag)
		queue.forget(tag)
		return Outcome{Err: wait.Err()}
	}
}
