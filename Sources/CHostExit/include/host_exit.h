/* host_exit.h - exit(), _exit(), _Exit(), quick_exit(), exec*() and daemon() for the whole process.
 *
 * The program exports them, so plugin code calls them instead of the C library's, and cannot end the process, or
 * replace its program, unreported. A child process runs programs as ever. Declares nothing.
 */
#ifndef HOST_EXIT_H
#define HOST_EXIT_H
#endif /* HOST_EXIT_H */
