extension TypeMap {
  /// Parameters and results of compressors, as their manuals describe them: the result is the number of bytes that were
  /// written, and a `char *` is the address of bytes.
  static let bundledCompression = """
    # zlib, bzip2, liblzma: the fields of a stream that callers set before each call.
    deflate.strm inflate.strm: \(zlibStream)
    BZ2_bzCompress.strm BZ2_bzDecompress.strm: \(bzip2Stream)
    lzma_code.strm: \(lzmaStream)
    lzma_easy_encoder.strm lzma_stream_encoder.strm lzma_alone_encoder.strm: out(136) own(lzma_end) ptr<lzma_stream>
    lzma_stream_decoder.strm lzma_auto_decoder.strm lzma_alone_decoder.strm: out(136) own(lzma_end) ptr<lzma_stream>
    # zstd.
    ZSTD_compressStream.output ZSTD_compressStream2.output ZSTD_decompressStream.output: \(zstdOutput)
    ZSTD_flushStream.output ZSTD_endStream.output: \(zstdOutput)
    ZSTD_compressStream.input ZSTD_compressStream2.input ZSTD_decompressStream.input: \(zstdInput)
    ZSTD_compress.result ZSTD_compress2.result ZSTD_compressCCtx.result: usize counts dst
    ZSTD_compress_usingDict.result ZSTD_compress_usingCDict.result: usize counts dst
    ZSTD_decompress.result ZSTD_decompressDCtx.result: usize counts dst
    ZSTD_decompress_usingDict.result ZSTD_decompress_usingDDict.result: usize counts dst
    # LZ4.
    LZ4_compress_default.src LZ4_compress_fast.src LZ4_compress_fast_extState.src: bytes[srcSize]
    LZ4_compress_fast_continue.src LZ4_compress_HC.src LZ4_compress_HC_extStateHC.src: bytes[srcSize]
    LZ4_compress_HC_continue.src LZ4_decompress_safe_partial.src LZ4_decompress_safe_continue.src: bytes[srcSize]
    LZ4_decompress_safe_usingDict.src: bytes[srcSize]
    LZ4_decompress_safe.src: bytes[compressedSize]
    LZ4_compress_default.dst LZ4_compress_fast.dst LZ4_compress_fast_extState.dst: out bytes[dstCapacity]
    LZ4_compress_fast_continue.dst LZ4_compress_HC.dst LZ4_compress_HC_extStateHC.dst: out bytes[dstCapacity]
    LZ4_compress_HC_continue.dst LZ4_decompress_safe_partial.dst LZ4_decompress_safe_continue.dst: out bytes[dstCapacity]
    LZ4_decompress_safe_usingDict.dst LZ4_decompress_safe.dst: out bytes[dstCapacity]
    LZ4_compress_default.result LZ4_compress_fast.result LZ4_compress_fast_extState.result: i32 counts dst
    LZ4_compress_fast_continue.result LZ4_compress_HC.result LZ4_compress_HC_extStateHC.result: i32 counts dst
    LZ4_compress_HC_continue.result LZ4_decompress_safe_partial.result: i32 counts dst
    LZ4_decompress_safe_continue.result LZ4_decompress_safe_usingDict.result LZ4_decompress_safe.result: i32 counts dst
    LZ4_loadDict.dictionary LZ4_setStreamDecode.dictionary: keep bytes[dictSize]
    LZ4_decompress_safe_usingDict.dictStart: bytes[dictSize]
    LZ4F_createCompressionContext.cctxPtr: out own(LZ4F_freeCompressionContext) ptr<LZ4F_cctx>?
    LZ4F_createDecompressionContext.dctxPtr: out own(LZ4F_freeDecompressionContext) ptr<LZ4F_dctx>?
    LZ4F_compressFrame.preferencesPtr LZ4F_compressFrameBound.preferencesPtr: ptr<LZ4F_preferences_t>?
    LZ4F_compressBegin.prefsPtr LZ4F_compressBound.prefsPtr: ptr<LZ4F_preferences_t>?
    LZ4F_compressUpdate.cOptPtr LZ4F_flush.cOptPtr LZ4F_compressEnd.cOptPtr: ptr<LZ4F_compressOptions_t>?
    LZ4F_compressFrame.result LZ4F_compressBegin.result LZ4F_compressUpdate.result: usize counts dstBuffer
    LZ4F_flush.result LZ4F_compressEnd.result: usize counts dstBuffer
    LZ4F_decompress.dstBuffer: out bytes[dstSizePtr]
    LZ4F_decompress.dstSizePtr: inout usize = 65536
    LZ4F_decompress.srcBuffer: bytes[srcSizePtr]
    LZ4F_decompress.srcSizePtr: inout usize
    LZ4F_getFrameInfo.srcBuffer: bytes[srcSizePtr]
    LZ4F_getFrameInfo.srcSizePtr: inout usize
    LZ4F_getFrameInfo.frameInfoPtr: out
    LZ4F_decompress.dOptPtr: ptr<LZ4F_decompressOptions_t>?
    """

  private static let zlibStream =
    "at ptr<z_stream> {next_in: moving bytes[avail_in] = \"\", avail_in: inout u32, total_in: out u64, "
    + "next_out: out moving bytes[avail_out], avail_out: inout u32 = 65536, total_out: out u64}"
  private static let bzip2Stream =
    "at ptr<bz_stream> {next_in: moving bytes[avail_in] = \"\", avail_in: inout u32, total_in_lo32: out u32, "
    + "total_in_hi32: out u32, next_out: out moving bytes[avail_out], avail_out: inout u32 = 65536}"
  private static let lzmaStream =
    "at ptr<lzma_stream> {next_in: moving bytes[avail_in] = \"\", avail_in: inout usize, total_in: out u64, "
    + "next_out: out moving bytes[avail_out], avail_out: inout usize = 65536, total_out: out u64}"
  private static let zstdOutput =
    "at {dst: out bytes[dst_size], dst_size: usize = 131072, dst_pos: out usize counts dst}"
  private static let zstdInput = "at {src: bytes[src_size] = \"\", src_size: usize, src_pos: out usize}"
}
