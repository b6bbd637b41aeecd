<?php
// Checks promise.php while memory runs out for libpromise: each fiber ends, and each failure is an exception.
//   LD_PRELOAD="scarce.so libpromise.so" SCARCE_LIBRARY=scarce.so php -d ffi.enable=1 scarce.php promise.php [ROUNDS]
// PHP opens libraries so that they do not see preloaded functions; so libpromise is preloaded, too.
$scarce = FFI::cdef('void scarce_odds(unsigned); unsigned long scarce_failures(void);', getenv('SCARCE_LIBRARY'));

function expect(bool $holds): void
{
    if (!$holds) {
        throw new LogicException('an expectation does not hold');
    }
}

require $argv[1];

// Without any memory nothing opens.
$scarce->scarce_odds(1);
try {
    Library::open();
    expect(false);
} catch (RuntimeException $error) {
    expect($error->getMessage() === 'libpromise: PROMISE_ENOMEM');
}
$scarce->scarce_odds(0);
Library::open();

$long = str_repeat('a text that needs memory of its own ', 4);
$tasks = [
    fn () => Loop::await(Promise::sleep(1e-4)),
    function () {
        $source = new Promise();
        $derived = $source->then(fn ($value) => $value + 1);
        $source->resolve(41);
        expect(Loop::await($derived) === 42);
    },
    function () use ($long) {
        $source = new Promise();
        $derived = $source->then(fn () => $long)->then(fn ($text) => $text);
        $source->resolve(1);
        expect(Loop::await($derived) === $long);
    },
    function () use ($long) {
        $source = new Promise();
        $derived = $source->then(fn () => throw new Exception($long));
        $source->resolve('text');
        Loop::await($derived);
        expect(false);
    },
    fn () => Loop::await((new Promise())->then('print_r')),
    function () {
        $later = new Promise();
        $adopting = (new Promise());
        $adopts = $adopting->then(fn () => $later);
        $adopting->resolve(1);
        Loop::spawn(fn () => $later->resolve(7));
        expect(Loop::await($adopts) === 7);
    },
];

/** Takes all cells, except $left. */
function hoard(int $left): array
{
    global $scarce;
    $scarce->scarce_odds(1);
    $cells = [];
    try {
        while (true) {
            $cell = new Promise();
            $cell->handle();
            $cells[] = $cell;
        }
    } catch (RuntimeException) {
    }
    array_splice($cells, 0, $left);
    return $cells;
}

[$begun, $ended, $raised] = [0, 0, 0];
for ($round = 1; $round <= (int) ($argv[2] ?? 200); $round++) {
    $cells = $round % 2 === 0 ? hoard($round % 60) : [];
    $scarce->scarce_odds($round % 4 === 0 ? 1 : 3);
    for ($index = 0; $index < 24; $index++) {
        Loop::spawn(function () use ($tasks, $index, &$begun, &$ended, &$raised) {
            $begun++;
            try {
                $tasks[$index % count($tasks)]();
                $ended++;
            } catch (LogicException $error) {
                throw $error;
            } catch (Exception) {
                $raised++;
            }
        });
    }
    Loop::run();
    $scarce->scarce_odds(0);
}
$cells = [];
expect($ended + $raised === $begun && $ended > 0 && $raised > 0 && $scarce->scarce_failures() > 0);
expect(Library::$waiting === []);
// With memory everything works again.
Loop::spawn(function () use ($tasks, &$begun) {
    foreach ([0, 1, 2, 5] as $place) {
        $tasks[$place]();
    }
    $begun = 0;
});
Loop::run();
expect($begun === 0);
echo "$ended passed, 0 failed: $raised errors\n";
