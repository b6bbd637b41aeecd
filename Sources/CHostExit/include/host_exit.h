/* host_exit.h - exit(), _exit(), _Exit() and quick_exit() for the whole process.
 *
 * The program exports them, so plugin code calls them instead of the C library's, and cannot end the process
 * unreported. Declares nothing.
 */
#ifndef HOST_EXIT_H
#define HOST_EXIT_H
#endif /* HOST_EXIT_H */
