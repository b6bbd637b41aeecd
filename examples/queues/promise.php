<?php
// promise.php - promises of libpromise.so for PHP, on the completion queue alone: nothing calls into PHP.
//
//   Loop::spawn(function () {
//     Loop::await(Promise::sleep(0.01));
//     echo Loop::await($somePromise);
//   });
//   Loop::run();       // until every fiber has ended
//
// LIBPROMISE names the library; without it, the installed one is loaded. Needs the extension FFI, and PHP 8.1 for fibers.
const DECLARATIONS = <<<'C'
  typedef struct promise promise_t;
  typedef struct promise_queue promise_queue_t;
  typedef struct {
    uint32_t kind, reserved;
    union { uint8_t b; int64_t i64; uint64_t u64; double f64; void *ptr; } as;
  } promise_value_t;
  typedef struct {
    uint32_t kind; int32_t state; uint64_t tag; promise_t *promise; promise_value_t value; uint64_t reserved;
  } promise_event_t;
  promise_t *promise_new(void);
  int32_t promise_release(promise_t *);
  int32_t promise_resolve(promise_t *, const promise_value_t *);
  int32_t promise_reject(promise_t *, const promise_value_t *);
  promise_t *promise_sleep(int64_t);
  int32_t promise_value_string(promise_value_t *, const char *, size_t);
  int32_t promise_value_error(promise_value_t *, const char *, int64_t, const char *);
  int32_t promise_value_release(promise_value_t *);
  const char *promise_value_data(const promise_value_t *, size_t *);
  promise_queue_t *promise_queue_new(void);
  int32_t promise_queue_free(promise_queue_t *);
  int32_t promise_queue_watch(promise_queue_t *, promise_t *, uint64_t);
  promise_t *promise_queue_then(promise_queue_t *, promise_t *, uint64_t);
  int64_t promise_queue_take(promise_queue_t *, promise_event_t *, size_t, int64_t);
C;

/** The queue, what its tags stand for, and values on their way. */
final class Library
{
    public const VOID = 1, I64 = 3, F64 = 5, STRING = 7, ERROR = 11, REJECTED = 3, CALL = 33, ROOM = 256;
    public static FFI $c;
    public static FFI\CData $queue, $events, $value, $as, $pointer, $length;
    /** By tag: a fiber that awaits, or a function that is called. */
    public static array $waiting = [];
    public static int $tag = 0;

    public static function open(): void
    {
        self::$c = FFI::cdef(DECLARATIONS, getenv('LIBPROMISE') ?: 'libpromise.so.1');
        self::$queue = self::$c->promise_queue_new();
        self::$events = self::$c->new('promise_event_t[' . self::ROOM . ']');
        self::$value = self::$c->new('promise_value_t');
        self::$as = self::$value->as;
        self::$pointer = FFI::addr(self::$value);
        self::$length = self::$c->new('size_t');
        // What comes later finds nobody to call, and nothing is called.
        register_shutdown_function(fn () => self::$c->promise_queue_free(self::$queue));
    }

    /** Writes a PHP value into the scratch value. */
    public static function store(mixed $from): FFI\CData
    {
        $value = self::$value;
        $value->reserved = 0;
        if (is_int($from)) {
            $value->kind = self::I64;
            self::$as->i64 = $from;
        } elseif (is_float($from)) {
            $value->kind = self::F64;
            self::$as->f64 = $from;
        } elseif ($from === null) {
            $value->kind = self::VOID;
        } else {
            self::$c->promise_value_string(self::$pointer, (string) $from, strlen((string) $from));
        }
        return self::$pointer;
    }

    /** Writes an error into the scratch value. */
    public static function storeError(string $message): FFI\CData
    {
        self::$c->promise_value_error(self::$pointer, 'php', 1, $message);
        return self::$pointer;
    }

    /** Reads a value of an event, and gives its reference back. */
    public static function load(FFI\CData $value): mixed
    {
        switch ($value->kind) {
            case self::I64: return $value->as->i64;
            case self::F64: return $value->as->f64;
            case self::STRING:
            case self::ERROR:
                $data = self::$c->promise_value_data(FFI::addr($value), FFI::addr(self::$length));
                $text = is_string($data) ? $data : FFI::string($data, self::$length->cdata);
                self::$c->promise_value_release(FFI::addr($value));
                return $text;
            default:
                self::$c->promise_value_release(FFI::addr($value));
                return null;
        }
    }
}

final class Promise
{
    public function __construct(public ?FFI\CData $handle = null)
    {
        $this->handle ??= Library::$c->promise_new();
    }

    public function __destruct()
    {
        Library::$c->promise_release($this->handle);
    }

    public static function sleep(float $seconds): self
    {
        return new self(Library::$c->promise_sleep((int) ($seconds * 1e9)));
    }

    public function resolve(mixed $value): bool
    {
        return Library::$c->promise_resolve($this->handle, Library::store($value)) === 0;
    }

    public function reject(string $message): bool
    {
        return Library::$c->promise_reject($this->handle, Library::storeError($message)) === 0;
    }

    /** Calls $body with the value once this is fulfilled; the promise ends as that call does. A rejection passes. */
    public function then(callable $body): self
    {
        $tag = ++Library::$tag;
        Library::$waiting[$tag] = $body;
        return new self(Library::$c->promise_queue_then(Library::$queue, $this->handle, $tag));
    }
}

final class Loop
{
    private static int $fibers = 0;
    private static bool $stepping = false;

    public static function spawn(callable $body): void
    {
        self::$fibers++;
        $fiber = new Fiber(function () use ($body) {
            $body();
            self::$fibers--;
        });
        $fiber->start();
    }

    /** Suspends the running fiber until the promise is settled: its value, or an exception with its reason. */
    public static function await(Promise $promise): mixed
    {
        $tag = ++Library::$tag;
        Library::$waiting[$tag] = Fiber::getCurrent();
        Library::$c->promise_queue_watch(Library::$queue, $promise->handle, $tag);
        return Fiber::suspend();
    }

    /**
     * Does what the events ask for; sleeps while there is none, for so many nanoseconds at most (negative: for ever). Not to
     * be called by what it calls.
     */
    public static function step(int $nanoseconds): int
    {
        if (self::$stepping) {
            throw new LogicException('Loop::step() within a callback');
        }
        self::$stepping = true;
        $events = Library::$events;
        $count = Library::$c->promise_queue_take(Library::$queue, $events, Library::ROOM, $nanoseconds);
        for ($place = 0; $place < $count; $place++) {
            $event = $events[$place];
            $tag = $event->tag;
            $rejected = $event->state === Library::REJECTED;
            $what = Library::$waiting[$tag];
            unset(Library::$waiting[$tag]);
            $value = Library::load($event->value);
            if ($event->kind === Library::CALL) {
                self::answer($event->promise, $rejected, $value, $what);
            } elseif ($rejected) {
                $what->throw(new Exception($value ?? 'cancelled'));
            } else {
                $what->resume($value);
            }
        }
        self::$stepping = false;
        return $count;
    }

    private static function answer(FFI\CData $promise, bool $rejected, mixed $value, callable $body): void
    {
        $c = Library::$c;
        if ($rejected) {
            $c->promise_reject($promise, Library::storeError((string) $value));
        } else {
            try {
                $c->promise_resolve($promise, Library::store($body($value)));
            } catch (Throwable $error) {
                $c->promise_reject($promise, Library::storeError($error->getMessage()));
            }
        }
        $c->promise_release($promise);
    }

    public static function run(): void
    {
        while (self::$fibers > 0) {
            self::step(-1);
        }
    }
}

Library::open();
