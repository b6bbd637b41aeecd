<?php
// Promises of libpromise.so in PHP, through examples/queues/promise.php, against a promise class in PHP.
// usage: LIBPROMISE=LIBRARY php -d ffi.enable=1 crossing.php EXAMPLES; prints "crossings-a-step nanoseconds-in-PHP
// nanoseconds" for each row.
//
// A crossing creates a promise, attaches a function, resolves, runs the function in a step of the loop, reads the
// result, and releases both promises. Processor time, median of interleaved rounds.
require $argv[1] . '/promise.php';

const ROUNDS = 41, CROSSINGS = 2000;

// The class, as programs in PHP write it: callbacks deferred to the loop, exceptions that reject, adopted promises.
final class OwnPromise
{
    private static array $jobs = [];
    private string $state = 'pending';
    private mixed $value = null;
    /** @var callable[] */
    private array $reactions = [];

    public static function step(): void
    {
        $jobs = self::$jobs;
        self::$jobs = [];
        foreach ($jobs as [$reaction, $state, $value]) {
            $reaction($state, $value);
        }
    }

    public function resolve(mixed $value): bool
    {
        if ($value instanceof self) {
            $value->then($this->resolve(...), $this->reject(...));
            return $this->state === 'pending';
        }
        return $this->settle('fulfilled', $value);
    }

    public function reject(mixed $reason): bool
    {
        return $this->settle('rejected', $reason);
    }

    private function settle(string $state, mixed $value): bool
    {
        if ($this->state !== 'pending') {
            return false;
        }
        $this->state = $state;
        $this->value = $value;
        foreach ($this->reactions as $reaction) {
            self::$jobs[] = [$reaction, $state, $value];
        }
        $this->reactions = [];
        return true;
    }

    public function then(?callable $onFulfilled = null, ?callable $onRejected = null): self
    {
        $derived = new self();
        $reaction = static function (string $state, mixed $value) use ($onFulfilled, $onRejected, $derived): void {
            $handler = $state === 'fulfilled' ? $onFulfilled : $onRejected;
            try {
                if ($handler !== null) {
                    $derived->resolve($handler($value));
                } elseif ($state === 'fulfilled') {
                    $derived->resolve($value);
                } else {
                    $derived->reject($value);
                }
            } catch (Throwable $error) {
                $derived->reject($error);
            }
        };
        if ($this->state === 'pending') {
            $this->reactions[] = $reaction;
        } else {
            self::$jobs[] = [$reaction, $this->state, $this->value];
        }
        return $derived;
    }

    public function result(): mixed
    {
        if ($this->state !== 'fulfilled') {
            throw $this->state === 'pending' ? new LogicException('pending') : $this->value;
        }
        return $this->value;
    }
}

function own(int $batch): void
{
    for ($round = 0; $round < CROSSINGS / $batch; $round++) {
        $pending = [];
        for ($place = 0; $place < $batch; $place++) {
            $source = new OwnPromise();
            $pending[] = $source->then(static fn ($value) => $value + 1);
            $source->resolve(41);
        }
        OwnPromise::step();
        foreach ($pending as $derived) {
            if ($derived->result() !== 42) {
                throw new Exception('a wrong result');
            }
        }
    }
}

function ours(int $batch): void
{
    for ($round = 0; $round < CROSSINGS / $batch; $round++) {
        $pending = [];
        for ($place = 0; $place < $batch; $place++) {
            $source = new Promise();
            $pending[] = $source->then(static fn ($value) => $value + 1);
            $source->resolve(41);
        }
        Loop::step(0);
        foreach ($pending as $derived) {
            if ($derived->result() !== 42) {
                throw new Exception('a wrong result');
            }
        }
    }
}

/** The processor time of a run, in nanoseconds for each crossing. */
function nanoseconds(callable $run, int $batch): float
{
    $now = static function (): float {
        $usage = getrusage();
        return ($usage['ru_utime.tv_sec'] + $usage['ru_stime.tv_sec']) * 1e9
            + ($usage['ru_utime.tv_usec'] + $usage['ru_stime.tv_usec']) * 1e3;
    };
    $begun = $now();
    $run($batch);
    return ($now() - $begun) / CROSSINGS;
}

function median(array $times): float
{
    sort($times);
    return $times[intdiv(count($times), 2)];
}

foreach ([1, 100] as $batch) {
    own($batch);
    ours($batch);
    $theirs = $here = [];
    for ($round = 0; $round < ROUNDS; $round++) {
        $theirs[] = nanoseconds('own', $batch);
        $here[] = nanoseconds('ours', $batch);
    }
    printf("%d %.1f %.1f\n", $batch, median($theirs), median($here));
}
