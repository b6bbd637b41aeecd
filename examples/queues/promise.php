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
//
// A call through FFI costs about 100 ns, and each pointer that it returns makes an object. So handles are declared as
// integers, which they are to a program; events and values are read as 64-bit words; and a batch of events is answered
// by one call.
const DECLARATIONS = <<<'C'
  typedef uintptr_t handle_t; /* promise_t *, promise_queue_t * */
  handle_t promise_new(void);
  int32_t promise_release(handle_t);
  int32_t promise_resolve(handle_t, const int64_t *);
  int32_t promise_reject(handle_t, const int64_t *);
  handle_t promise_sleep(int64_t);
  int32_t promise_value_string(int64_t *, const char *, size_t);
  int32_t promise_value_error_sized(int64_t *, const char *, size_t, int64_t, const char *, size_t);
  int32_t promise_value_release(int64_t *);
  const uint8_t *promise_value_data(const int64_t *, size_t *);
  handle_t promise_queue_new(void);
  int32_t promise_queue_free(handle_t);
  int32_t promise_queue_watch(handle_t, handle_t, uint64_t);
  handle_t promise_queue_then(handle_t, handle_t, uint64_t);
  int64_t promise_queue_take(handle_t, int64_t *, size_t, int64_t);
  int32_t promise_queue_answer(int64_t *, size_t);
C;

/** The queue, the closures and fibers of its tags, and values in memory: two words each, the kind and the payload. */
final class Library
{
    public const VOID = 1, I64 = 3, F64 = 5, STRING = 7, ERROR = 11;
    public static FFI $c;
    public static int $queue;
    /** Words to pass one value in, and a length. */
    public static FFI\CData $scratch, $length;
    /** By tag: a fiber that awaits, or a function to call. */
    public static array $waiting = [];
    public static int $tag = 0;

    public static function open(): void
    {
        self::$c = FFI::cdef(DECLARATIONS, getenv('LIBPROMISE') ?: 'libpromise.so.1');
        self::$queue = self::$c->promise_queue_new();
        self::$scratch = self::$c->new('int64_t[2]');
        self::$length = self::$c->new('size_t[1]');
        // Revokes everything: no event is produced after this.
        register_shutdown_function(fn () => self::$c->promise_queue_free(self::$queue));
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
        } else {
            $text = (string) $from;
            self::$c->promise_value_string(FFI::addr($words[$place]), $text, strlen($text));
        }
    }

    /** Writes an error to the words at $place. */
    public static function storeError(FFI\CData $words, int $place, string $message): void
    {
        $value = FFI::addr($words[$place]);
        self::$c->promise_value_error_sized($value, 'php', 3, 1, $message, strlen($message));
    }

    /** Reads the value in the words at $place, and releases it. */
    public static function load(FFI\CData $words, int $place): mixed
    {
        switch ($words[$place] & 0xffffffff) {
            case self::I64: return $words[$place + 1];
            case self::F64: return unpack('d', pack('q', $words[$place + 1]))[1];
            case self::STRING:
            case self::ERROR:
                $value = FFI::addr($words[$place]);
                $text = FFI::string(self::$c->promise_value_data($value, self::$length), self::$length[0]);
                self::$c->promise_value_release($value);
                return $text;
            default:
                self::$c->promise_value_release(FFI::addr($words[$place]));
                return null;
        }
    }
}

final class Promise
{
    /** Takes over a reference; without one, a new pending promise. */
    public function __construct(public int $handle = 0)
    {
        if ($handle === 0) {
            $this->handle = Library::$c->promise_new();
        }
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
        $words = Library::$scratch;
        if (is_int($value)) {
            $words[0] = Library::I64;
            $words[1] = $value;
        } else {
            Library::store($words, 0, $value);
        }
        return Library::$c->promise_resolve($this->handle, $words) === 0;
    }

    public function reject(string $message): bool
    {
        Library::storeError(Library::$scratch, 0, $message);
        return Library::$c->promise_reject($this->handle, Library::$scratch) === 0;
    }

    /** Calls $body with the value once this is fulfilled; the promise ends as that call does. A rejection passes. */
    public function then(callable $body): self
    {
        $derived = new self(Library::$c->promise_queue_then(Library::$queue, $this->handle, ++Library::$tag));
        Library::$waiting[Library::$tag] = $body;
        return $derived;
    }
}

final class Loop
{
    // Of an event: its words, and offsets of them.
    private const WORDS = 6, TAG = 1, VALUE = 3, ROOM = 256;
    // The first word: a kind, and a state or verdict in the upper half.
    private const SETTLED_FULFILLED = 32 | 2 << 32;
    private const CALLED_FULFILLED = 33 | 2 << 32, CALLED_REJECTED = 33 | 3 << 32;
    private const FULFILL = 33 | 16 << 32, REJECT = 33 | 17 << 32;

    private static ?FFI\CData $events = null;
    private static int $fibers = 0;
    private static bool $stepping = false;
    private static ?Throwable $failure = null;

    public static function spawn(callable $body): void
    {
        self::$fibers++;
        $fiber = new Fiber(function () use ($body) {
            try {
                $body();
            } catch (Throwable $error) {
                self::$failure ??= $error;
            }
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
     * Handles a batch of events. Sleeps while none is ready, for so many nanoseconds at most (negative: for ever). Throws
     * the first error that left a fiber. Callbacks and fibers must not call it.
     */
    public static function step(int $nanoseconds): int
    {
        if (self::$stepping) {
            throw new LogicException('Loop::step() within a callback');
        }
        self::$stepping = true;
        self::$events ??= Library::$c->new('int64_t[' . self::WORDS * self::ROOM . ']');
        $events = self::$events;
        $count = Library::$c->promise_queue_take(Library::$queue, $events, self::ROOM, $nanoseconds);
        for ($at = 0, $end = $count * self::WORDS; $at < $end; $at += self::WORDS) {
            $head = $events[$at];
            $tag = $events[$at + self::TAG];
            $waiting = Library::$waiting[$tag];
            unset(Library::$waiting[$tag]);
            if ($head === self::CALLED_REJECTED) {
                // The reason stays where it is.
                $events[$at] = self::REJECT;
                continue;
            }
            $place = $at + self::VALUE;
            $value = $events[$place] === Library::I64 ? $events[$place + 1] : Library::load($events, $place);
            if ($head === self::CALLED_FULFILLED) {
                $events[$at] = self::FULFILL;
                try {
                    $result = $waiting($value);
                    if (is_int($result)) {
                        $events[$place] = Library::I64;
                        $events[$place + 1] = $result;
                    } else {
                        Library::store($events, $place, $result);
                    }
                } catch (Throwable $error) {
                    Library::storeError($events, $place, $error->getMessage());
                    $events[$at] = self::REJECT;
                }
            } elseif ($head === self::SETTLED_FULFILLED) {
                $waiting->resume($value);
            } else {
                $waiting->throw(new Exception($value ?? 'cancelled'));
            }
        }
        if ($count > 0) {
            Library::$c->promise_queue_answer($events, $count);
        }
        self::$stepping = false;
        if (self::$failure !== null) {
            [$failure, self::$failure] = [self::$failure, null];
            throw $failure;
        }
        return $count;
    }

    public static function run(): void
    {
        while (self::$fibers > 0) {
            self::step(-1);
        }
    }
}

Library::open();
