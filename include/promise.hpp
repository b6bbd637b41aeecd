// promise.hpp - promise.h for C++: handles that release themselves, types, lambdas, exceptions, coroutines.
//
//     promises::promise<std::int64_t> answer;
//     auto text = answer.then([](std::int64_t number) { return std::to_string(number * 2); });
//     answer.resolve(21);
//     text.get(); // "42"
//
// docs/cpp.md is the introduction: places, coroutines, streams, errors. Everything is in the namespace promises; the C
// headers have a struct promise, so `using promises::promise;` belongs in a namespace or a function, not at the top of
// a file.
//
// Header only, over the C functions: a program links libpromise.so and nothing else. C++17; with C++20 promises can be
// awaited, and coroutines return them. Needs exceptions and run-time type information.
//
// OWNERSHIP
//   A handle owns one reference, and its destructor releases it. It is move-only; copy() adds a reference explicitly.
//   raw() returns the C handle, borrowed; adopt() takes over a reference, release() passes it to the caller.
//
// EXCEPTIONS
//   An exception never leaves a handler: it rejects the promise that the handler settles. There get() throws the same
//   object again; other languages see an ERROR whose domain is the type of the exception, whose message is what(), and
//   whose cause keeps the object. A reason that is not a C++ exception is thrown as promises::error, that of a
//   cancelled promise as promises::cancelled. A call that fails throws error with domain "promise" and the status as
//   its code, std::bad_alloc for PROMISE_ENOMEM.
//   The object stays alive with the reason. Its type must stay loaded, so a plugin that throws must not be unloaded
//   while such promises live.
//
// THREADS
//   Every function may be called on any thread, as in promise.h. A handle object, like any other object, must not be
//   changed by one thread while another uses it.
#ifndef PROMISE_HPP
#define PROMISE_HPP

#if __cplusplus < 201703L
#error "promise.hpp needs C++17 or later: -std=c++17. promise.h is for what is older."
#endif
#if !defined(__cpp_exceptions) || !defined(__cpp_rtti)
#error "promise.hpp needs exceptions and RTTI: leave out -fno-exceptions and -fno-rtti, or use promise.h."
#endif

#include "promise.h"

#include "promise/cpp/handle.hpp"
#include "promise/cpp/value.hpp"
#include "promise/cpp/error.hpp"
#include "promise/cpp/convert.hpp"
#include "promise/cpp/containers.hpp"
#include "promise/cpp/build.hpp"
#include "promise/cpp/executor.hpp"
#include "promise/cpp/reaction.hpp"
#include "promise/cpp/promise.hpp"
#include "promise/cpp/combine.hpp"
#include "promise/cpp/stream.hpp"
#include "promise/cpp/observe.hpp"
#include "promise/cpp/runtime.hpp"
#include "promise/cpp/coroutine.hpp"

#endif // PROMISE_HPP
