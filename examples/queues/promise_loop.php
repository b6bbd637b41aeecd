<?php
// promise_loop.php - the loop that takes events, calls functions and resumes fibers. Part of promise.php.
final class Loop
{
    // The number of words of an event, and their offsets. TAKEN: the number of events that a step takes at most.
    private const WORDS = 6, TAG = 1, PROMISE = 2, VALUE = 3, PAYLOAD = 4, I64 = 3, TAKEN = 256;
    // The first word of an event: a kind, and a state or verdict in the upper half.
    private const SETTLED_FULFILLED = 32 | 2 << 32;
    private const CALLED_FULFILLED = 33 | 2 << 32, CALLED_REJECTED = 33 | 3 << 32;
    private const FULFILL = 33 | 16 << 32, REJECT = 33 | 17 << 32, ADOPT = 33 | 18 << 32, SKIP = 33 | 20 << 32;
    public const ROOM = 768;

    /**
     * The events taken by the last step, with their answers, and behind them events that resolve and release promises:
     * the next step passes them to C in one call.
     */
    public static $events;
    public static $used = 0;
    /** The number of events that a step is handling; -1 outside of a step. */
    private static $taken = -1;
    private static $address;
    private static $fibers = 0;
    private static $failure = null;

    public static function open(): void
    {
        Loop::$events = Library::$c->new('int64_t[' . self::WORDS * self::ROOM . ']');
        Loop::$address = Library::address(Loop::$events);
    }

    /** Passes the events to C, which settles and releases the promises of those with a verdict, and no others. */
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

    /** Suspends the running fiber until the promise is settled. Returns the value, or throws with the reason. */
    public static function await(Promise $promise): mixed
    {
        $fiber = Fiber::getCurrent() ?? throw new LogicException('Loop::await() outside a fiber');
        $tag = ++Library::$tag;
        Library::check(Library::$c->promise_queue_watch(Library::$queue, $promise->handle(), $tag));
        Library::$waiting[$tag] = $fiber;
        return Fiber::suspend();
    }

    /**
     * Handles a batch of events. Sleeps while none is ready, for $nanoseconds at most (negative: forever).
     * Throws the first error that left a fiber, after the whole batch. Callbacks and fibers must not call it.
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
            try {
                $waiting = Library::$waiting[$tag] ?? null;
                unset(Library::$waiting[$tag]);
                if ($waiting === null) {
                    // The event of a promise of then() that was settled here: the answer releases value and promise.
                    $events[$at] = self::SKIP;
                } elseif ($head === self::CALLED_FULFILLED) {
                    try {
                        $isInteger = $events[$at + self::VALUE] === self::I64;
                        $value = $isInteger ? $events[$at + self::PAYLOAD] : Library::load($events, $at + self::VALUE);
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
                                // C keeps the promise until the event is answered; the value is kept here.
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
                            Library::store($events, $at + self::VALUE, $result);
                            $events[$at] = $result instanceof Promise ? self::ADOPT : self::FULFILL;
                            $waiting->handle();
                            $isAwaited = true;
                        }
                    } catch (Throwable $error) {
                        $isAwaited = $waiting->isShared = true;
                        Library::storeError($events, $at + self::VALUE, $error->getMessage());
                        $events[$at] = self::REJECT;
                    }
                    $waiting->body = null;
                } elseif ($head === self::CALLED_REJECTED) {
                    // The reason stays in the event.
                    $events[$at] = self::REJECT;
                    $isAwaited = $waiting->isShared = true;
                    $waiting->body = null;
                } elseif ($waiting instanceof Promise) {
                    // The function will never be called: the source was destroyed while pending, or other code settled
                    // the promise, and this discard does nothing.
                    $waiting->isShared = true;
                    $waiting->body = null;
                    $c->promise_discard($waiting->handle);
                } else {
                    self::wake($waiting, $head === self::SETTLED_FULFILLED, $at + self::VALUE);
                }
            } catch (Throwable $error) {
                Loop::$failure ??= $error;
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

    /** Resumes a fiber that awaits, with the value at $place, or throws there. */
    private static function wake(Fiber $fiber, bool $isFulfilled, int $place): void
    {
        try {
            $value = Library::load(Loop::$events, $place);
            $error = $isFulfilled ? null : Library::reason($value);
        } catch (Throwable $error) {
        }
        $error === null ? $fiber->resume($value) : $fiber->throw($error);
    }

    public static function run(): void
    {
        while (Loop::$fibers > 0) {
            self::step(-1);
        }
    }
}
