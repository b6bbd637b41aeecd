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

    /** Writes an error to the words at $place; VOID, a rejection without a reason, if there is no memory. */
    public static function storeError(FFI\CData $words, int $place, string $message): void
    {
        $value = self::address($words, $place);
        self::$c->promise_value_error_sized($value, 'php', 3, 1, $message, strlen($message));
    }

    /** Reads the value in the words at $place, and releases it. An integer too large for PHP becomes a string. */
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
