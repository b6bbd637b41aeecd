<?php
// promise.php - promises of libpromise.so for PHP, on the completion queue alone: the library never calls into PHP.
//
//   Loop::spawn(function () {
//     Loop::await(Promise::sleep(0.01));
//     echo Loop::await($somePromise);
//   });
//   Loop::run();       // until every fiber has ended
//
// LIBPROMISE names the library; without it, the installed one is loaded. Needs the extension FFI, and PHP 8.1 for fibers.
// A call that fails, because memory has run out say, throws a RuntimeException with the name of the status, and changes
// nothing.
//
// A call through FFI costs about 100 ns, and each pointer that it returns makes an object. So handles are declared as
// integers, which they are to a program; events and values are read as 64-bit words; and a batch of events is answered
// by one call. A promise that no other code can reach keeps its integer here, and the next step resolves and releases it
// in C together with others. Memory of the binding's own is allocated once, and passed by its address, an integer too.
const DECLARATIONS = <<<'C'
  typedef uintptr_t handle_t; /* promise_t *, promise_queue_t * */
  handle_t promise_new(void);
  handle_t promise_new_resolved(uintptr_t);
  int32_t promise_retain(handle_t);
  int32_t promise_release(handle_t);
  int32_t promise_resolve(handle_t, uintptr_t);
  int32_t promise_reject(handle_t, uintptr_t);
  int32_t promise_discard(handle_t);
  int32_t promise_state(handle_t);
  int32_t promise_last_status(void);
  const char *promise_status_name(int32_t);
  int32_t promise_result(handle_t, uintptr_t);
  handle_t promise_sleep(int64_t);
  int32_t promise_value_string(uintptr_t, const char *, size_t);
  int32_t promise_value_error_sized(uintptr_t, const char *, size_t, int64_t, const char *, size_t);
  int32_t promise_value_release(uintptr_t);
  const uint8_t *promise_value_data(uintptr_t, size_t *);
  handle_t promise_queue_new(void);
  int32_t promise_queue_free(handle_t);
  int32_t promise_queue_watch(handle_t, handle_t, uint64_t);
  handle_t promise_queue_then(handle_t, handle_t, uint64_t);
  int64_t promise_queue_take(handle_t, uintptr_t, size_t, int64_t);
  int32_t promise_queue_answer(uintptr_t, size_t);
C;

/** The queue, the closures and fibers of its tags, and values in memory: two words each, the kind and the payload. */
final class Library
{
    public const VOID = 1, BOOL = 2, I64 = 3, U64 = 4, F64 = 5, STRING = 7, ERROR = 11, PROMISE = 13, REJECTED = 3;
    public const ESETTLED = -3, EPENDING = -4, EINTR = -11;
    public static $c;
    public static $queue;
    /** Words to pass one value in, and a length. */
    public static FFI\CData $scratch, $length;
    public static int $scratchAddress;
    /** By tag, a number used once: a fiber that awaits, or a promise whose function is to be called. */
    public static $waiting = [];
    public static $tag = 0;

    public static function open(): void
    {
        self::$c = FFI::cdef(DECLARATIONS, getenv('LIBPROMISE') ?: 'libpromise.so.1');
        self::$queue = self::made(self::$c->promise_queue_new());
        self::$scratch = self::$c->new('int64_t[2]');
        self::$scratchAddress = self::address(self::$scratch);
        self::$length = self::$c->new('size_t[1]');
        // Settles the promises of others; then revokes everything: no event is produced after this.
        register_shutdown_function(function () {
            Loop::answer();
            self::$c->promise_queue_free(self::$queue);
        });
    }

    /** The handle, unless a call returned NULL. */
    public static function made(int $handle): int
    {
        return $handle ?: self::fail();
    }

    /** Throws the reason of a NULL. */
    public static function fail(): never
    {
        self::check(self::$c->promise_last_status());
        throw new LogicException('no call has failed');
    }

    public static function check(int $status): void
    {
        if ($status !== 0) {
            throw new RuntimeException('libpromise: ' . self::$c->promise_status_name($status));
        }
    }

    /** The address of the word at $place. */
    public static function address(FFI\CData $words, int $place = 0): int
    {
        return FFI::cast('intptr_t', FFI::addr($words[$place]))->cdata;
    }

    /** Writes a PHP value to the words at $place. */
    public static function store(FFI\CData $words, int $place, mixed $from): void
    {
        if (is_int($from)) {
            $words[$place] = self::I64;
            $words[$place + 1] = $from;
        } elseif (is_float($from)) {
            $words[$place] = self::F64;
            $words[$place + 1] = unpack('q', pack('d', $from))[1];
        } elseif ($from === null) {
            $words[$place] = self::VOID;
        } elseif (is_bool($from)) {
            $words[$place] = self::BOOL;
            $words[$place + 1] = (int) $from;
        } elseif ($from instanceof Promise) {
            self::check(self::$c->promise_retain($from->handle()));
            $words[$place] = self::PROMISE;
            $words[$place + 1] = $from->handle;
        } else {
            $text = (string) $from;
            self::check(self::$c->promise_value_string(self::address($words, $place), $text, strlen($text)));
        }
    }

    /** Writes an error to the words at $place. Without memory it becomes VOID: a rejection without a reason. */
    public static function storeError(FFI\CData $words, int $place, string $message): void
    {
        $value = self::address($words, $place);
        self::$c->promise_value_error_sized($value, 'php', 3, 1, $message, strlen($message));
    }

    /** Reads the value in the words at $place, and releases it. An integer beyond those of PHP becomes its digits. */
    public static function load(FFI\CData $words, int $place): mixed
    {
        switch ($words[$place] & 0xffffffff) {
            case self::I64: return $words[$place + 1];
            case self::U64: return $words[$place + 1] >= 0 ? $words[$place + 1] : sprintf('%u', $words[$place + 1]);
            case self::BOOL: return ($words[$place + 1] & 0xff) !== 0;
            case self::F64: return unpack('d', pack('q', $words[$place + 1]))[1];
            case self::STRING:
            case self::ERROR:
                $value = self::address($words, $place);
                $text = FFI::string(self::$c->promise_value_data($value, self::$length), self::$length[0]);
                self::$c->promise_value_release($value);
                return $text;
            default:
                self::$c->promise_value_release(self::address($words, $place));
                return null;
        }
    }
}

// PHP checks declared types at each call and each assignment, and looks `self` up at each use: where a crossing passes, that
// would cost as much as a call into the library.
final class Promise
{
    /** The promise in C, a reference; 0 until it is needed, and again once this was fulfilled here. */
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

    /** The promise in C, for other functions of the library: borrowed. */
    public function handle(): int
    {
        $this->isShared = true;
        return $this->handle ?: $this->make();
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
        $promise = new self();
        $promise->isShared = true;
        $promise->handle = Library::made(Library::$c->promise_sleep((int) ($seconds * 1e9)));
        return $promise;
    }

    /** Settles the promise; false if it is settled already. That of a then() will not call its function. */
    public function resolve($value)
    {
        if ($this->isFulfilled) {
            return false;
        }
        if ($this->isShared || $this->body !== null || !is_int($value)) {
            $handle = $this->handle();
            Library::store(Library::$scratch, 0, $value);
            return $this->settled(Library::$c->promise_resolve($handle, Library::$scratchAddress));
        }
        // No other code can settle it, and only events that a step takes depend on it.
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

    /** Whether a call with this status settled the promise. Then the event of a then() is released, and not taken. */
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

    /** The value of a fulfilled promise; throws the reason of a rejected one, and a LogicException while it is pending. */
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
            throw new Exception($value ?? 'cancelled');
        }
        return $value;
    }

    /**
     * Calls $body with the value once this is fulfilled; the promise ends as that call does, or as the promise that it
     * returns. A rejection passes.
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
        return Library::$waiting[$tag] = $derived;
    }
}

final class Loop
{
    // Of an event: its words, and offsets of them. TAKEN: as many as a step takes.
    private const WORDS = 6, TAG = 1, PROMISE = 2, VALUE = 3, PAYLOAD = 4, I64 = 3, TAKEN = 256;
    // The first word: a kind, and a state or verdict in the upper half.
    private const SETTLED_FULFILLED = 32 | 2 << 32;
    private const CALLED_FULFILLED = 33 | 2 << 32, CALLED_REJECTED = 33 | 3 << 32;
    private const FULFILL = 33 | 16 << 32, REJECT = 33 | 17 << 32, ADOPT = 33 | 18 << 32, SKIP = 33 | 20 << 32;
    public const ROOM = 768;

    /**
     * The events taken by the last step, with their answers, and behind them events that resolve and release promises: the
     * next step gives them to C in one call.
     */
    public static $events;
    public static $used = 0;
    /** The number of those that a step is handling; -1 outside of a step. */
    private static $taken = -1;
    private static $address;
    private static $fibers = 0;
    private static $failure = null;

    public static function open(): void
    {
        Loop::$events = Library::$c->new('int64_t[' . self::WORDS * self::ROOM . ']');
        Loop::$address = Library::address(Loop::$events);
    }

    /** Gives the events with a verdict to C, which settles and releases their promises. Events without a verdict stay as they are. */
    public static function answer()
    {
        $used = Loop::$used;
        Loop::$used = max(Loop::$taken, 0);
        Library::$c->promise_queue_answer(Loop::$address, $used);
    }

    public static function spawn(callable $body): void
    {
        Loop::$fibers++;
        $fiber = new Fiber(function () use ($body) {
            try {
                $body();
            } catch (Throwable $error) {
                Loop::$failure ??= $error;
            }
            Loop::$fibers--;
        });
        $fiber->start();
    }

    /** Suspends the running fiber until the promise is settled: its value, or an exception with its reason. */
    public static function await(Promise $promise): mixed
    {
        $fiber = Fiber::getCurrent();
        $tag = ++Library::$tag;
        Library::check(Library::$c->promise_queue_watch(Library::$queue, $promise->handle(), $tag));
        Library::$waiting[$tag] = $fiber;
        return Fiber::suspend();
    }

    /**
     * Handles a batch of events. Sleeps while none is ready, for so many nanoseconds at most (negative: forever).
     * Throws the first error that left a fiber. Callbacks and fibers must not call it.
     */
    public static function step($nanoseconds)
    {
        if (Loop::$taken >= 0) {
            throw new LogicException('Loop::step() within a callback');
        }
        $c = Library::$c;
        if (Loop::$used > 0) {
            $c->promise_queue_answer(Loop::$address, Loop::$used);
        }
        $events = Loop::$events;
        $count = $c->promise_queue_take(Library::$queue, Loop::$address, self::TAKEN, $nanoseconds);
        if ($count < 0) {
            Loop::$used = 0;
            if ($count !== Library::EINTR) {
                Library::check($count);
            }
            return $count;
        }
        Loop::$used = Loop::$taken = $count;
        $isAwaited = false;
        for ($at = 0, $end = $count * self::WORDS; $at < $end; $at += self::WORDS) {
            $head = $events[$at];
            $tag = $events[$at + self::TAG];
            $waiting = Library::$waiting[$tag] ?? null;
            unset(Library::$waiting[$tag]);
            if ($waiting === null) {
                // A promise of then() that was settled after its event had been taken, or lost its source. The answer
                // releases the value and the promise of the event.
                $events[$at] = self::SKIP;
            } elseif ($head === self::CALLED_FULFILLED) {
                $isInteger = $events[$at + self::VALUE] === self::I64;
                $value = $isInteger ? $events[$at + self::PAYLOAD] : Library::load($events, $at + self::VALUE);
                try {
                    $result = ($waiting->body)($value);
                    if (is_int($result)) {
                        if (!$isInteger) {
                            $events[$at + self::VALUE] = self::I64;
                        }
                        $events[$at + self::PAYLOAD] = $result;
                        $events[$at] = self::FULFILL;
                        if ($waiting->isShared) {
                            $isAwaited = true;
                        } else {
                            // C keeps it until it is answered; the value is here.
                            $waiting->isFulfilled = true;
                            $waiting->value = $result;
                            $free = Loop::$used * self::WORDS;
                            $events[$free] = self::SKIP;
                            $events[$free + self::PROMISE] = $waiting->handle;
                            $waiting->handle = 0;
                            if (++Loop::$used === self::ROOM) {
                                Loop::answer();
                            }
                        }
                    } else {
                        $isAwaited = $waiting->isShared = true;
                        Library::store($events, $at + self::VALUE, $result);
                        $events[$at] = $result instanceof Promise ? self::ADOPT : self::FULFILL;
                    }
                } catch (Throwable $error) {
                    $isAwaited = $waiting->isShared = true;
                    Library::storeError($events, $at + self::VALUE, $error->getMessage());
                    $events[$at] = self::REJECT;
                }
                $waiting->body = null;
            } elseif ($head === self::CALLED_REJECTED) {
                // The reason stays where it is.
                $events[$at] = self::REJECT;
                $isAwaited = $waiting->isShared = true;
                $waiting->body = null;
            } elseif ($head === self::SETTLED_FULFILLED) {
                $waiting->resume(Library::load($events, $at + self::VALUE));
            } elseif ($waiting instanceof Promise) {
                // The source was destroyed while pending: the function will never be called.
                $waiting->isShared = true;
                $waiting->body = null;
                $c->promise_discard($waiting->handle);
            } else {
                $waiting->throw(new Exception(Library::load($events, $at + self::VALUE) ?? 'cancelled'));
            }
        }
        Loop::$taken = -1;
        if ($isAwaited) {
            Loop::answer();
        }
        if (Loop::$failure !== null) {
            [$failure, Loop::$failure] = [Loop::$failure, null];
            throw $failure;
        }
        return $count;
    }

    public static function run(): void
    {
        while (Loop::$fibers > 0) {
            self::step(-1);
        }
    }
}

Library::open();
Loop::open();
