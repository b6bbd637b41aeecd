/* host_exit.h - exit(), _exit(), _Exit() and quick_exit() for the whole process.
 *
 * The program exports them, so code of plugins calls them and not the C library's: it cannot end the process without a
 * word. There is nothing to call here.
 */
#ifndef HOST_EXIT_H
#define HOST_EXIT_H
#endif /* HOST_EXIT_H */
