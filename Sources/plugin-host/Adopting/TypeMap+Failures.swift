extension TypeMap {
  /// The conventions of common libraries, by the names of functions and by the types of results.
  static let bundledFailures: [String: String] = {
    var failures: [String: String] = [:]
    for (convention, names) in conventions {
      for name in names.split(whereSeparator: \.isWhitespace) { failures[String(name)] = convention }
    }
    return failures
  }()

  /// The conventions, each with its functions and types of results. `none` is for functions of a family that report no
  /// failure.
  private static let conventions: [(String, String)] = [
    // libcurl.
    ("nonzero message curl_easy_strerror", "CURLcode"), ("nonzero message curl_multi_strerror", "CURLMcode"),
    ("nonzero message curl_url_strerror", "CURLUcode"), ("nonzero message curl_share_strerror", "CURLSHcode"),
    // libgpg-error, libgcrypt, GPGME.
    ("nonzero message gpg_strerror", "gpg_error_t gpg_err_code_t"), ("nonzero message gcry_strerror", "gcry_error_t"),
    ("nonzero message gpgme_strerror", "gpgme_error_t"),
    (
      "none",
      """
      gpg_error gpg_err_make* gpg_err_code_* gpg_error_from_* gcry_error gcry_err_make* gcry_err_code_*
      gcry_error_from_* gpgme_error gpgme_err_make* gpgme_err_code_* gpgme_error_from_*
      """
    ),
    // zlib. Z_STREAM_END and Z_NEED_DICT are positive, and not failures.
    ("nonzero message zError", "compress compress2 uncompress uncompress2 gzclose gzclose_r gzclose_w gzflush"),
    ("nonzero message zError", "deflateInit* inflateInit* deflateReset* inflateReset* inflateBackInit*"),
    ("negative message zError", "deflate deflate* inflate inflate* gzsetparams"),
    ("none", "deflateBound inflateMark inflateCodesUsed"), ("errno", "gzopen gzopen64 gzdopen"),
    // bzip2 and LZ4 have no messages.
    ("nonzero", "BZ2_bzCompressInit BZ2_bzDecompressInit BZ2_bzCompressEnd BZ2_bzDecompressEnd"),
    (
      "negative",
      """
      BZ2_bzCompress BZ2_bzDecompress BZ2_bzBuffToBuffCompress BZ2_bzBuffToBuffDecompress BZ2_bzread BZ2_bzwrite
      LZ4_decompress_*
      """
    ),
    ("zero", "LZ4_compress_*"),
    // SQLite. For functions of a connection and of a statement, the connection has the message.
    ("nonzero message sqlite3_errmsg(ppDb)", "sqlite3_open sqlite3_open16 sqlite3_open_v2"),
    ("nonzero message sqlite3_errmsg(db)", "sqlite3_prepare* sqlite3_get_table sqlite3_load_extension"),
    ("nonzero message sqlite3_errmsg(argument1)", "sqlite3_exec sqlite3_blob_open"),
    ("null message sqlite3_errmsg(pDest)", "sqlite3_backup_init"),
    ("unless 0 or 100 or 101 message sqlite3_errmsg(sqlite3_db_handle(argument1))", "sqlite3_step"),
    ("nonzero message sqlite3_errmsg(sqlite3_db_handle(argument1))", "sqlite3_bind_*"),
    ("none", "sqlite3_bind_parameter_*"), ("unless 0 or 101 message sqlite3_errstr", "sqlite3_backup_step"),
    (
      "nonzero message sqlite3_errstr",
      """
      sqlite3_close sqlite3_close_v2 sqlite3_blob_read sqlite3_blob_write sqlite3_blob_reopen sqlite3_create_*
      sqlite3_busy_handler sqlite3_busy_timeout sqlite3_db_cacheflush sqlite3_deserialize sqlite3_initialize
      sqlite3_shutdown sqlite3_set_authorizer sqlite3_status sqlite3_status64 sqlite3_db_status sqlite3_trace_v2
      sqlite3_wal_autocheckpoint sqlite3_wal_checkpoint* sqlite3_table_column_metadata sqlite3_enable_load_extension
      sqlite3_extended_result_codes sqlite3_overload_function sqlite3_vfs_register
      """
    ),
    // liblzma has no messages.
    ("unless 0 or 1 or 2 or 4", "lzma_ret"),
    // libmagic, Expat, FreeType, libidn2, libtasn1, GnuTLS, libuv.
    ("null message magic_error(argument1)", "magic_file magic_buffer magic_descriptor"),
    ("nonzero message magic_error(argument1)", "magic_load magic_compile magic_check magic_list"),
    (
      "zero message XML_ErrorString(XML_GetErrorCode(parser))",
      "XML_Parse XML_ParseBuffer XML_ResumeParser XML_StopParser"
    ),
    ("nonzero message FT_Error_String", "FT_Error"), ("nonzero message idn2_strerror", "idn2_*"),
    ("nonzero message asn1_strerror", "asn1_*"), ("none", "asn1_get_length_*"),
    ("negative message gnutls_strerror", "gnutls_*"),
    ("none", "gnutls_memcmp gnutls_transport_get_int gnutls_*_time gnutls_*_time_peers gnutls_*_expiration"),
    ("negative message uv_strerror", "uv_*"),
    ("none", "uv_backend_* uv_translate_sys_error uv_fs_get_type uv_fs_get_system_error uv_open_osfhandle"),
    // OpenSSL. If a verification returns 0, the signature does not match; this is not a failure.
    (
      "unless 1 message ERR_reason_error_string(ERR_peek_last_error())",
      """
      EVP_*Init EVP_*Init_ex* EVP_*Update EVP_*Final EVP_*Final_ex EVP_Digest EVP_PKEY_*_init RAND_bytes RAND_priv_bytes
      """
    ),
    ("negative message ERR_reason_error_string(ERR_peek_last_error())", "EVP_*VerifyFinal EVP_Decode*"),
    ("null message ERR_reason_error_string(ERR_peek_last_error())", "PEM_read_* d2i_* EVP_*_fetch EVP_*_new_from_name"),
    // libpq, libarchive, libusb, ALSA.
    ("null message PQerrorMessage(conn)", "PQexec* PQprepare PQdescribe* PQfn"),
    ("zero message PQerrorMessage(conn)", "PQsend*"),
    ("negative message archive_error_string(argument1)", "archive_read_* archive_write_*"),
    ("negative message libusb_strerror", "libusb_*"), ("negative message snd_strerror", "snd_*"),
    // Functions that return -errno: systemd, libmount.
    (
      "negative message strerror(-result)",
      """
      sd_booted sd_bus_* sd_device_* sd_event_* sd_get_* sd_hwdb_* sd_id128_* sd_is_* sd_journal_* sd_listen_*
      sd_login_* sd_machine_* sd_notify* sd_path_* sd_peer_* sd_pid_* sd_seat_* sd_session_* sd_uid_* sd_watchdog_*
      mnt_*
      """
    ),
    ("none", "mnt_parse_version_string mnt_fs_get_priority mnt_context_get_status mnt_context_get_syscall_errno"),
    // The C library and libselinux: numbers of errno, errno itself, and messages of their own.
    ("nonzero message strerror", "pthread_* posix_memalign posix_spawn* posix_f* clock_nanosleep"),
    ("none", "pthread_self pthread_equal pthread_getconcurrency"),
    // In one of the threads pthread_barrier_wait() returns PTHREAD_BARRIER_SERIAL_THREAD.
    ("unless 0 or -1 message strerror", "pthread_barrier_wait"),
    ("nonzero message gai_strerror", "getaddrinfo getnameinfo"), ("nonzero message dlerror", "dlclose dlinfo"),
    ("null message dlerror", "dlopen dlmopen dlsym dlvsym"),
    (
      "errno",
      """
      access faccessat euidaccess eaccess lseek lseek64 close read write pread pread64 pwrite pwrite64 pipe pipe2 chown
      fchown lchown fchownat chdir fchdir getcwd get_current_dir_name dup dup2 dup3 getpgid setpgid setsid getsid setuid
      seteuid setreuid setgid setegid setregid setresuid setresgid getresuid getresgid getgroups link linkat symlink
      symlinkat readlink readlinkat unlink unlinkat rmdir ttyname tcgetpgrp tcsetpgrp gethostname sethostname
      getdomainname setdomainname fsync fdatasync truncate truncate64 ftruncate ftruncate64 lockf copy_file_range chroot
      getentropy fork open open64 openat openat64 creat creat64 posix_openpt stat lstat fstat fstatat mkdir mkdirat
      mkfifo mkfifoat mknod mknodat chmod fchmod fchmodat utimensat futimens fopen fopen64 freopen fdopen fmemopen popen
      pclose tmpfile rename renameat renameat2 remove fclose fflush fseek fseeko ftell ftello fileno realpath mkstemp
      mkostemp mkstemps mkostemps mkdtemp setenv unsetenv canonicalize_file_name clock_gettime clock_settime
      clock_getres nanosleep socket socketpair bind connect listen accept accept4 getsockname getpeername getsockopt
      setsockopt shutdown send recv sendto recvfrom sendmsg recvmsg poll ppoll select pselect epoll_create epoll_create1
      epoll_ctl epoll_wait eventfd inotify_init inotify_init1 inotify_add_watch inotify_rm_watch signalfd memfd_create
      timerfd_create timerfd_settime timerfd_gettime mmap munmap mprotect msync mlock munlock statvfs fstatvfs statfs
      fstatfs kill killpg wait waitpid getrlimit setrlimit getrusage uname sysinfo gettimeofday settimeofday flock
      opendir fdopendir closedir getxattr lgetxattr fgetxattr setxattr lsetxattr fsetxattr listxattr llistxattr
      flistxattr removexattr lremovexattr fremovexattr sendfile splice getrandom shm_open shm_unlink iconv_open iconv
      iconv_close getcon getprevcon getpidcon getexeccon getfscreatecon getfilecon lgetfilecon fgetfilecon getpeercon
      setcon setexeccon setfilecon lsetfilecon fsetfilecon
      """
    ),
  ]
}
