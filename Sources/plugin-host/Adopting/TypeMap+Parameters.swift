extension TypeMap {
  /// Parameters and results whose meaning only the manuals of common libraries state, in the syntax of a type map's
  /// file.
  static let bundledParameters: [String: String] = {
    var parameters: [String: String] = [:]
    let texts = [bundledManuals, bundledAddresses, bundledCompression, bundledOpenSSL]
    for line in texts.joined(separator: "\n").split(separator: "\n") where !line.hasPrefix("#") {
      guard let colon = line.firstRange(of: ": ") else { continue }
      for name in line[..<colon.lowerBound].split(separator: " ") {
        parameters[String(name)] = String(line[colon.upperBound...])
      }
    }
    return parameters
  }()

  /// Parameters with the same meaning share a line.
  static let bundledManuals = """
    # Results that count what was written.
    read.result pread.result pread64.result readlink.result readlinkat.result: isize counts buf
    recv.result recvfrom.result: isize counts buf
    fread*.ptr: out bytes[n]
    fread*.size fwrite*.size gpgrt_fread*.size gpgrt_fwrite*.size: const usize = 1
    fread*.result: usize counts ptr
    fwrite*.ptr: bytes[n]
    gpgrt_fread*.ptr: out bytes[nitems]
    gpgrt_fread*.result: usize counts ptr
    gpgrt_fwrite*.ptr: bytes[nitems]
    gzfread.buf: out bytes[nitems]
    gzfread.size gzfwrite.size: const usize = 1
    gzfread.result: usize counts buf
    gzfwrite.buf: bytes[nitems]
    getrandom.result: isize counts buffer
    gzread.result BZ2_bzread.result BZ2_bzRead.result SSL_read.result: i32 counts buf
    BIO_read.result: i32 counts data
    # The C library.
    uname.name: out
    sincos*.sinx sincos*.cosx modf*.iptr canonicalize*.cx setpayload*.x: out
    totalorder*.x totalorder*.y getpayload*.x canonicalize*.x: in
    ecvt*.decpt ecvt*.sign fcvt*.decpt fcvt*.sign qecvt*.decpt qecvt*.sign qfcvt*.decpt qfcvt*.sign: out
    mbtowc.pwc mbrtowc.pwc: out
    wctomb.s wcrtomb.s: out [u8; 16]
    gmtime*.timer localtime*.timer ctime*.timer: in
    realpath.resolved: const ptr<void>? = null
    realpath.result: own(free) cstr?
    setbuf.buf setvbuf.buf tmpnam.argument1 ctermid.s cuserid.s: const ptr<void>? = null
    ctime_r.buf asctime_r.buf: out [u8; 26]
    gcvt.buf qgcvt.buf: out [u8; 64]
    memcpy.dest memmove.dest mempcpy.dest: out bytes[n]
    memcpy.src memmove.src mempcpy.src: bytes[n]
    strxfrm*.dest strncpy.dest stpncpy.dest: out str[n]
    strxfrm*.src: cstr
    asprintf.ptr vasprintf.ptr: out own(free) cstr?
    bind.addr connect.addr: bytes[len]
    sendto.addr: bytes[addr_len]?
    getsockname.addr getpeername.addr: out bytes[len]
    getsockname.len getpeername.len: inout u32 = 128
    accept*.addr recvfrom.addr: out bytes[addr_len]
    accept*.addr_len recvfrom.addr_len: inout u32 = 128
    memset.s: out bytes[n]
    wmemcpy.s1 wmemmove.s1 wmempcpy.s1: out &[i32; n]
    wmemset.s wcsncpy.dest wcpncpy.dest mbstowcs.pwcs: out &[i32; n]
    wmemcpy.result wmemmove.result wmemset.result wmempcpy.result wcsncpy.result wcpncpy.result: usize
    wmemchr.s: &[i32; n]
    wcstombs.s: out str[n]
    wcstombs.pwcs: &[i32; 0]
    mbstowcs.s: cstr
    getaddrinfo.pai: out own(freeaddrinfo) ptr<addrinfo>?
    getaddrinfo.req: ptr<addrinfo>?
    # zlib, bzip2, Brotli.
    deflatePending.pending deflatePending.bits: out
    BZ2_bzReadOpen.bzerror BZ2_bzWriteOpen.bzerror: out
    BZ2_bzBuffToBuff*.dest: out bytes[destLen]
    BZ2_bzBuffToBuff*.source: bytes[sourceLen]
    # libmagic.
    magic_buffer.argument2: bytes[argument3]
    BrotliEncoderCompress.input_buffer: bytes[input_size]
    BrotliEncoderCompress.encoded_size BrotliDecoderDecompress.decoded_size: inout usize = 65536
    BrotliEncoderCompress.encoded_buffer: out bytes[encoded_size]
    BrotliDecoderDecompress.encoded_buffer: bytes[encoded_size]
    BrotliDecoderDecompress.decoded_buffer: out bytes[decoded_size]
    Brotli*Stream.total_out: out
    Brotli*CreateInstance.alloc_func Brotli*CreateInstance.free_func: const ptr<void>? = null
    Brotli*CreateInstance.opaque: const ptr<void>? = null
    iconv.inbuf: moving bytes[inbytesleft]
    iconv.inbytesleft: inout
    iconv.outbuf: out moving bytes[outbytesleft]
    iconv.outbytesleft: inout usize = 65536
    mbsrtowcs.dst mbsnrtowcs.dst: out &[i32; len]
    mbsrtowcs.src: moving bytes[*]
    mbsnrtowcs.src: moving bytes[nmc]
    wcsrtombs.dst wcsnrtombs.dst: out bytes[len]
    wcsrtombs.src: moving &[i32; *]
    wcsnrtombs.src: moving &[i32; nwc]
    # SQLite: -1 in the place of a destructor has the text copied.
    sqlite3_bind_blob.argument3 sqlite3_bind_blob64.argument3: bytes[argument4]
    sqlite3_bind_text.argument3 sqlite3_bind_text64.argument3: str[argument4]
    sqlite3_bind_blob.argument5 sqlite3_bind_blob64.argument5 sqlite3_bind_text.argument5: const isize = -1
    sqlite3_bind_text64.argument5: const isize = -1
    sqlite3_bind_text64.encoding: const u8 = 1
    sqlite3_result_blob.argument2 sqlite3_result_blob64.argument2: bytes[argument3]
    sqlite3_result_text.argument2: str[argument3]
    sqlite3_result_blob.argument4 sqlite3_result_blob64.argument4 sqlite3_result_text.argument4: const isize = -1
    sqlite3_table_column_metadata.pzDataType sqlite3_table_column_metadata.pzCollSeq: out cstr?
    sqlite3_table_column_metadata.pNotNull sqlite3_table_column_metadata.pPrimaryKey: out
    sqlite3_table_column_metadata.pAutoinc sqlite3_vtab_rhs_value.ppVal: out
    sqlite3_randomness.P: out bytes[N]
    sqlite3_create_function.xFunc sqlite3_create_function.xStep: fn(ptr<sqlite3_context>?, i32, ptr<any>?) @forever?
    sqlite3_create_function.xFinal: fn(ptr<sqlite3_context>?) @forever?
    sqlite3_result_error.argument2: str[argument3]
    sqlite3_result_error16.argument2: bytes[argument3]
    sqlite3_keyword_check.argument1: str[argument2]
    sqlite3_database_file_object.argument1: ptr<sqlite3_filename>
    sqlite3_mprintf.result: own(sqlite3_free) cstr?
    # libcurl.
    curl_multi_perform.running_handles curl_multi_socket*.running_handles: out
    curl_multi_timeout.milliseconds curl_ws_send.sent curl_easy_header.hout: out
    curl_getdate.unused: const ptr<void>? = null
    curl_easy_escape.result: own(curl_free) cstr?
    curl_easy_unescape.outlength: out
    curl_easy_unescape.result: own(curl_free) bytes[outlength]?
    # libgcrypt, GnuTLS, libtasn1, Nettle.
    gcry_mpi_aprint.buffer: out own(gcry_free) bytes[nwritten]?
    gcry_mpi_aprint.nwritten gcry_sexp_sscan.retsexp gcry_pk_genkey.r_key: out
    gcry_sexp_nth_data.datalen gcry_sexp_nth_buffer.rlength gcry_pk_get_curve.r_nbits gcry_mpi_get_opaque.nbits: out
    gcry_sexp_nth_data.result: bytes[datalen]?
    gcry_sexp_nth_buffer.result: own(gcry_free) bytes[rlength]?
    gcry_sexp_nth_string.result: own(gcry_free) cstr?
    gcry_cipher_gettag.outtag: out bytes[taglen]
    gcry_cipher_checktag.intag: bytes[taglen]
    gcry_md_hash_buffer.digest: out [u8; 64]
    gnutls_memset.data: out bytes[size]
    gnutls_srp_base64_decode.result_: out bytes[result_size]
    gcry_kdf_derive.keybuffer: out bytes[keysize]
    gcry_random_bytes.result gcry_random_bytes_secure.result: own(gcry_free) bytes[nbytes]?
    *ngettext*.msgid*: cstr
    xmlStrncatNew.str1: cstr
    g_ref_count_inc.rc g_ref_count_dec.rc g_ref_count_compare.rc: inout
    UTF8_putc.str: out bytes[len]
    gpgrt_read.buffer: out bytes[bytes_to_read]
    gpgrt_read.bytes_read: out
    gpgrt_write.buffer: bytes[bytes_to_write]
    gnutls_priority_init*.err_pos gnutls_priority_set_direct.err_pos: out ptr<char>?
    gnutls_srtp_set_profile_direct.err_pos gnutls_set_default_priority_append.err_pos: out ptr<char>?
    gnutls_dh_params_init.dh_params: out own(gnutls_dh_params_deinit) ptr<gnutls_dh_params_int>?
    gnutls_cipher_suite_info.cs_id: out [u8; 2]
    gnutls_cipher_suite_info.kx gnutls_cipher_suite_info.cipher gnutls_cipher_suite_info.mac: out
    gnutls_cipher_suite_info.min_version: out
    gnutls_record_recv_seq.seq: out [u8; 8]
    gnutls_certificate_get_peers.list_size gnutls_dh_params_export_raw.bits: out
    asn1_parser2tree.error_desc asn1_der_coding.ErrorDescription asn1_der_decoding.errorDescription: out [u8; 128]
    asn1_parser2tree.definitions: out
    asn1_der_decoding.element asn1_delete_structure*.structure asn1_expand_octet_string.element: inout
    asn1_der_coding.len asn1_read_value*.len: inout i32 = 65536
    asn1_der_coding.der: out bytes[len]
    asn1_read_value*.ivalue: out bytes[len]
    asn1_length_der.der: out [u8; 9]
    nettle_pbkdf2_hmac_*.dst: out bytes[length]
    # GLib.
    g_object_unref.object: own ptr<void>
    g_unichar_get_mirror_char.mirrored_ch g_unichar_compose.ch g_unichar_decompose.a g_unichar_decompose.b: out
    g_unichar_to_utf8.outbuf: out [u8; 6]
    g_io_channel_read_unichar.thechar g_timer_elapsed.microseconds g_regex_check_replacement.has_references: out
    g_match_info_fetch_*pos.start_pos g_match_info_fetch_*pos.end_pos: out
    g_ascii_string_to_signed.out_num g_ascii_string_to_unsigned.out_num: out
    g_hash_table_lookup_extended.orig_key g_hash_table_lookup_extended.value: out
    g_hash_table_steal_extended.stolen_key g_hash_table_steal_extended.stolen_value: out
    g_hash_table_iter_next.key g_hash_table_iter_next.value: out
    g_tree_lookup_extended.orig_key g_tree_lookup_extended.value: out
    g_utf8_validate*.end: out ptr<char>?
    g_file_get_contents.contents: out own(g_free) bytes[length]?
    g_file_get_contents.length: out
    g_file_open_tmp.name_used g_filename_from_uri.hostname: out own(g_free) cstr?
    g_uri_split*.scheme g_uri_split*.userinfo g_uri_split*.user g_uri_split*.password: out own(g_free) cstr?
    g_uri_split*.auth_params g_uri_split*.host g_uri_split*.path g_uri_split*.query: out own(g_free) cstr?
    g_uri_split*.fragment g_uri_params_iter_next.attribute g_uri_params_iter_next.value: out own(g_free) cstr?
    g_uri_split*.port g_shell_parse_argv.argcp: out
    g_shell_parse_argv.argvp: out own(g_strfreev) &[cstr; 0]?
    g_spawn_command_line_sync.standard_output g_spawn_command_line_sync.standard_error: out own(g_free) cstr?
    g_spawn_sync.standard_output g_spawn_sync.standard_error: out own(g_free) cstr?
    g_spawn_command_line_sync.wait_status g_spawn_sync.wait_status g_spawn_async.child_pid: out
    g_spawn_sync.argv g_spawn_async.argv: &[cstr; 0]
    g_spawn_sync.envp g_spawn_async.envp: &[cstr; 0]?
    g_strv_length.str_array g_strjoinv.str_array g_strv_contains.strv g_strv_equal.strv*: &[cstr; 0]
    g_strdupv.str_array g_build_pathv.args g_build_filenamev.args g_strv_builder_addv.value: &[cstr; 0]
    g_strdupv.result g_get_environ.result g_listenv.result: own(g_strfreev) &[cstr; 0]?
    g_strsplit.result g_strsplit_set.result g_get_locale_variants.result: own(g_strfreev) &[cstr; 0]?
    g_key_file_get_string_list.result g_key_file_get_locale_string_list.result: own(g_strfreev) &[cstr; 0]?
    g_key_file_get_boolean_list.result g_key_file_get_integer_list.result: own(g_free) &[i32; length]?
    g_key_file_get_double_list.result: own(g_free) &[f64; length]?
    g_key_file_get_groups.result g_key_file_get_keys.result: own(g_strfreev) &[cstr; 0]?
    g_bookmark_file_get_uris.result: own(g_strfreev) &[cstr; 0]?
    g_bookmark_file_get_groups.result g_bookmark_file_get_applications.result: own(g_strfreev) &[cstr; 0]?
    g_get_system_data_dirs.result g_get_system_config_dirs.result g_get_language_names.result: &[cstr; 0]?
    g_checksum_get_digest.buffer g_hmac_get_digest.buffer: out bytes[digest_len]
    g_checksum_get_digest.digest_len g_hmac_get_digest.digest_len: inout u64 = 64
    g_strconcat....: ..., string2: cstr, end: const ptr<void>? = null
    g_build_filename....: ..., second_element: cstr, end: const ptr<void>? = null
    g_build_path....: ..., second_element: cstr, end: const ptr<void>? = null
    g_strjoin....: ..., first: cstr, second: cstr, end: const ptr<void>? = null
    # libxml2, libxslt, Fontconfig, FreeType, libpng, libjpeg.
    xmlDocDump*.mem xmlDocDump*.doc_txt_ptr xmlSplitQName2.prefix: out own(free) cstr?
    xmlDocDump*.size xmlDocDump*.doc_txt_len: out
    xmlCheckUTF8.utf: cstr
    xmlGetUTF8Char.utf: bytes[len]
    xmlGetUTF8Char.len: inout i32
    xsltApplyStylesheet*.params xsltRunStylesheet*.params xsltProfileStylesheet.params: &[cstr; 0]?
    FcPatternGetMatrix.s FcPatternGetCharSet.c FcPatternGetLangSet.ls FcUtf16Len.nchar FcUtf16Len.wchar: out
    FcUcs4ToUtf8.dest: out [u8; 6]
    FcCharSetFirstPage.map FcCharSetNextPage.map: out [u32; 8]
    FcCharSetFirstPage.next: out
    FcCharSetNextPage.next: inout
    FT_Get_Track_Kerning.akerning: out
    FT_Get_Glyph_Name.buffer: out str[buffer_max]
    png_get_IHDR.width png_get_IHDR.height png_get_IHDR.bit_depth png_get_IHDR.color_type: out
    png_get_IHDR.interlace_method png_get_IHDR.compression_method png_get_IHDR.filter_method: out
    png_get_uint_32.buf png_get_uint_31.buf png_get_int_32.buf: [u8; 4]
    png_get_uint_16.buf: [u8; 2]
    png_save_uint_32.buf png_save_int_32.buf: out [u8; 4]
    png_save_uint_16.buf: out [u8; 2]
    png_sig_cmp.sig: [u8; 8]
    jpeg_mem_src.inbuffer: keep bytes[insize]
    png_write_chunk*.chunk_name: [u8; 4]
    # PCRE2, libidn2, ICU, libuuid.
    pcre2_substring_get_by*.argument3: out own(pcre2_substring_free_8) bytes[argument4]?
    pcre2_substring_get_by*.argument4 pcre2_substring_length_by*.argument3: out
    pcre2_substring_copy_by*.argument3: out str[argument4]
    pcre2_substring_copy_by*.argument4 pcre2_substitute_*.argument11: inout usize = 65536
    pcre2_substitute_*.argument10: out str[argument11]
    pcre2_get_error_message_*.argument2: out str[argument3]
    idn2_lookup_u8.src idn2_register_u8.ulabel: cstr
    idn2_register_u8.alabel: cstr?
    idn2_lookup_u*.lookupname idn2_register_u*.insertname: out own(idn2_free) cstr?
    idn2_to_ascii_4z.input idn2_to_unicode_4z4z.input: &[u32; 0]
    u_str*.pDestLength: out
    u_strCompare_*.s1 u_strCaseCompare_*.s1: &[u16; length1]
    u_strCompare_*.s2 u_strCaseCompare_*.s2: &[u16; length2]
    u_memcpy_*.dest u_memmove_*.dest u_memset_*.dest: out &[u16; count]
    u_memcpy_*.src u_memmove_*.src: &[u16; count]
    uuid_unparse*.out: out str[37]
    # GMP.
    __gmpz_get_d_2exp.argument1 __gmpf_get_d_2exp.argument1 __gmpf_get_str.argument2: out
    __gmpz_get_str.argument1 __gmpq_get_str.argument1 __gmpf_get_str.argument1: const ptr<void>? = null
    __gmpz_get_str.result __gmpq_get_str.result __gmpf_get_str.result: own(free) cstr?
    # GMP's other functions of that kind write beyond an array without elements.
    __gmpn_add_1.argument1 __gmpn_sub_1.argument1 __gmpn_mul_1.argument1: out &[u64; argument3]
    __gmpn_lshift.argument1 __gmpn_rshift.argument1: out &[u64; argument3]
    __gmpn_addmul_1.argument1 __gmpn_submul_1.argument1: inout &[u64; argument3]
    __gmpn_add_1.argument2 __gmpn_sub_1.argument2 __gmpn_*mul_1.argument2: &[u64; argument3]
    __gmpn_lshift.argument2 __gmpn_rshift.argument2: &[u64; argument3]
    __gmpn_cmp.argument1 __gmpn_cmp.argument2: &[u64; argument3]
    # The remainder is in the place of the dividend; the last is memory of mpn_sec_div_qr_itch() limbs.
    __gmpn_sec_div_qr.argument1: out &[u64; argument3]
    __gmpn_sec_div_qr.argument2: inout &[u64; argument3]
    __gmpn_sec_div_qr.argument4: &[u64; argument5]
    __gmpn_sec_div_qr.argument6: ptr<void>
    # Nettle.
    nettle_*_encrypt.dst nettle_*_decrypt.dst nettle_*_crypt.dst: out bytes[length]
    nettle_*_encrypt.src nettle_*_decrypt.src nettle_*_crypt.src: bytes[length]
    # Elements and their number in a struct, one after another.
    writev.iovec pwritev.iovec pwritev64.iovec: &[{iov_base: bytes[iov_len]?, iov_len: usize}; count]
    g_log_structured_array.fields g_log_writer_*.fields: &[{key: cstr, value: bytes[length]?, length: i64}; n_fields]
    g_output_stream_writev.vectors: &[{buffer: bytes[size]?, size: u64}; n_vectors]
    PK11_FindFixedKey.keyID PK11_FindKeyByKeyID.keyID: &{type: u32, data: bytes[len]?, len: u32}
    # Bytes whose number comes back.
    g_byte_array_steal.result: own(g_free) bytes[len]?
    g_bytes_unref_to_data.result: own(g_free) bytes[size]?
    # Ends of arguments in the place of "...", and formats with one text.
    Tcl_VarEval.... Tcl_AppendResult.... Tcl_AppendStringsToObj....: ..., text: cstr, end: const ptr<void>? = null
    g_object_get....: ..., value: out u64, end: const ptr<void>? = null
    g_object_new.first_property_name: const ptr<void>? = null
    g_object_new....: ..., end: const ptr<void>? = null
    PyObject_CallFunction.format _PyObject_CallFunction_SizeT.format: const cstr = "(s)"
    PyObject_CallMethod.format _PyObject_CallMethod_SizeT.format: const cstr = "(s)"
    PyObject_CallFunction.... _PyObject_CallFunction_SizeT....: ..., text: cstr
    PyObject_CallMethod.... _PyObject_CallMethod_SizeT....: ..., text: cstr
    PyConfig_Set*Argv.argv: &[cstr; argc]
    # Memory and objects that are kept, and those that may be missing.
    XCreateImage.data: ptr<void>?
    XCreateGC.values: ptr<XGCValues>?
    XOpenIM.rdb: ptr<_XrmHashBucketRec>?
    XOpenIM.res_name XOpenIM.res_class: cstr?
    new_menu.argument1 new_form.argument1: ptr<void>
    Tcl_Condition*.condPtr Tcl_Mutex*.mutexPtr: ptr<void>
    # Texts that are freed, and those that are declared as data.
    lzma_str_from_filters.str lzma_str_list_filters.str: out own(free) cstr?
    xsltFormatNumberConversion.format xsltDecimalFormatGetByName.name: cstr
    xsltFormatNumberConversion.result_: out own(free) cstr?
    glutStrokeLength*.string glutBitmapLength*.string: cstr
    sqlite3_bind_text16.argument3: bytes[argument4]
    sqlite3_result_text16*.argument2: bytes[argument3]
    sqlite3_bind_text16.argument5 sqlite3_result_text16*.argument4: const isize = -1
    sqlite3_exec.callback: fn(context, i32, ptr<any>?, ptr<any>?) -> i32 @call?
    xmlReadMemory.URL xmlReadDoc.URL xmlReadFd.URL xmlCtxtReadMemory.URL xmlCtxtReadDoc.URL xmlCtxtReadFd.URL: cstr?
    sqlite3_prepare16*.zSql sqlite3_complete16.sql sqlite3_open16.filename: &[u16; 0]
    sqlite3_create_function16.zFunctionName sqlite3_create_collation16.zName: &[u16; 0]
    sqlite3_errmsg16.result sqlite3_column_text16.result sqlite3_value_text16*.result: &[u16; 0]?
    sqlite3_column_*name16.result sqlite3_column_decltype16.result: &[u16; 0]?
    g_test_create_case.test_name g_test_add_vtable.testpath: cstr
    sqlite3_prepare16*.nByte: const i32 = -1
    sqlite3_prepare*.ppStmt: out own(sqlite3_finalize) ptr<sqlite3_stmt>?
    sqlite3_finalize.pStmt: own ptr<sqlite3_stmt>?
    sqlite3_open*.ppDb: out own(sqlite3_close_v2) ptr<sqlite3>?
    # An address of a family, which may be longer than a sockaddr.
    uv_tcp_bind.addr uv_tcp_connect.addr uv_udp_bind.addr uv_udp_connect.addr uv_udp_send.addr: bytes[*]
    uv_udp_try_send.addr uv_getnameinfo.addr uv_ip_name.src: bytes[*]
    # ICU: a number of a list, a position, and the same number of letters in two forms.
    ucnv_getAlias*.alias: cstr
    utf8_*.pi: inout
    u_charsToUChars*.cs: bytes[length]
    # libpng compares the first two numbers of its version. Its own errors and memory, where none are given.
    png_create_*_struct*.user_png_ver: cstr = "1.6.0"
    png_create_*_struct*.error_ptr png_create_*_struct_2.mem_ptr: const ptr<void>? = null
    png_set_*_fn.io_ptr: ptr<void>?
    png_create_*_struct*.error_fn png_create_*_struct*.warn_fn: const ptr<void>? = null
    png_create_*_struct_2.malloc_fn png_create_*_struct_2.free_fn: const ptr<void>? = null
    # OpenGL reads arrays when it draws.
    gl*Pointer.pointer gl*Pointer.ptr glInterleavedArrays.pointer: keep bytes[*]
    # Numbers that are written to a stream of XDR, or read from one; a stream reads memory that stays.
    xdr_int*.argument2 xdr_u_int*.argument2 xdr_uint*.argument2 xdr_long.argument2 xdr_u_long.argument2: inout
    xdr_short.argument2 xdr_u_short.argument2 xdr_float.argument2 xdr_double.argument2 xdr_bool.argument2: inout
    xdr_hyper.argument2 xdr_u_hyper.argument2 xdr_longlong_t.argument2 xdr_u_longlong_t.argument2: inout
    xdrmem_create.argument2: keep bytes[argument3]
    # Numbers without names, and a bit that a zero behind the number ends.
    __gmpn_neg.argument1 __gmpn_copyi.argument1 __gmpn_copyd.argument1: out &[u64; argument3]
    __gmpn_neg.argument2 __gmpn_copyi.argument2 __gmpn_copyd.argument2: &[u64; argument3]
    __gmpn_popcount.argument1 __gmpn_perfect_*_p.argument1 __gmpn_gcd_1.argument1: &[u64; argument2]
    __gmpn_hamdist.argument1 __gmpn_hamdist.argument2: &[u64; argument3]
    __gmpn_scan*.argument1: &[u64; *]
    # Lists.
    g_regex_split*.result g_strv_builder_end.result: own(g_strfreev) &[cstr; 0]?
    gnutls_pk_list.result gnutls_protocol_list.result gnutls_group_list.result gnutls_mac_list.result: &[u32; 0]?
    gnutls_cipher_list.result gnutls_kx_list.result gnutls_digest_list.result gnutls_sign_list.result: &[u32; 0]?
    LLVMAddIncoming.IncomingValues: &[ptr<LLVMOpaqueValue>; Count]
    LLVMAddIncoming.IncomingBlocks: &[ptr<LLVMOpaqueBasicBlock>; Count]
    LLVMConstArray.ConstantVals: &[ptr<LLVMOpaqueValue>; Length]
    Tcl_WrongNumArgs.objv: &[ptr<Tcl_Obj>; objc]
    PQconnect*Params.keywords PQconnect*Params.values PQpingParams.keywords PQpingParams.values: &[cstr; 0]
    PQexecParams.paramTypes PQ*.paramLengths PQ*.paramFormats PQsendQueryParams.paramTypes: const ptr<void>? = null
    PQexecParams.paramValues PQexecPrepared.paramValues PQsendQuery*.paramValues: &[cstr?; nParams]
    glAreTexturesResident.textures: &[u32; n]
    glAreTexturesResident.residences: out &[u8; n]
    # libX11, Fontconfig, libselinux, libcrypto.
    Xwc*.text: &[i32; num_wchars]
    XCreateFontSet.missing_charset_list: out own(XFreeStringList) &[cstr; missing_charset_count]?
    XCreateFontSet.missing_charset_count: out
    XCreateFontSet.def_string: out cstr?
    FcPatternGet*.object: cstr
    security_get_initial_context*.con selinux_raw_to_trans_context.transp: out own(freecon) cstr?
    selinux_trans_to_raw_context.rawp: out own(freecon) cstr?
    CRYPTO_free.ptr CRYPTO_clear_free.ptr CRYPTO_secure_free.ptr CRYPTO_secure_clear_free.ptr: own ptr<void>?
    *_set_ex_data.data: ptr<void>?
    # EGL.
    eglCreate*Surface.attrib_list: const ptr<void>? = null
    eglInitialize.major eglInitialize.minor eglChooseConfig.num_config eglGetConfigs.num_config: out
    eglChooseConfig.attrib_list eglCreateContext.attrib_list: const ptr<void>? = null
    eglChooseConfig.configs eglGetConfigs.configs: out ptr<EGLConfig>?
    eglChooseConfig.config_size eglGetConfigs.config_size: const i32 = 1
    eglGetDisplay.display_id: ptr<void>?
    eglCreateContext.config: ptr<EGLConfig>?
    eglCreateContext.share_context eglMakeCurrent.ctx: ptr<EGLContext>?
    eglMakeCurrent.draw eglMakeCurrent.read: ptr<EGLSurface>?
    eglCreateImage*.ctx: ptr<EGLContext>?
    # Python: NULL is "strict". GnuTLS: NULL is the default.
    Py*.errors gnutls_priority_init*.priorities: cstr?
    PyBuffer_FillInfo.buf: keep bytes[len]
    PyMemoryView_FromMemory.mem: keep bytes[size]
    _Xmblen.str _Xmbtowc.str: str[len]
    PyType_FromSpecWithBases.argument2 PyType_FromModuleAndSpec.argument3: ptr<PyObject>?
    PyObject_Call.kwargs PyObject_CallObject.args: ptr<PyObject>?
    """
}
