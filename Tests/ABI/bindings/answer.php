<?php
function check(bool $holds): void {
  if (!$holds)
    exit(1);
}

$library = FFI::cdef(file_get_contents($argv[1]), $argv[2]);
$promise = $library->promise_new();
$value = $library->new("promise_value_t");
$value->kind = $library->PROMISE_KIND_I64;
$value->as->i64 = 42;
check($library->promise_resolve($promise, FFI::addr($value)) === $library->PROMISE_OK);
check($library->promise_result($promise, FFI::addr($value)) === $library->PROMISE_OK);
check($library->promise_abi_version() === $library->PROMISE_ABI_VERSION);
check($library->promise_release($promise) === $library->PROMISE_OK);
echo $value->as->i64, "\n";
