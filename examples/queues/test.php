<?php
// Checks promise.php: php -d ffi.enable=1 test.php; with a number, prints the cost of that many crossings.
// A notice is a failure, also one of a feature that PHP will remove.
set_error_handler(fn (int $kind, string $message) => throw new ErrorException($message));
require __DIR__ . '/promise.php';

function expect(bool $holds): void
{
    if (!$holds) {
        throw new Exception('an expectation does not hold');
    }
}

function crossing(): Promise
{
    $source = new Promise();
    $derived = $source->then(static fn ($value) => $value + 1);
    $source->resolve(41);
    return $derived;
}

/** The processor time of this process, in nanoseconds. */
function cpu(): float
{
    $usage = getrusage();
    return ($usage['ru_utime.tv_sec'] + $usage['ru_stime.tv_sec']) * 1e9
        + ($usage['ru_utime.tv_usec'] + $usage['ru_stime.tv_usec']) * 1e3;
}

/** The message of the exception that $body throws; null if it returns. */
function failure(callable $body): ?string
{
    try {
        $body();
        return null;
    } catch (Throwable $error) {
        return $error->getMessage();
    }
}

/** The message of the reason with which the promise is rejected, in a fiber. */
function rejection($promise): ?string
{
    return failure(fn () => Loop::await($promise));
}

/** Functions of C that promise.php does not use. */
function c(): FFI
{
    static $c = null;
    return $c ??= FFI::cdef(<<<'C'
      int32_t promise_retain(uintptr_t);
      int32_t promise_request_cancel(uintptr_t, uintptr_t);
      int32_t promise_cancel_requested(uintptr_t);
      int32_t promise_value_bytes(uintptr_t, const char *, size_t);
      int64_t promise_value_code(uintptr_t);
    C, getenv('LIBPROMISE') ?: 'libpromise.so.1');
}

/** The number of promises in C. */
function promises(): int
{
    $c = FFI::cdef('int32_t promise_statistics(uint64_t *);', getenv('LIBPROMISE') ?: 'libpromise.so.1');
    $numbers = $c->new('uint64_t[17]');
    $numbers[0] = FFI::sizeof($numbers);
    expect($c->promise_statistics($numbers) === 0);
    return $numbers[1] + $numbers[2];
}

if (isset($argv[1])) {
    $best = INF;
    for ($round = 0; $round < 7; $round++) {
        $begun = cpu();
        for ($i = 0; $i < $argv[1]; $i++) {
            $derived = crossing();
            Loop::step(0);
        }
        $best = min($best, (cpu() - $begun) / $argv[1]);
    }
    printf("%.0f ns a crossing\n", $best);
    exit;
}

$ended = [];
Loop::spawn(function () use (&$ended) {
    $derived = crossing();
    try {
        $derived->result();
        expect(false);
    } catch (LogicException) {
    }
    expect(Loop::await($derived) === 42 && $derived->result() === 42);
    $broken = crossing()->then(fn () => throw new Exception('broken'));
    try {
        Loop::await($broken->then('print_r'));
        expect(false);
    } catch (Exception $error) {
        expect($error->getMessage() === 'broken');
    }
    try {
        $broken->result();
        expect(false);
    } catch (Exception $error) {
        expect($error->getMessage() === 'broken');
    }
    $later = new Promise();
    $adopting = crossing()->then(fn () => $later);
    Loop::spawn(function () use ($later) {
        Loop::await(Promise::sleep(0.001));
        $later->resolve(7);
    });
    expect(Loop::await($adopting) === 7 && $adopting->result() === 7);
    $ended[] = 'chain';
});
Loop::spawn(function () use (&$ended) {
    // A promise keeps its value in PHP, and another promise represents it in C.
    $kept = new Promise();
    expect($kept->resolve(1) && !$kept->resolve(2) && $kept->result() === 1);
    expect(Loop::await($kept) === 1 && Loop::await($kept->then(fn ($value) => $value + 1)) === 2);
    $shared = new Promise();
    $handle = $shared->handle();
    expect($shared->resolve(3) && !$shared->resolve(4) && $shared->handle() === $handle && $shared->result() === 3);
    $text = crossing()->then(fn () => 'text');
    expect(Loop::await($text->then(fn ($value) => $value)) === 'text' && !$text->resolve(5) && $text->result() === 'text');
    // These are more events than a batch has.
    $many = [];
    for ($place = 0; $place < 600; $place++) {
        $many[] = crossing();
    }
    foreach ($many as $derived) {
        expect(Loop::await($derived) === 42 && $derived->result() === 42);
    }
    $ended[] = 'kept';
});
Loop::spawn(function () use (&$ended) {
    // The source is destroyed while pending.
    $derived = (new Promise())->then('print_r');
    try {
        Loop::await($derived);
        expect(false);
    } catch (Exception) {
    }
    $ended[] = 'dropped';
});
Loop::spawn(function () use (&$ended) {
    // Promises are settled by hand before the event, after it, once it is taken, and within the function itself.
    $before = (new Promise())->then('print_r');
    expect($before->resolve(1) && !$before->resolve(2) && $before->result() === 1);
    $after = crossing()->then('print_r');
    expect($after->reject('by hand') && !$after->resolve(2));
    $source = new Promise();
    $takes = $source->then(function () use (&$taken, &$within) {
        expect($taken->resolve('by hand') && $within->resolve(3));
        return 4;
    });
    $taken = $source->then('print_r');
    $within = $source->then(function () use (&$self) {
        expect(false);
    });
    $self = $source->then(function () use (&$self) {
        expect($self->resolve(5));
        return 6;
    });
    $source->resolve(0);
    expect(Loop::await($takes) === 4 && Loop::await($taken) === 'by hand' && Loop::await($within) === 3);
    expect(Loop::await($self) === 5 && $self->result() === 5);
    // The source is destroyed before, and its event is taken.
    $dropped = (new Promise())->then('print_r');
    expect($dropped->resolve(7) && Loop::await($dropped) === 7);
    // Code that does not know this binding settles a promise.
    $other = (new Promise())->then('print_r');
    Library::store(Library::$scratch, 0, 8);
    expect(Library::$c->promise_resolve($other->handle(), Library::$scratchAddress) === 0 && Loop::await($other) === 8);
    $ended[] = 'by hand';
});
Loop::spawn(function () use (&$ended) {
    $text = new Promise();
    Loop::spawn(function () use ($text) {
        Loop::await(Promise::sleep(0.001));
        $text->resolve('late');
    });
    expect(Loop::await($text) === 'late');
    // Numbers arrive unchanged.
    foreach ([PHP_INT_MAX, PHP_INT_MIN, -1.5, true, false, null] as $value) {
        $number = new Promise();
        expect($number->resolve($value) && Loop::await($number) === $value);
    }
    foreach ([[7, 7], [-1, '18446744073709551615'], [PHP_INT_MIN, '9223372036854775808']] as [$bits, $value]) {
        $words = Library::$c->new('int64_t[2]');
        [$words[0], $words[1]] = [Library::U64, $bits];
        expect(Library::load($words, 0) === $value);
    }
    $ended[] = 'text';
});
Loop::spawn(function () use (&$ended) {
    // Promises are values, and followed.
    $later = new Promise();
    $following = new Promise();
    expect($following->resolve($later) && $later->resolve('followed') && Loop::await($following) === 'followed');
    $derived = crossing()->then(fn () => 1);
    // BYTES and a PROMISE of C arrive; a kind that PHP does not have is an exception.
    $settle = function (int ...$words): Promise {
        [Library::$scratch[0], Library::$scratch[1]] = $words;
        $promise = new Promise();
        Library::check(Library::$c->promise_resolve($promise->handle(), Library::$scratchAddress));
        return $promise;
    };
    foreach (["\0\xff", ''] as $bytes) {
        c()->promise_value_bytes(Library::$scratchAddress, $bytes, strlen($bytes));
        expect(Loop::await($settle(Library::$scratch[0], Library::$scratch[1])) === $bytes);
    }
    c()->promise_retain($derived->handle());
    expect(Loop::await(Loop::await($settle(Library::PROMISE, $derived->handle()))) === 1);
    $pointer = $settle(6, 0);
    foreach ([$pointer, $pointer->then('print_r')] as $awaited) {
        expect(rejection($awaited) === 'a value of the kind 6 has no equivalent in PHP');
    }
    // Values of PHP that C cannot hold, and texts that are not UTF-8.
    foreach ([[[], 'array'], [new stdClass(), 'stdClass'], ["\xff", 'PROMISE_EINVAL']] as [$refused, $with]) {
        expect(str_contains(failure(fn () => (new Promise())->resolve($refused)), $with));
        expect(str_contains(rejection(crossing()->then(fn () => $refused)), $with));
    }
    expect(rejection(crossing()->then(fn () => throw new Exception("caf\xff"))) === 'caf?');
    $cancelled = new Promise();
    Library::$c->promise_discard($cancelled->handle());
    expect(rejection($cancelled) === 'cancelled' && rejection($cancelled->then('print_r')) === 'cancelled');
    // A reason of C passes unchanged.
    Library::$c->promise_value_error_sized(Library::$scratchAddress, 'x', 1, 7, 'of C', 4);
    $source = new Promise();
    Library::$c->promise_reject($source->handle(), Library::$scratchAddress);
    $passes = $source->then('print_r')->then('print_r');
    expect(rejection($passes) === 'of C');
    Library::$c->promise_result($passes->handle(), Library::$scratchAddress);
    expect(c()->promise_value_code(Library::$scratchAddress) === 7);
    Library::$c->promise_value_release(Library::$scratchAddress);
    // A copy would release the reference of the original.
    expect(str_contains(failure(fn () => clone $cancelled), 'private'));
    expect(failure(fn () => serialize($cancelled)) === 'a Promise belongs to its process');
    $ended[] = 'kinds';
});
Loop::run();
expect(count($ended) === 6);
// Promises that were settled by hand leave no entry.
expect(Library::$waiting === []);
// After one more step, no promise is left in C either.
Loop::step(0);
gc_collect_cycles();
expect(promises() === 0);

// An object that PHP has not released keeps no promise from being cancelled.
foreach ([new Promise(), Promise::sleep(60), (new Promise())->then('print_r')] as $source) {
    c()->promise_retain($source->handle());
    $derived = $source->then('print_r');
    c()->promise_request_cancel($derived->handle(), 0);
    expect(c()->promise_cancel_requested($source->handle()) === 1);
    Library::$c->promise_release($source->handle());
}
$source = new Promise();
c()->promise_retain($source->handle());
$last = $source->then('print_r')->then('print_r');
c()->promise_request_cancel($last->handle(), 0);
expect(c()->promise_cancel_requested($source->handle()) === 1);
Library::$c->promise_release($source->handle());
// A sleep that is longer than an int64_t of nanoseconds does not end at once.
foreach ([1e10, INF] as $seconds) {
    $sleep = Promise::sleep($seconds);
    expect(Library::$c->promise_state($sleep->handle()) === 1);
}
unset($sleep);
$adopted = new Promise();
$source = new Promise();
$adopting = $source->then(fn () => $adopted);
$source->resolve(1);
Loop::step(-1);
c()->promise_retain($adopting->handle());
c()->promise_request_cancel($adopting->then('print_r')->handle(), 0);
expect(c()->promise_cancel_requested($adopted->handle()) === 1);
Library::$c->promise_release($adopting->handle());

// An error that leaves a fiber of others ends neither the batch nor the loop; only fibers await.
expect(failure(fn () => Loop::await(Promise::sleep(0))) === 'Loop::await() outside a fiber');
$reached = 0;
for ($index = 1; $index <= 3; $index++) {
    (new Fiber(function () use ($index, &$reached) {
        Loop::await(Promise::sleep(0));
        $reached++;
        throw new Exception("left $index");
    }))->start();
}
$messages = [];
while ($reached < 3) {
    $messages[] = failure(fn () => Loop::step(-1));
}
expect(current(array_filter($messages)) === 'left 1');

// Timers fire while PHP is busy: no fiber is resumed before a step.
$fired = 0;
for ($i = 0; $i < 1000; $i++) {
    Loop::spawn(function () use (&$fired) {
        Loop::await(Promise::sleep(0.001));
        $fired++;
    });
}
for ($busy = hrtime(true) + 50_000_000, $sum = 0; hrtime(true) < $busy;) {
    $sum++;
}
expect($fired === 0);
Loop::run();
expect($fired === 1000);

// Timers fire while PHP exits: nobody takes their events.
for ($i = 1; $i <= 200; $i++) {
    Loop::spawn(fn () => Loop::await(Promise::sleep($i * 1e-5)));
}
echo "passed\n";
