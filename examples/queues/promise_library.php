<?php
// promise_library.php - the functions of libpromise.so, and the values that pass through them. Part of promise.php.
//
// A call through FFI costs about 100 ns, and each pointer that it returns makes an object. So handles are declared as
// integers, events and values are read as 64-bit words, and a batch of events is answered by one call. A promise that
// no other code can reach keeps its integer here, and the next step resolves and releases it in C together with others.
// The binding's own memory is allocated once, and passed by its address, also an integer.
const DECLARATIONS = <<<'C'
  typedef uintptr_t handle_t; /* promise_t *, promise_queue_t * */
  handle_t promise_new(void);
  handle_t promise_new_resolved(uintptr_t);
  int32_t promise_retain(handle_t);
  int32_t promise_release(handle_t);
  int32_t promise_seal(handle_t);
  int32_t promise_follow(handle_t, handle_t);
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
    public const VOID = 1, BOOL = 2, I64 = 3, U64 = 4, F64 = 5, STRING = 7, BYTES = 8, ERROR = 11, DISCARDED = 12;
    public const PROMISE = 13, REJECTED = 3, EINVAL = -1, ESETTLED = -3, EPENDING = -4, EINTR = -11;
    public static $c;
    public static $queue;
    /** Words to pass one value in, and a length. */
    public static FFI\CData $scratch, $length;
    public static int $scratchAddress;
    /** By tag, a number that is used once: the fiber that awaits, or the promise whose function is to be called. */
    public static $waiting = [];
    public static $tag = 0;

    public static function open(): void
    {
        self::$c = FFI::cdef(DECLARATIONS, getenv('LIBPROMISE') ?: 'libpromise.so.1');
        self::$queue = self::made(self::$c->promise_queue_new());
        self::$scratch = self::$c->new('int64_t[2]');
        self::$scratchAddress = self::address(self::$scratch);
        self::$length = self::$c->new('size_t[1]');
        // Settles promises that wait for the next step, then closes the queue: no event is produced after this.
        register_shutdown_function(function () {
            Loop::answer();
            self::$c->promise_queue_free(self::$queue);
        });
    }

    /** Returns the handle; throws if the call returned NULL. */
    public static function made(int $handle): int
    {
        return $handle ?: self::fail();
    }

    /** Throws the status of the call that returned NULL. */
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

    /** Returns the address of the word at $place. */
    public static function address(FFI\CData $words, int $place = 0): int
    {
        return self::$c->cast('intptr_t', FFI::addr($words[$place]))->cdata;
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
        } elseif (is_string($from)) {
            self::check(self::$c->promise_value_string(self::address($words, $place), $from, strlen($from)));
        } else {
            throw new InvalidArgumentException('expected a value that C can hold, not ' . get_debug_type($from));
        }
    }

    /**
     * Writes an error to the words at $place; VOID, a rejection without a reason, if there is no memory. In a message
     * that is not UTF-8, a ? replaces each byte that is not ASCII.
     */
    public static function storeError(FFI\CData $words, int $place, string $message): void
    {
        $value = self::address($words, $place);
        $length = strlen($message);
        if (self::$c->promise_value_error_sized($value, 'php', 3, 1, $message, $length) === self::EINVAL) {
            $message = preg_replace('/[\x80-\xff]/', '?', $message);
            self::$c->promise_value_error_sized($value, 'php', 3, 1, $message, $length);
        }
    }

    /** Returns the exception for a reason that was read. */
    public static function reason(mixed $value): Exception
    {
        return new Exception(is_scalar($value) ? (string) $value : 'cancelled');
    }

    /** Reads the value in the words at $place, and releases it. An integer too large for PHP becomes a string. */
    public static function load(FFI\CData $words, int $place): mixed
    {
        switch ($kind = $words[$place] & 0xffffffff) {
            case self::I64: return $words[$place + 1];
            case self::U64: return $words[$place + 1] >= 0 ? $words[$place + 1] : sprintf('%u', $words[$place + 1]);
            case self::BOOL: return ($words[$place + 1] & 0xff) !== 0;
            case self::F64: return unpack('d', pack('q', $words[$place + 1]))[1];
            case self::VOID: return null;
            case self::PROMISE: return Promise::of($words[$place + 1]);
        }
        $value = self::address($words, $place);
        try {
            switch ($kind) {
                case self::STRING:
                case self::BYTES:
                case self::ERROR:
                    $data = self::$c->promise_value_data($value, self::$length);
                    return self::$length[0] === 0 ? '' : FFI::string($data, self::$length[0]);
                case self::DISCARDED: return null;
                default: throw new UnexpectedValueException("a value of the kind $kind has no equivalent in PHP");
            }
        } finally {
            self::$c->promise_value_release($value);
        }
    }
}
