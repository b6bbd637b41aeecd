<?php
// promise.php - promises of libpromise.so for PHP, on the completion queue alone: the library never calls into PHP.
//
//   Loop::spawn(function () {
//     Loop::await(Promise::sleep(0.01));
//     echo Loop::await($somePromise);
//   });
//   Loop::run();       // until every fiber has ended
//
// LIBPROMISE names the library; without it, the installed one is loaded. Needs the extension FFI, and PHP 8.1 for
// fibers. A failed call, for example because memory has run out, throws a RuntimeException with the name of the status,
// and changes nothing.
//
// Values are null, booleans, integers, floats, and strings of UTF-8. A promise as a value is followed. BYTES arrive as
// a string, a PROMISE as a promise; a value of another kind throws an exception where it is read.
//
// promise_library.php declares and loads the library, promise_loop.php takes the events.
require_once __DIR__ . '/promise_library.php';
require_once __DIR__ . '/promise_loop.php';

// PHP checks declared types at each call and each assignment, and looks up `self` at each use. In code that every call
// and event passes, that would cost as much as a call into the library.
final class Promise
{
    /** The promise in C, a reference; 0 until it is needed, and again after a fulfilment here. */
    public $handle = 0;
    /** Whether only C knows the outcome: others may have the handle, or the outcome is not an integer. */
    public $isShared = false;
    /** Whether the promise was fulfilled here, so that its value needs no call. */
    public $isFulfilled = false;
    public $value = null;
    /** Called with the value of the source, and its tag. */
    public $body = null;
    public $tag = 0;

    // The words of an event, the places of its promise and value in it, and numbers: a constant of another constant is
    // looked up at each use.
    private const WORDS = 6, PROMISE = 2, VALUE = 3, PAYLOAD = 4, I64 = 3, FULFILL = 33 | 16 << 32;

    public function __destruct()
    {
        if ($this->handle !== 0) {
            Library::$c->promise_release($this->handle);
        }
    }

    /** A copy would release the reference of the original. */
    private function __clone()
    {
    }

    public function __serialize(): array
    {
        throw new LogicException('a Promise belongs to its process');
    }

    /** Returns the promise in C, borrowed, for other functions of the library. */
    public function handle(): int
    {
        $this->handle ?: $this->make();
        if (!$this->isShared) {
            $this->isShared = true;
            // PHP may release the promise late; until then it must not keep the promise from being cancelled. then()
            // has sealed a promise with a body.
            $this->body === null && Library::$c->promise_seal($this->handle);
        }
        return $this->handle;
    }

    /** Takes over a reference to a promise in C. */
    public static function of(int $handle): self
    {
        $promise = new self();
        $promise->handle = $handle;
        $promise->handle();
        return $promise;
    }

    private function make(): int
    {
        if (!$this->isFulfilled) {
            return $this->handle = Library::made(Library::$c->promise_new());
        }
        Library::store(Library::$scratch, 0, $this->value);
        return $this->handle = Library::made(Library::$c->promise_new_resolved(Library::$scratchAddress));
    }

    public static function sleep(float $seconds): self
    {
        return self::of(Library::made(Library::$c->promise_sleep((int) min($seconds * 1e9, 9.2e18))));
    }

    /**
     * Settles the promise; false if it is settled already. If then() returned it, its function is not called.
     * With another promise as the value, the promise ends as that one does.
     */
    public function resolve($value)
    {
        if ($this->isFulfilled) {
            return false;
        }
        if ($this->isShared || $this->body !== null || !is_int($value)) {
            $handle = $this->handle();
            if ($value instanceof Promise) {
                return $this->settled(Library::$c->promise_follow($handle, $value->handle()));
            }
            Library::store(Library::$scratch, 0, $value);
            return $this->settled(Library::$c->promise_resolve($handle, Library::$scratchAddress));
        }
        // No other code can settle the promise, and only events that a step takes depend on it.
        $this->isFulfilled = true;
        $this->value = $value;
        if ($this->handle !== 0) {
            $events = Loop::$events;
            $at = Loop::$used * self::WORDS;
            $events[$at] = self::FULFILL;
            $events[$at + self::PROMISE] = $this->handle;
            $events[$at + self::VALUE] = self::I64;
            $events[$at + self::PAYLOAD] = $value;
            $this->handle = 0;
            if (++Loop::$used === Loop::ROOM) {
                Loop::answer();
            }
        }
        return true;
    }

    public function reject(string $message): bool
    {
        $handle = $this->handle();
        Library::storeError(Library::$scratch, 0, $message);
        return $this->settled(Library::$c->promise_reject($handle, Library::$scratchAddress));
    }

    /** Returns whether a call with this status settled the promise. A promise of then() needs no event any more. */
    private function settled(int $status): bool
    {
        if ($status === Library::ESETTLED) {
            return false;
        }
        Library::check($status);
        if ($this->body !== null) {
            $this->body = null;
            unset(Library::$waiting[$this->tag]);
        }
        return true;
    }

    /** Returns the value; throws the reason of a rejected promise, or a LogicException while the promise is pending. */
    public function result()
    {
        if ($this->isFulfilled) {
            return $this->value;
        }
        $words = Library::$scratch;
        $status = Library::$c->promise_result($this->handle(), Library::$scratchAddress);
        if ($status === Library::EPENDING) {
            throw new LogicException('the promise is pending');
        }
        Library::check($status);
        $value = Library::load($words, 0);
        if (Library::$c->promise_state($this->handle) === Library::REJECTED) {
            throw Library::reason($value);
        }
        return $value;
    }

    /**
     * Calls $body with the value once the promise is fulfilled. Returns a promise that ends as that call does, or as
     * the promise that $body returns. A rejection passes unchanged.
     */
    public function then($body)
    {
        $derived = new Promise();
        $derived->body = $body;
        $derived->tag = $tag = ++Library::$tag;
        $c = Library::$c;
        if ($this->handle === 0) {
            $this->handle = ($this->isFulfilled ? $this->make() : $c->promise_new()) ?: Library::fail();
        }
        $derived->handle = $c->promise_queue_then(Library::$queue, $this->handle, $tag) ?: Library::fail();
        // The table keeps the object until its event; that must not keep the source from being cancelled.
        $c->promise_seal($derived->handle);
        return Library::$waiting[$tag] = $derived;
    }
}

Library::open();
Loop::open();
