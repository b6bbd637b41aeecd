extension TypeMap {
  /// The types of common libraries whose manuals state more than their declarations.
  static let bundled: TypeMap = {
    var map = TypeMap()
    for (name, text) in bundledTexts { map.types[name] = try? Meaning(text) }
    map.elements = bundledNumbers.mapValues { .number($0) }
    for (parameter, count) in bundledCounts { map.elements[parameter] = TypeMap.Elements(count) }
    map.parameters = bundledParameters
    map.failures = bundledFailures
    return map
  }()

  /// The parameters that count others, where declarations have no names for them, and texts that end with a 0. The
  /// numbers beside those of libxml2 count characters.
  static let bundledCounts: [String: String] = [
    "pcre2_match_*.argument2": "argument3", "pcre2_dfa_match_*.argument2": "argument3",
    "pcre2_jit_match_*.argument2": "argument3", "pcre2_substitute_*.argument2": "argument3",
    "sqlite3_column_text.result": "0", "sqlite3_value_text.result": "0", "glGetString*.result": "0",
    "PQsslAttributeNames.result": "0",
    "xmlUTF8Strndup.utf": "0", "xmlUTF8Strsub.utf": "0", "xmlUTF8Strsize.utf": "0",
  ]

  /// Numbers of elements from manuals. Functions of OpenGL read at most 4 elements for any name of a parameter.
  static let bundledNumbers: [String: Int] = [
    "glPolygonStipple.mask": 128, "glGetPolygonStipple.mask": 128, "glEdgeFlagv.flag": 1, "glClipPlane.equation": 4,
    "glGetClipPlane.equation": 4, "glLoadMatrix*.m": 16, "glMultMatrix*.m": 16, "glIndex*v.c": 1, "glTexCoord1*v.v": 1,
    "glMultiTexCoord1*v*.v": 1, "glMultiTexCoord2*v*.v": 2, "glMultiTexCoord3*v*.v": 3, "glMultiTexCoord4*v*.v": 4,
    "glRect*v.v1": 2, "glRect*v.v2": 2, "glLight*v.params": 4, "glMaterial*v.params": 4,
    "glGetLight*v.params": 4, "glGetMaterial*v.params": 4, "glTexGen*v.params": 4, "glGetTexGen*v.params": 4,
    "glTexEnv*v.params": 4, "glGetTexEnv*v.params": 4, "glTexParameter*v.params": 4, "glGetTexParameter*v.params": 4,
    "glGetTexLevelParameter*v.params": 1, "glFog*v.params": 4, "glEvalCoord1*v.u": 1, "glEvalCoord2*v.u": 2,
    // Scalars and points of libsodium, and keys of Nettle.
    "crypto_core_ristretto255_*.*": 32, "crypto_core_ristretto255_scalar_reduce.s": 64,
    "crypto_core_ristretto255_from_hash.r": 64, "crypto_core_ed25519_*.*": 32,
    "crypto_core_ed25519_scalar_reduce.s": 64,
    "crypto_core_ed25519_from_hash.h": 64, "crypto_scalarmult*.*": 32,
    "nettle_aes128_set_*.key": 16, "nettle_aes192_set_*.key": 24, "nettle_aes256_set_*.key": 32,
    "nettle_camellia128_set_*.key": 16, "nettle_camellia192_set_*.key": 24, "nettle_camellia256_set_*.key": 32,
    "nettle_chacha_set_key.key": 32, "nettle_chacha_set_nonce.nonce": 8,
    // PCRE2 and Python declare these parameters without names.
    "pcre2_compile_*.argument4": 1, "pcre2_compile_*.argument5": 1, "PyUnicode*Error_Get*.argument2": 1,
    // Digests of OpenSSL.
    "SHA1.md": 20, "SHA224.md": 28, "SHA256.md": 32, "SHA384.md": 48, "SHA512.md": 64, "MD5.md": 16, "RIPEMD160.md": 20,
    "SHA1_Final.md": 20, "SHA224_Final.md": 28, "SHA256_Final.md": 32, "SHA384_Final.md": 48, "SHA512_Final.md": 64,
    "EVP_Digest.md": 64,
  ]

  /// The meanings of types, in the syntax of a type map's file.
  static let bundledTexts: [String: String] = [
    // Texts that are declared as unsigned bytes: libxml2 and libxslt, Fontconfig, PCRE2, utf8proc,
    // libyaml.
    "xmlChar": "text", "FcChar8": "text", "PCRE2_UCHAR8": "text", "utf8proc_uint8_t": "text", "yaml_char_t": "text",
    // Types of 16 bytes: libuuid's, and systemd's union of bytes and two words, which is passed like a struct of two
    // words.
    "uuid_t": "[u8; 16]", "sd_id128_t": "{low: u64, high: u64}",
    // Bytes that are 0 or 1: FreeType, OpenGL, Expat, liblzma, ICU, Java's native interface.
    "FT_Bool": "bool", "GLboolean": "bool", "XML_Bool": "bool", "lzma_bool": "bool", "UBool": "bool",
    "jboolean": "bool",
    // Objects whose type is void, or its address: libcurl, iconv, ODBC, GDAL, EGL.
    "CURL": "handle", "CURLM": "handle", "CURLSH": "handle", "iconv_t": "ptr<iconv>", "SQLHANDLE": "ptr<SQLHANDLE>",
    "SQLHENV": "ptr<SQLHENV>", "SQLHDBC": "ptr<SQLHDBC>", "SQLHSTMT": "ptr<SQLHSTMT>",
    "GDALDatasetH": "ptr<GDALDataset>",
    "GDALRasterBandH": "ptr<GDALRasterBand>", "OGRLayerH": "ptr<OGRLayer>", "OGRFeatureH": "ptr<OGRFeature>",
    "OGRGeometryH": "ptr<OGRGeometry>", "EGLDisplay": "ptr<EGLDisplay>", "EGLContext": "ptr<EGLContext>",
    "EGLSurface": "ptr<EGLSurface>",
    // File names of SQLite, which have further texts behind them.
    "sqlite3_filename": "ptr<sqlite3_filename>",
    // Dates and numbers of ICU are objects whose type is void.
    "UCalendar": "handle", "UDateFormat": "handle", "UNumberFormat": "handle",
    // Elements and their number in a struct: GnuTLS, LMDB, GSSAPI, Kerberos.
    "gnutls_datum_t": "{data: bytes[size]?, size: u32}", "MDB_val": "{mv_size: usize, mv_data: bytes[mv_size]?}",
    "gss_buffer_desc_struct": "{length: usize, value: bytes[length]?}",
    "krb5_data": "{magic: i32, length: u32, data: bytes[length]?}",
    // Objects for which NULL stands for the default: PCRE2, GLib, OpenSSL, Fontconfig, the C library.
    "pcre2_general_context_8": "optional", "pcre2_compile_context_8": "optional", "pcre2_match_context_8": "optional",
    "pcre2_convert_context_8": "optional", "pcre2_general_context_16": "optional",
    "pcre2_compile_context_16": "optional", "pcre2_match_context_16": "optional", "GMainContext": "optional",
    "GCancellable": "optional", "ENGINE": "optional", "OSSL_LIB_CTX": "optional", "OSSL_PARAM": "optional",
    "FcConfig": "optional", "PyCompilerFlags": "optional", "mbstate_t": "optional", "GScannerConfig": "optional",
    "GDestroyNotify": "optional",
  ]
}
