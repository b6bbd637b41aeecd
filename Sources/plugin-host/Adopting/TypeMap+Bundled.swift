extension TypeMap {
  /// The types of much used libraries whose declarations say less than their manuals.
  static let bundled: TypeMap = {
    var map = TypeMap()
    for (name, text) in bundledTexts { map.types[name] = try? Meaning(text) }
    return map
  }()

  /// The meanings as a type map's file has them.
  static let bundledTexts: [String: String] = [
    // Texts that are declared as unsigned bytes: libxml2 and libxslt, Fontconfig, PCRE2, utf8proc,
    // libyaml.
    "xmlChar": "text", "FcChar8": "text", "PCRE2_UCHAR8": "text", "utf8proc_uint8_t": "text", "yaml_char_t": "text",
    // Always 16 bytes: libuuid, and systemd's union of bytes and two words, which is passed as the words are.
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
  ]
}
