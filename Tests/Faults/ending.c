/* ending.c - a plugin that ends its process, or fails, in one of its functions: macros choose the way. */
#include "../Fixtures/plugins/fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef ID
#define ID "org.example.ending"
#endif
#ifndef IN_INITIALISER
#define IN_INITIALISER (void)0
#endif
#ifndef IN_ENTRY
#define IN_ENTRY (void)0
#endif
#ifndef IN_LOAD
#define IN_LOAD (void)0
#endif
#ifndef IN_CALL
#define IN_CALL (void)0
#endif
#ifndef OTHERS
#define OTHERS 0
#endif
#ifndef IN_UNLOAD
#define IN_UNLOAD (void)0
#endif

static inline void hang(void) {
  for (;;)
    pause();
}

static inline void crash(void) {
  *(volatile int *)8 = 1;
}

/* Writes the id of this process. */
static inline void print_process(void) {
  dprintf(2, "process %d\n", (int)getpid());
}

/* Leaves a child, and appends its number to a file. */
static inline void leave_child(const char *path) {
  pid_t child = fork();
  if (child == 0)
    hang();
  FILE *file = fopen(path, "a");
  if (file == NULL)
    abort();
  fprintf(file, "%d\n", (int)child);
  fclose(file);
}

/* Writes each line of the variable FORGED as a report: the count of its bytes, and the bytes. */
static inline void forge_reports(void) {
  for (const char *line = getenv("FORGED"); line != NULL && *line != 0; line += line[0] == '\n') {
    uint32_t count = (uint32_t)strcspn(line, "\n");
    if (write(3, &count, sizeof count) < 0 || write(3, line, count) < 0)
      abort();
    line += count;
  }
}

/* Aborts if an action succeeds, and otherwise ends with the errno as the status. */
#define REFUSED(action)                                                                                                \
  do {                                                                                                                 \
    if ((action) >= 0)                                                                                                 \
      abort();                                                                                                         \
    _exit(errno);                                                                                                      \
  } while (0)

/* Prints how long a core file may be, and ends the process. */
static inline void print_core(void) {
  struct rlimit limit;
  getrlimit(RLIMIT_CORE, &limit);
  dprintf(2, "core %lld\n", (long long)limit.rlim_max);
  abort();
}

/* Writes to a descriptor of the host. */
static inline void write_to(int descriptor, const char *text) {
  if (write(descriptor, text, strlen(text)) < 0)
    abort();
}

/* Writes -1 into all memory that this process shares with others. */
static inline void write_to_shared_memory(void) {
  char line[512];
  FILE *maps = fopen("/proc/self/maps", "r");
  while (maps != NULL && fgets(line, sizeof line, maps) != NULL) {
    unsigned long start;
    char rights[5];
    if (sscanf(line, "%lx-%*x %4s", &start, rights) == 2 && strcmp(rights, "rw-s") == 0)
      for (int i = 0; i < 16; i++)
        ((volatile int32_t *)start)[i] = -1;
  }
}

static inline void close_all(void) {
  for (int descriptor = 0; descriptor < 256; descriptor++)
    close(descriptor);
}

/* Recurses until any stack overflows. */
static inline int overflow(int depth) {
  volatile char frame[4096];
  frame[depth % 4096] = 1;
  if (depth < 0)
    return 0;
  return overflow(depth + 1) + frame[0];
}

/* Forks a child that exits, which a plugin may do. */
static inline void fork_and_exit(void) {
  pid_t child = fork();
  if (child == 0)
    _exit(7);
  int status = 0;
  waitpid(child, &status, 0);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 7)
    abort();
}

/* Forks a child that runs `action`. The child must end with the expected status of waitpid(). */
#define IN_CHILD(action, expected)                                                                                     \
  do {                                                                                                                 \
    int status = 0;                                                                                                    \
    pid_t child = fork();                                                                                              \
    if (child == 0) {                                                                                                  \
      action;                                                                                                          \
    } else if (child < 0 || waitpid(child, &status, 0) != child || status != (expected))                               \
      abort();                                                                                                         \
  } while (0)

/* Leaves a process behind that is outside of the host's process groups, and has the host's streams. */
static inline void leave_grandchild(void) {
  pid_t child = fork();
  if (child == 0) {
    if (fork() != 0)
      _exit(0);
    setsid();
    sleep(90);
    _exit(0);
  }
  waitpid(child, NULL, 0);
}

/* Writes to a pipe without a reader, which must fail with EPIPE. */
static inline void break_pipe(void) {
  int ends[2];
  if (pipe(ends) != 0)
    abort();
  close(ends[0]);
  if (write(ends[1], "", 1) >= 0 || errno != EPIPE)
    abort();
  close(ends[1]);
}

/* Lowers the limit for the size of files, and writes beyond it, which must fail with EFBIG. */
static inline void exceed_file_size(void) {
  const struct rlimit limit = {1, 1};
  int file = memfd_create("file", 0);
  if (file < 0 || setrlimit(RLIMIT_FSIZE, &limit) != 0)
    abort();
  if (pwrite(file, "", 1, 1) >= 0 || errno != EFBIG)
    abort();
  close(file);
}

/* Changes state of the process: the current folder, the mask of modes, signals, the locale. */
static inline void change_process(void) {
  if (chdir("/") != 0)
    abort();
  umask(0777);
  signal(SIGTERM, SIG_IGN);
  signal(SIGCHLD, SIG_IGN);
  setlocale(LC_ALL, "");
}

static const promise_host_t *its_host;

/* Calls this function through the host, as deep as the host allows. */
static inline void recurse(void) {
  promise_release(its_host->call(its_host, ID, "call", NULL, 0));
}

static void *exit_of_thread(void *context) {
  (void)context;
  exit(0);
}

static inline void exit_on_thread(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, exit_of_thread, NULL);
  pthread_join(thread, NULL);
}

__attribute__((constructor)) static void initialise(void) {
  IN_INITIALISER;
}

#ifdef IN_RESOLVER
static int chosen_once(void) {
  return 42;
}

static int (*resolve(void))(void) {
  IN_RESOLVER;
  return chosen_once;
}

/* A function of which the loader calls the resolver while it relocates the library. */
static int chosen(void) __attribute__((ifunc("resolve")));
int (*volatile chosen_address)(void) = chosen;
#endif

static promise_status_t load(const promise_host_t *host, promise_value_t *error) {
  (void)error;
  its_host = host;
  IN_LOAD;
  return PROMISE_OK;
}

static void unload(void) {
  IN_UNLOAD;
}

static uint32_t call(void) {
  IN_CALL;
  return 42;
}

/* Returns a text at an address without memory. */
static promise_str_t wild(void) {
  return (promise_str_t){(const char *)8, 5};
}

static void wild_out(promise_str_t *text) {
  *text = wild();
}

static atomic_int others;

/* Returns a promise that stays pending: the plugin keeps a reference, by which it could settle the promise. */
static promise_t *never(void) {
  promise_t *promise = promise_new();
  promise_retain(promise);
  atomic_fetch_add(&others, 1);
  return promise;
}

/* Calls call() once OTHERS promises are pending. */
static uint32_t after_others(void) {
  while (atomic_load(&others) < OTHERS)
    usleep(1000);
  return call();
}

/* Returns the number of bytes on standard input; 1000 for an error. */
static uint32_t input(void) {
  char bytes[64];
  ssize_t count = read(STDIN_FILENO, bytes, sizeof bytes);
  return count < 0 ? 1000 : (uint32_t)count;
}

static promise_status_t fail(promise_value_t *error) {
  (void)error;
  return PROMISE_EINVAL;
}

static const promise_plugin_function_t functions[] = {
    {"call() -> u32", (promise_function_t)call, NULL},
    {"wild() -> str", (promise_function_t)wild, NULL},
    {"wild_out(text: out str)", (promise_function_t)wild_out, NULL},
    {"never() -> promise<u32>", (promise_function_t)never, NULL},
    {"after_others() -> u32", (promise_function_t)after_others, NULL},
    {"input() -> u32", (promise_function_t)input, NULL},
    {"fail() !", (promise_function_t)fail, NULL},
};

static const promise_plugin_t plugin = DESCRIPTOR(ID, .load = load, .unload = unload);

const promise_plugin_t *promise_plugin_entry(uint32_t host_abi) {
  (void)host_abi;
  IN_ENTRY;
  return &plugin;
}
