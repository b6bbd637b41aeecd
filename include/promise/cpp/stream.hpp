// promise/cpp/stream.hpp - streams: publishers and subscribers; see stream.h. Part of promise.hpp: read that first.
//
//     promises::publisher<int> numbers;
//     const auto printer = numbers.map([](int n) { return std::to_string(n); })
//                              .subscribe([](const std::string &text) { std::puts(text.c_str()); },
//                                         [](const promises::error &e) { std::puts(e.what()); });
//     numbers.publish(7);
//     numbers.finish();
//     printer.end().get();
#ifndef PROMISE_CPP_STREAM_HPP
#define PROMISE_CPP_STREAM_HPP

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "combine.hpp"
#include "event.hpp"
#include "timing.hpp"

namespace promises {

template <class T = void> class publisher;

// The policy for an event that arrives while `capacity` others are pending; see stream.h.
enum class overflow : std::uint32_t {
  buffers = PROMISE_OVERFLOW_BUFFER,
  drops_oldest = PROMISE_OVERFLOW_DROP_OLDEST,
  drops_newest = PROMISE_OVERFLOW_DROP_NEWEST,
  fails = PROMISE_OVERFLOW_FAIL
};

// Options of a subscription. The place is borrowed: its executor and token are used while subscribe() runs.
struct subscription {
  overflow when_full = overflow::buffers;
  std::uint64_t capacity = 0;                      // how many events may wait; 0 with overflow::buffers alone
  std::uint64_t demand = PROMISE_DEMAND_UNLIMITED; // how many to deliver before request() asks for more
  place where = place();                           // where the handlers run; its token cancels the subscriber
};

// The result of publishing an event.
enum class publication {
  taken, // no subscriber is full
  full,  // published, and a subscriber is full now: wait for ready(), if you can
  ended  // not published: the stream has ended
};

// Receives events while a reference to it exists. Releasing the last reference cancels the subscriber.
template <class T = void> class subscriber : public handle<promise_subscriber_t, promise_subscriber_release> {
public:
  subscriber() noexcept = default;
  [[nodiscard]] static subscriber adopt(promise_subscriber_t *owned) {
    return subscriber(detail::require(owned, "subscriber"));
  }
  [[nodiscard]] subscriber copy() const {
    detail::require(promise_subscriber_retain(raw()), "promise_subscriber_retain");
    return subscriber(raw());
  }
  // Asks for `count` more events for the handlers.
  void request(std::uint64_t count = PROMISE_DEMAND_UNLIMITED) const {
    detail::require(promise_subscriber_request(raw(), count), "promise_subscriber_request");
  }
  // Cancels the subscriber; false if it had ended.
  bool cancel() const {
    const promise_status_t status = promise_subscriber_cancel(raw());
    if (status != PROMISE_ESETTLED)
      detail::require(status, "promise_subscriber_cancel");
    return status == PROMISE_OK;
  }
  // Returns a promise of the next event, for a subscriber without handlers. It is rejected with an error with code
  // PROMISE_EFINISHED when the stream has finished.
  promise<T> next() const {
    return promise<T>::adopt(detail::require(promise_subscriber_next(raw()), "promise_subscriber_next"));
  }
  // Returns next() with an empty result when the stream has finished, which an event that is an error with the code
  // PROMISE_EFINISHED seems to be, too:
  //     while (auto event = co_await subscriber.next_or_end())
  promise<event<T>> next_or_end() const {
    static_assert(!std::is_void_v<T>, "a publisher<void> has no values: use next()");
    using handlers = detail::event_or_end;
    const promise<T> following = next();
    return promise<event<T>>::adopt(
        detail::react(following.raw(), place(), handlers::on_value, handlers::on_reason, nullptr, handlers{}));
  }
  // Returns the promise of the end; see promise_subscriber_end().
  promise<void> end() const {
    return promise<void>::adopt(detail::require(promise_subscriber_end(raw()), "promise_subscriber_end"));
  }
  // Returns the number of events dropped at capacity.
  std::int64_t dropped() const {
    const std::int64_t number = promise_subscriber_dropped(raw());
    if (number < 0)
      detail::fail(static_cast<promise_status_t>(number), "promise_subscriber_dropped");
    return number;
  }

private:
  friend class publisher<T>;
  explicit subscriber(promise_subscriber_t *owned) noexcept : handle(owned) {}
};

// A stream of `T`s; releasing the last reference cancels it. A value from another language that is not a `T` is an
// error of domain "c++" for its handlers.
template <class T>
class publisher : public handle<promise_publisher_t, promise_publisher_release>,
                  public detail::timed_operators<publisher<T>> {
public:
  using value_type = T;

  publisher() : publisher(detail::require(promise_publisher_new(0), "promise_publisher_new")) {}
  // Makes a publisher whose new subscribers receive the latest event first.
  static publisher with_state() {
    return adopt(detail::require(promise_publisher_new(PROMISE_PUBLISHER_STATEFUL), "promise_publisher_new"));
  }
  // Makes a publisher that publishes the value of a promise and finishes, or fails with its reason.
  static publisher of(const promise<T> &source) {
    return adopt(detail::require(promise_publisher_of(source.raw()), "promise_publisher_of"));
  }
  [[nodiscard]] static publisher adopt(promise_publisher_t *owned) {
    return publisher(detail::require(owned, "publisher"));
  }
  [[nodiscard]] publisher copy() const {
    detail::require(promise_publisher_retain(raw()), "promise_publisher_retain");
    return publisher(raw());
  }
  // Returns this stream with its values read as another type.
  template <class U> publisher<U> as() const {
    return publisher<U>::adopt(copy().release());
  }

  // ---- Publishing. Handlers without an executor run before these return. ----

  // Publishes a value: publish(content), or publish() for void.
  template <class U = T> publication publish(U &&content) const {
    static_assert(!std::is_void_v<T>, "a publisher<void> publishes nothing");
    if constexpr (std::is_void_v<T>)
      return publication::ended;
    else
      return publish(promise_publisher_publish, detail::encode_as<T>(std::forward<U>(content)));
  }
  template <class U = T> publication publish() const {
    static_assert(std::is_void_v<U>, "only a publisher<void> publishes nothing: give the value");
    return publish(promise_publisher_publish, value());
  }
  // Publishes a value or an exception, as for reject(), as an error that does not end the stream.
  template <class E> publication publish_error(E &&why) const {
    return publish(promise_publisher_publish_error, detail::reason_from(std::forward<E>(why)));
  }
  // Ends the stream: finishes, fails or cancels it. False if the stream had ended.
  bool finish() const {
    return ended(promise_publisher_finish(raw()), "promise_publisher_finish");
  }
  template <class E> bool fail(E &&why) const {
    const promise_value_t reason = detail::reason_from(std::forward<E>(why)).release();
    return ended(promise_publisher_fail(raw(), &reason), "promise_publisher_fail");
  }
  bool cancel() const {
    return ended(promise_publisher_cancel(raw()), "promise_publisher_cancel");
  }
  // Returns a promise that is fulfilled when no subscriber is full, and cancelled if the stream ends before.
  promise<void> ready() const {
    return promise<void>::adopt(detail::require(promise_publisher_ready(raw()), "promise_publisher_ready"));
  }

  // ---- Reading ----

  promise_state_t state() const {
    const promise_state_t now = promise_publisher_state(raw());
    if (now < 0)
      detail::fail(now, "promise_publisher_state");
    return now;
  }
  std::int64_t subscribers() const {
    const std::int64_t number = promise_publisher_count(raw());
    if (number < 0)
      detail::fail(static_cast<promise_status_t>(number), "promise_publisher_count");
    return number;
  }
  // Returns the latest event of a publisher with state.
  std::optional<outcome> latest() const {
    promise_value_t content;
    const promise_state_t how = promise_publisher_latest(raw(), &content);
    if (how < 0)
      detail::fail(how, "promise_publisher_latest");
    value kept = value::adopt(content);
    if (how == PROMISE_PENDING)
      return std::nullopt;
    return outcome(how, std::move(kept));
  }

  // ---- Subscribing ----

  // Subscribes without callbacks: next() asks for each event.
  [[nodiscard]] subscriber<T> subscribe(const subscription &how = subscription()) const {
    promise_subscription_t wish = wished(how);
    wish.demand = 0;
    return subscriber<T>::adopt(
        detail::require(promise_publisher_subscribe(raw(), &wish), "promise_publisher_subscribe"));
  }
  // Calls on_value(value), or on_value() for void, and on_error(const error &), the latter also for a value that cannot
  // be read as a `T`. One call at a time. Neither may throw: nobody could catch the exception, so it ends the process,
  // as on a thread. So does a lack of memory for the error.
  template <class F, class G>
  [[nodiscard]] subscriber<T> subscribe(F on_value, G on_error, const subscription &how = subscription()) const {
    using both = detail::watcher<T, F, G>;
    auto context = std::make_unique<both>(std::move(on_value), std::move(on_error));
    promise_subscription_t wish = wished(how);
    wish.on_value = both::on_value;
    wish.on_error = both::on_reason;
    wish.ctx = context.release();
    wish.free_ctx = detail::free_context<both>;
    return subscriber<T>::adopt(
        detail::require(promise_publisher_subscribe(raw(), &wish), "promise_publisher_subscribe"));
  }
  // Forwards the events to `target` while the subscriber is kept; with `and_end` the end, too.
  [[nodiscard]] subscriber<T> forward(const publisher &target, bool and_end = false) const {
    return subscriber<T>::adopt(
        detail::require(promise_publisher_forward(raw(), target.raw(), and_end ? PROMISE_FORWARD_END : 0),
                        "promise_publisher_forward"));
  }

  // ---- Operators: new streams of transformed events; see operator.h. An exception of a function is published as an
  // error. ----

  // Publishes f(value), or f() for void.
  template <class F> auto map(F f) const {
    using given = detail::called<F, T>;
    static_assert(!detail::is_promise<std::decay_t<given>>::value, "an operator does not wait: map to a value");
    return transform<detail::result_type<given>>(detail::on_value<T, F>, nullptr, std::move(f));
  }
  // Publishes the values for which f(value) holds.
  template <class F> publisher filter(F f) const {
    return transform<T>(passes_if<F, PROMISE_VERDICT_SKIP>, nullptr, std::move(f));
  }
  // Publishes values until f(value) does not hold, then finishes.
  template <class F> publisher take_while(F f) const {
    return transform<T>(passes_if<F, PROMISE_VERDICT_FINISH>, nullptr, std::move(f));
  }
  // Publishes f(const error &) in place of an error. The end of the stream is not an error.
  template <class F> publisher rescue(F f) const {
    static_assert(std::is_invocable_v<F &, const error &>,
                  "a rescuing function is called with the reason: f(const error &)");
    return transform<T>(nullptr, detail::on_reason<T, F>, std::move(f));
  }
  publisher take(std::uint64_t count) const {
    return adopt(detail::require(promise_publisher_take(raw(), count), "promise_publisher_take"));
  }
  // Publishes the last `count` values for each value, from the `count`th on.
  publisher<std::vector<T>> window(std::size_t count) const {
    return publisher<std::vector<T>>::adopt(
        detail::require(promise_publisher_window(raw(), count), "promise_publisher_window"));
  }
  // Publishes groups of `count` values. The last group, at the end, may have fewer.
  publisher<std::vector<T>> buffer(std::size_t count) const {
    return publisher<std::vector<T>>::adopt(
        detail::require(promise_publisher_buffer(raw(), count), "promise_publisher_buffer"));
  }
  // Publishes the running fold: f(accumulated, value) makes the next accumulated value. `initial` is not published.
  template <class U, class F> publisher<std::decay_t<U>> scan(U &&initial, F f) const {
    return folded(promise_publisher_scan, "promise_publisher_scan", std::forward<U>(initial), std::move(f));
  }
  // Publishes the fold of all values when this stream finishes: f(accumulated, value) makes the next accumulated value.
  template <class U, class F> publisher<std::decay_t<U>> reduce(U &&initial, F f) const {
    return folded(promise_publisher_reduce, "promise_publisher_reduce", std::forward<U>(initial), std::move(f));
  }
  // Skips values that equal the previous event; with `errors` also such errors.
  publisher distinct(bool errors = false) const {
    return adopt(detail::require(promise_publisher_distinct(raw(), errors ? PROMISE_DISTINCT_ERRORS : 0),
                                 "promise_publisher_distinct"));
  }
  publisher stateful() const {
    return adopt(detail::require(promise_publisher_stateful(raw()), "promise_publisher_stateful"));
  }
  // Returns the stream that sends each new subscriber the latest `count` events first, the oldest of them first.
  publisher replay(std::size_t count) const {
    return adopt(detail::require(promise_publisher_replay(raw(), count), "promise_publisher_replay"));
  }
  // Returns the stream with state: its latest event is the value until another event is published.
  template <class U = T> publisher start_with(U &&content) const {
    const promise_value_t first = detail::encode_as<T>(std::forward<U>(content)).release();
    return adopt(detail::require(promise_publisher_start_with(raw(), &first), "promise_publisher_start_with"));
  }

private:
  explicit publisher(promise_publisher_t *owned) noexcept : handle(owned) {}

  template <class U, class F, class R = std::decay_t<U>>
  publisher<R> folded(decltype(&promise_publisher_scan) how, const char *what, U &&initial, F f) const {
    auto context = std::make_unique<F>(std::move(f));
    const promise_value_t first = detail::encode_as<R>(std::forward<U>(initial)).release();
    return publisher<R>::adopt(
        detail::require(how(raw(), &first, folds<R, F>, context.release(), detail::free_context<F>), what));
  }
  static bool ended(promise_status_t status, const char *what) {
    if (status != PROMISE_ESETTLED)
      detail::require(status, what);
    return status == PROMISE_OK;
  }
  publication publish(promise_status_t (*how)(promise_publisher_t *, const promise_value_t *), value content) const {
    const promise_value_t owned = content.release();
    const promise_status_t status = how(raw(), &owned);
    if (status == PROMISE_ESETTLED || status == PROMISE_EFULL)
      return status == PROMISE_EFULL ? publication::full : publication::ended;
    detail::require(status, "promise_publisher_publish");
    return publication::taken;
  }
  static promise_subscription_t wished(const subscription &how) noexcept {
    promise_subscription_t wish = promise_subscription_t();
    wish.size = sizeof wish;
    wish.overflow = static_cast<promise_overflow_t>(how.when_full);
    wish.capacity = how.capacity;
    wish.demand = how.demand;
    wish.executor = how.where.raw_executor();
    wish.token = how.where.raw_token();
    return wish;
  }
  template <class U, class F>
  publisher<U> transform(promise_handler_t on_value, promise_handler_t on_error, F f) const {
    auto context = std::make_unique<F>(std::move(f));
    promise_transform_t how = promise_transform_t();
    how.size = sizeof how;
    how.on_value = on_value;
    how.on_error = on_error;
    how.ctx = context.release();
    how.free_ctx = detail::free_context<F>;
    return publisher<U>::adopt(
        detail::require(promise_publisher_transform(raw(), &how), "promise_publisher_transform"));
  }
  template <class U, class F>
  static promise_verdict_t folds(void *ctx, const promise_value_t *accumulated, const promise_value_t *in,
                                 promise_value_t *out) {
    const auto fold = [&]() -> U {
      return std::invoke(*static_cast<F *>(ctx), codec<U>::decode(*accumulated), codec<T>::decode(*in));
    };
    return detail::settle_with<U>(out, fold);
  }
  template <class F, promise_verdict_t otherwise>
  static promise_verdict_t passes_if(void *ctx, const promise_value_t *in, promise_value_t *out) {
    bool holds = false;
    const auto ask = [&]() { holds = static_cast<bool>(std::invoke(*static_cast<F *>(ctx), codec<T>::decode(*in))); };
    const promise_verdict_t own = detail::settle_with(out, ask);
    return own == PROMISE_REJECT ? own : holds ? PROMISE_VERDICT_PASS : otherwise;
  }
};

namespace detail {
template <class U, class T, class Combine>
publisher<U> gather(Combine how, const char *what, const std::vector<publisher<T>> &sources) {
  std::vector<promise_publisher_t *> raw;
  raw.reserve(sources.size());
  for (const publisher<T> &source : sources)
    raw.push_back(source.raw());
  return publisher<U>::adopt(require(how(raw.data(), raw.size()), what));
}
} // namespace detail

// Makes a publisher of ticks, each with the number of intervals that have passed; with an executor, on it. See
// promise_publisher_every().
template <class Rep, class Period> publisher<std::uint64_t> every(std::chrono::duration<Rep, Period> interval) {
  return publisher<std::uint64_t>::adopt(
      detail::require(promise_publisher_every(nullptr, detail::nanoseconds(interval)), "promise_publisher_every"));
}
template <class Rep, class Period>
publisher<std::uint64_t> every(const executor &on, std::chrono::duration<Rep, Period> interval) {
  return publisher<std::uint64_t>::adopt(detail::require(
      promise_publisher_every(detail::there(on.raw()), detail::nanoseconds(interval)), "promise_publisher_every"));
}

// Merges the events of all sources, in the order of publication.
template <class T> publisher<T> merge(const std::vector<publisher<T>> &sources) {
  return detail::gather<T>(promise_publisher_merge, "promise_publisher_merge", sources);
}
// Publishes the first values of all sources, then the second ones, and so on.
template <class T> publisher<std::vector<T>> zip(const std::vector<publisher<T>> &sources) {
  return detail::gather<std::vector<T>>(promise_publisher_zip, "promise_publisher_zip", sources);
}
template <class... T> publisher<std::tuple<T...>> zip(const publisher<T> &...sources) {
  static_assert(sizeof...(T) > 0 && !(std::is_void_v<T> || ...), "a tuple holds no void: use map() to make it a value");
  promise_publisher_t *const raw[] = {sources.raw()...};
  return publisher<std::tuple<T...>>::adopt(
      detail::require(promise_publisher_zip(raw, sizeof...(T)), "promise_publisher_zip"));
}
// Publishes the latest values of all sources for each value of any source, once each has published one.
template <class T> publisher<std::vector<T>> combine_latest(const std::vector<publisher<T>> &sources) {
  return detail::gather<std::vector<T>>(promise_publisher_combine_latest, "promise_publisher_combine_latest", sources);
}
template <class... T> publisher<std::tuple<T...>> combine_latest(const publisher<T> &...sources) {
  static_assert(sizeof...(T) > 0 && !(std::is_void_v<T> || ...), "a tuple holds no void: use map() to make it a value");
  promise_publisher_t *const raw[] = {sources.raw()...};
  return publisher<std::tuple<T...>>::adopt(
      detail::require(promise_publisher_combine_latest(raw, sizeof...(T)), "promise_publisher_combine_latest"));
}

} // namespace promises

#endif // PROMISE_CPP_STREAM_HPP
