extension TypeMap {
  /// The `T **` parameters of common libraries that functions write, as their manuals say. Neither their names nor the
  /// comments in the headers say so.
  static let bundledAddresses = """
    # The C library.
    getline.lineptr getdelim.lineptr __getdelim.lineptr: out own(free) cstr?
    getnetgrent*.hostp getnetgrent*.userp getnetgrent*.domainp: out
    # libblkid, libmount, libselinux.
    blkid_get_cache.cache blkid_dev_next.dev blkid_get_library_version.ver_string: out
    blkid_get_library_version.date_string blkid_superblocks_get_name.name blkid_partitions_get_name.name: out
    blkid_evaluate_tag.cache blkid_evaluate_spec.cache: const ptr<void>? = null
    mnt_get_library_version.ver_string mnt_optstr_get_option.value mnt_fs_get_table.tb mnt_fs_get_tag.name: out
    mnt_fs_get_tag.value mnt_fs_get_option.value mnt_fs_get_attribute.value mnt_table_get_root_fs.root: out
    mnt_context_get_fstab.tb mnt_context_get_mtab.tb mnt_context_get_table.tb: out
    mnt_optstr_get_options.subset: out own(free) cstr?
    getcon*.con getpidcon*.con getprevcon*.con getexeccon*.con getfscreatecon*.con: out own(freecon) cstr?
    getkeycreatecon*.con getsockcreatecon*.con getpeercon*.con: out own(freecon) cstr?
    getfilecon*.con lgetfilecon*.con fgetfilecon*.con: out own(freecon) cstr?
    selinux_getpolicytype.policytype getseuserbyname.seuser getseuserbyname.level: out own(free) cstr?
    getseuser.r_seuser getseuser.r_level: out own(free) cstr?
    # OpenSSL.
    BIO_new_bio_pair.bio1 BIO_new_bio_pair.bio2 OSSL_PARAM_get_BN.val OSSL_PARAM_get_utf8*_ptr.val: out
    SMIME_read_ASN1*.bcont SMIME_read_ASN1_ex.x EVP_DigestSignInit*.pctx EVP_DigestVerifyInit*.pctx: out
    EVP_PKEY_asn1_find*.pe EVP_PKEY_asn1_get0_info.pinfo EVP_PKEY_asn1_get0_info.ppem_str: out
    EVP_PKEY_CTX_get_signature_md.md EVP_PKEY_get_bn_param.bn EVP_PKEY_generate.ppkey: out
    EVP_PKEY_CTX_get_rsa_*_md.md: out
    # libgcrypt, GnuTLS, libtasn1, p11-kit.
    gcry_sexp_new.retsexp gcry_sexp_build.retsexp gcry_mpi_ec_new.r_ctx gcry_pubkey_get_sexp.r_sexp: out
    gcry_md_copy.bhd gcry_pk_random_override_new.r_ctx: out
    gcry_cipher_open.handle: out own(gcry_cipher_close) ptr<gcry_cipher_handle>?
    gcry_md_open.h: out own(gcry_md_close) ptr<gcry_md_handle>?
    gcry_mac_open.handle: out own(gcry_mac_close) ptr<gcry_mac_handle>?
    gcry_kdf_open.hd: out own(gcry_kdf_close) ptr<gcry_kdf_handle>?
    gpgrt_getline.lineptr: out own(gpgrt_free) cstr?
    gnutls_init.session gnutls_record_recv_packet.packet gnutls_priority_init*.priority_cache: out
    gnutls_*_allocate_*_credentials.sc gnutls_certificate_get_issuer.issuer gnutls_certificate_get_x509_key.key: out
    gnutls_tdb_init.tdb gnutls_anti_replay_init.anti_replay gnutls_fips140_context_init.context: out
    asn1_create_element.element p11_kit_load_initialize_module.module: out
    # GLib, NSPR, Tcl. A GMatchInfo has the address of the text.
    g_regex_match*.match_info g_get_charset.charset g_get_console_charset.charset: out
    g_regex_match.string g_regex_match_all.string: keep cstr
    g_regex_match_full.string g_regex_match_all_full.string: keep str[string_len]
    g_bookmark_file_get_app*.exec g_bookmark_file_get_icon.href: out own(g_free) cstr?
    g_bookmark_file_get_icon.mime_type: out own(g_free) cstr?
    g_bookmark_file_get_application_info.stamp: out
    g_environ_getenv.envp: &[cstr; 0]?
    PR_FindSymbolAndLibrary.lib PR_FindFunctionSymbolAndLibrary.lib PR_GetTraceNameFromHandle.qName: out
    PR_GetTraceNameFromHandle.rName PR_GetTraceNameFromHandle.description: out
    Tcl_GetEncodingFromObj.encodingPtr Tcl_CreatePipe.rchan Tcl_CreatePipe.wchan: out
    Tcl_GetStartupScript.encodingPtr: out
    Tcl_ZlibStreamInit.zshandle: out own(Tcl_ZlibStreamClose) ptr<Tcl_ZLibStream_>?
    # libcurl, libpq, SQLite, libxml2.
    curl_url_get.part: out own(curl_free) cstr?
    PQgetCopyData.buffer: out own(PQfreemem) cstr?
    sqlite3_blob_open.ppBlob: out own(sqlite3_blob_close) ptr<sqlite3_blob>?
    xmlDOMWrapCloneNode.clonedNode xmlParseInNodeContext.lst xmlParseCtxtExternalEntity.lst: out
    # An array of *len texts.
    xmlGetFeaturesList.result_: ptr<void>
    # FreeType, Fontconfig, libpng.
    FT_Init_FreeType.alibrary FT_New_Face.aface FT_New_Memory_Face.aface FT_Open_Face.aface: out
    FcPatternGetString.s FcPatternGetRange.r FcConfigFileInfoIterGet.name FcConfigFileInfoIterGet.description: out
    png_get_bKGD.background png_get_PLTE.palette png_get_sBIT.sig_bit png_get_text.text_ptr: out
    png_get_tIME.mod_time png_get_sCAL_s.swidth png_get_sCAL_s.sheight: out
    """
}
