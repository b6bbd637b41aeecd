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
// Contents have a length: no NUL ends them.
$length = $library->new("size_t");
foreach (["promise_value_string", "promise_value_bytes"] as $make) {
  $text = $library->new("promise_value_t");
  check($library->$make(FFI::addr($text), "a\0b", 3) === $library->PROMISE_OK);
  $data = $library->promise_value_data(FFI::addr($text), FFI::addr($length));
  check(FFI::string($data, $length->cdata) === "a\0b");
  check($library->promise_value_release(FFI::addr($text)) === $library->PROMISE_OK);
}
check($library->promise_abi_version() === $library->PROMISE_ABI_VERSION);
check($library->promise_release($promise) === $library->PROMISE_OK);
echo $value->as->i64, "\n";
