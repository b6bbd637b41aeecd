#include "activity.hpp"
#include "ending_json.hpp"
#include "plugin_library.h"
#include "report.hpp"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <pthread.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

__thread plugin_activity *plugin_activity_current;

using plugin::ending_facts;
using plugin::json_line;
using plugin::line;
using plugin::place;
using plugin::write_all;

void line::write() noexcept {
  text[length++] = '\n';
  write_all(text, length);
}

namespace {

plugin_activity_guard_t guard;
std::atomic<pid_t> guarded;
/// The status that the program itself is about to exit with; -1: it is not exiting.
std::atomic<int32_t> ending{-1};
/// Whether the program exits on this thread.
__thread bool is_ending_here;

/// Returns the status to end with: the program's own if that is a failure.
int32_t final_status(int32_t status) noexcept {
  int32_t own = ending.load();
  return own > 0 ? own : status;
}

[[noreturn]] void end(int32_t status) noexcept {
  syscall(SYS_exit_group, final_status(status));
  abort();
}

int32_t status_of(plugin_activity_kind_t kind) noexcept {
  return kind == PLUGIN_ACTIVITY_CALL || kind == PLUGIN_ACTIVITY_UNLOAD ? guard.call_status : guard.load_status;
}

/// Returns the facts of an end in plugin code of a kind, without a signal.
ending_facts facts_of(plugin_activity_kind_t kind, const char *subject, int32_t status) noexcept {
  bool is_call = kind == PLUGIN_ACTIVITY_CALL || kind == PLUGIN_ACTIVITY_UNLOAD;
  return {is_call ? "rejected" : "notLoaded", final_status(status), nullptr, subject, kind == PLUGIN_ACTIVITY_CALL};
}

/// Reports that plugin code without an activity called `how`: on a thread that the plugin made, in a job, a timer or a
/// discard block, or in a destructor or an exit handler. Ends the process if the guard has a status for that.
void end_by_unknown_plugin(const char *how) {
  const char *place = is_ending_here ? "in a destructor or an exit handler" : "outside of its functions";
  (line() << guard.program << ": code of a plugin called " << how << "(), " << place << ": the process ends")
      .write({"rejected", final_status(guard.call_status), nullptr, nullptr, false});
  if (guard.call_status >= 0)
    end(guard.call_status);
}

/// The exit() handler. It is registered first and so runs last, after the program has written its output.
void exits() {
  plugin_activity_exits("exit", -1);
  if (guarded.load() == getpid() && ending.load() < 0)
    end_by_unknown_plugin("exit");
}

} // namespace

void line::write(const ending_facts &facts) noexcept {
  if (!guard.json)
    return write();
  text[length] = '\0';
  size_t prefix = strlen(guard.program) + 2;
  json_line(facts, text + (prefix < length ? prefix : 0)).write();
}

const char *plugin_activity_program() {
  return guarded.load() != 0 ? guard.program : program_invocation_short_name;
}

void plugin_activity_exits(const char *how, int32_t status) {
  const plugin_activity *activity = plugin_activity_current;
  if (guarded.load() != getpid())
    return;
  if (activity == nullptr) {
    // The program notes that it ends before it calls either function. exits() reports an exit() before that.
    if (ending.load() >= 0 ? !is_ending_here && strcmp(how, "exit") == 0 : strcmp(how, "_exit") == 0)
      end_by_unknown_plugin(how);
    // The program itself, or code that runs while it ends.
    if (ending.load() > 0 && status >= 0)
      end(ending.load());
    return;
  }
  line text;
  text << guard.program << ": " << activity->subject << ": called " << how << "(";
  if (status >= 0)
    text << static_cast<int64_t>(status);
  int32_t guarded_status = status_of(activity->kind);
  int32_t last = guarded_status >= 0 ? guarded_status : status;
  // Without a status of the guard, as in a worker, the function is called after all: exec*() may be refused.
  const char *unless = strcmp(how, "exit") != 0 && last < 0 ? ", unless that is refused" : "";
  (text << ") in " << place(activity->kind) << ": the process ends" << unless)
      .write(facts_of(activity->kind, activity->subject, last));
  if (last >= 0)
    end(last);
}

void plugin_activity_replaces(const char *how) {
  if (guarded.load() != getpid())
    return;
  if (plugin_activity_current != nullptr)
    return plugin_activity_exits(how, -1);
  end_by_unknown_plugin(how);
}

// ---- Fatal signals ----

namespace {

const struct {
  int number;
  const char *name;
  /// Whether the signal means a mistake of the code, rather than a decision.
  bool is_fault;
} signals[] = {{SIGSEGV, "SIGSEGV", true},  {SIGBUS, "SIGBUS", true},       {SIGFPE, "SIGFPE", true},
               {SIGILL, "SIGILL", true},    {SIGTRAP, "SIGTRAP", true},     {SIGABRT, "SIGABRT", true},
               {SIGSYS, "SIGSYS", true},    {SIGALRM, "SIGALRM", false},    {SIGVTALRM, "SIGVTALRM", false},
               {SIGPROF, "SIGPROF", false}, {SIGUSR1, "SIGUSR1", false},    {SIGUSR2, "SIGUSR2", false},
               {SIGQUIT, "SIGQUIT", false}, {SIGXCPU, "SIGXCPU", false},    {SIGPOLL, "SIGPOLL", false},
               {SIGPWR, "SIGPWR", false},   {SIGSTKFLT, "SIGSTKFLT", false}};
struct sigaction before[sizeof signals / sizeof *signals];

/// The function whose results the thread reads; NULL: none.
__thread const char *results_of;

uintptr_t instruction(const void *context) noexcept {
  const mcontext_t &machine = static_cast<const ucontext_t *>(context)->uc_mcontext;
#ifdef __x86_64__
  return static_cast<uintptr_t>(machine.gregs[REG_RIP]);
#else
  return static_cast<uintptr_t>(machine.pc);
#endif
}

/// Reports a fault on a thread without an activity. The plugin is known if the thread was in its library.
void report_elsewhere(const char *name, int status, uintptr_t address) noexcept {
  const char *library = plugin_library_at(address);
  line text;
  text << guard.program << ": ";
  if (library != nullptr)
    text << library << ": ";
  (text << name
        << (is_ending_here ? " while the exit handlers and destructors of plugins ran"
                           : " on a thread that runs no function of a plugin")
        << ": the process ends")
      .write({"rejected", status, name, nullptr, false});
}

/// Whether the instruction that raised the signal runs again when its handler returns. The instructions of SIGTRAP and
/// SIGSYS have been executed, and a signal that was sent has none.
bool restarts(int number, const siginfo_t *info) noexcept {
  bool is_of_instruction = number == SIGSEGV || number == SIGBUS || number == SIGFPE || number == SIGILL;
  return is_of_instruction && info->si_code > 0;
}

void report(int number, siginfo_t *info, void *context) {
  int error = errno;
  for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
    if (signals[i].number != number)
      continue;
    const plugin_activity *activity = plugin_activity_current;
    const char *subject = results_of != nullptr ? results_of : activity != nullptr ? activity->subject : nullptr;
    // Signals of a child are not reported.
    bool is_own = guarded.load() == getpid();
    bool is_fault = signals[i].is_fault;
    if (is_own && subject == nullptr && is_fault)
      report_elsewhere(signals[i].name, 128 + number, instruction(context));
    if (is_own && subject == nullptr && !is_fault)
      (line() << guard.program << ": " << signals[i].name << ": the process ends")
          .write({"rejected", 128 + number, signals[i].name, nullptr, false});
    if (is_own && subject != nullptr) {
      ending_facts facts = facts_of(results_of != nullptr ? PLUGIN_ACTIVITY_CALL : activity->kind, subject, 0);
      facts.status = 128 + number;
      facts.signal = signals[i].name;
      (line() << guard.program << ": " << subject << ": " << signals[i].name << " in "
              << (results_of != nullptr ? "reading the results of this call" : place(activity->kind))
              << ": the process ends")
          .write(facts);
    }
    // Restarts the instruction that raised the signal, now with the previous handler installed. If it does not restart,
    // the signal is sent again; if that handler returns, the process ends nevertheless.
    sigaction(number, &before[i], nullptr);
    if (restarts(number, info))
      continue;
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, number);
    pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
    raise(number);
    signal(number, SIG_DFL);
    raise(number);
  }
  errno = error;
}

void catch_signals() {
  for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
    struct sigaction action = {};
    action.sa_sigaction = report;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    sigaction(signals[i].number, nullptr, &before[i]);
    // For a signal that is sent, a program that has a handler, or ignores the signal, has made a decision.
    if (signals[i].is_fault || before[i].sa_handler == SIG_DFL)
      sigaction(signals[i].number, &action, nullptr);
  }
}

} // namespace

void plugin_activity_read_results(const char *subject) {
  results_of = subject;
}

// ---- Deadlines ----

namespace {

/// The address of the published kind; NULL: nothing is published.
std::atomic<plugin_activity_kind_t *> place_of_kind;

void publish(const plugin_activity *activity) noexcept {
  plugin_activity_kind_t *place = place_of_kind.load(std::memory_order_relaxed);
  if (place != nullptr)
    __atomic_store_n(place, activity == nullptr ? 0 : activity->kind, __ATOMIC_RELAXED);
}

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed;

/// The time limit of an activity. The limits of all threads are in one list, the latest first.
struct limit {
  const plugin_activity *activity;
  timespec deadline;
  limit *next;
  // Copied, because code that was left by longjmp() has no activity any more.
  plugin_activity_kind_t kind;
  char subject[256];
};

limit *limits;

timespec after(int64_t nanoseconds) noexcept {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  int64_t total = now.tv_nsec + nanoseconds % 1000000000;
  return {now.tv_sec + nanoseconds / 1000000000 + total / 1000000000, total % 1000000000};
}

bool is_before(const timespec &one, const timespec &other) noexcept {
  return one.tv_sec != other.tv_sec ? one.tv_sec < other.tv_sec : one.tv_nsec < other.tv_nsec;
}

/// Waits for the earliest deadline, and ends the process when it has passed.
void *watch(void *) {
  pthread_mutex_lock(&lock);
  while (true) {
    limit *first = limits;
    for (limit *other = limits; other != nullptr; other = other->next)
      first = is_before(other->deadline, first->deadline) ? other : first;
    if (first == nullptr) {
      pthread_cond_wait(&changed, &lock);
      continue;
    }
    timespec deadline = first->deadline;
    if (is_before(after(0), deadline)) {
      pthread_cond_timedwait(&changed, &lock, &deadline);
      continue;
    }
    (line() << guard.program << ": " << first->subject << ": has not returned within " << guard.timeout_ns / 1000000
            << " ms from " << place(first->kind) << ": the process ends")
        .write({"timedOut", final_status(guard.timeout_status), nullptr,
                first->kind == PLUGIN_ACTIVITY_EXIT ? nullptr : first->subject, first->kind == PLUGIN_ACTIVITY_CALL});
    end(guard.timeout_status);
  }
}

void start_watch() {
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_cond_init(&changed, &attributes);
  pthread_condattr_destroy(&attributes);
  // Asynchronous signals are left to the program's other threads. Signals of the Swift runtime, which stop threads to
  // print their stacks, are not blocked.
  static const int asynchronous[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGCHLD, SIGALRM, SIGWINCH, SIGPIPE};
  sigset_t blocked, previous;
  sigemptyset(&blocked);
  for (int number : asynchronous)
    sigaddset(&blocked, number);
  pthread_sigmask(SIG_BLOCK, &blocked, &previous);
  pthread_t thread;
  if (pthread_create(&thread, nullptr, watch, nullptr) == 0)
    pthread_detach(thread);
  pthread_sigmask(SIG_SETMASK, &previous, nullptr);
}

} // namespace

void plugin_activity_publish(plugin_activity_kind_t *place) {
  place_of_kind.store(place);
}

static void add_limit(const plugin_activity *activity, plugin_activity_kind_t kind, const char *subject) {
  if (guarded.load() == 0)
    return;
  limit *added = static_cast<limit *>(malloc(sizeof(limit)));
  if (added == nullptr)
    return;
  pthread_mutex_lock(&lock);
  if (guard.timeout_ns > 0) {
    *added = {activity, after(guard.timeout_ns), limits, kind, {}};
    strncpy(added->subject, subject, sizeof added->subject - 1);
    limits = added;
    added = nullptr;
    pthread_cond_signal(&changed);
  }
  pthread_mutex_unlock(&lock);
  free(added);
}

void plugin_activity_begin_limit(const plugin_activity *activity) {
  publish(activity);
  add_limit(activity, activity->kind, activity->subject);
}

/// Limits the time of exit handlers and destructors. Runs before the exit handlers that were registered before it.
static void limit_exit() {
  if (guarded.load() == getpid())
    add_limit(nullptr, PLUGIN_ACTIVITY_EXIT, "code of a plugin");
}

void plugin_activity_ending(int32_t status) {
  is_ending_here = true;
  ending.store(status);
  // unload() and the ends of workers have limits of their own.
  if (guarded.load() != 0)
    atexit(limit_exit);
}

void plugin_activity_exit(int32_t status) {
  is_ending_here = true;
  ending.store(status);
  limit_exit();
  exit(status);
}

void plugin_activity_end_limit(const plugin_activity *activity) {
  publish(activity->outer);
  if (guarded.load() == 0)
    return;
  pthread_mutex_lock(&lock);
  limit **place = &limits;
  while (*place != nullptr && (*place)->activity != activity)
    place = &(*place)->next;
  limit *removed = *place;
  if (removed != nullptr)
    *place = removed->next;
  pthread_mutex_unlock(&lock);
  free(removed);
}

void plugin_activity_guard(const plugin_activity_guard_t *given) {
  pthread_mutex_lock(&lock);
  bool is_first = guarded.load() == 0;
  if (is_first)
    guard = *given;
  guard.timeout_ns = given->timeout_ns;
  pthread_mutex_unlock(&lock);
  if (!is_first)
    return;
  plugin_activity_notice_forks();
  start_watch();
  catch_signals();
  plugin_activity_prepare_thread();
  atexit(exits);
  guarded.store(getpid());
}
