import Foundation
import Testing

extension EndToEnd {
  /// Streams of compressors: fields of an object that are arguments of each call.
  @Suite struct StreamTests {
    @Test(arguments: [[], ["--isolation", "process"]])
    func zlibCompressesInPiecesInASession(options: [String]) throws {
      let script = try HostProcess.run(
        ["shell", "--plugins", Package.adopted] + options,
        input: """
          to = zlib.deflateInit_ 9
          one = zlib.deflate $to "hello, hello, "
          two = zlib.deflate $to "hello, hello" flush=Z_FINISH
          $two.result
          $two.total_in
          from = zlib.inflateInit_
          head = zlib.inflate $from $one.next_out
          begin = zlib.inflate $from $two.next_out avail_out=10
          $begin.total_out
          $begin.result

          """)
      #expect(script.text == "1\n26\n10\n0\n", "\(script.errors)")
    }

    @Test(arguments: [[], ["--isolation", "process"]])
    func aPipelineRestoresCompressedData(options: [String]) throws {
      let file = try PipelineFile(
        """
        plugins: [zlib]
        steps:
          to: {call: zlib.deflateInit_}
          packed:
            call: zlib.deflate
            with: {stream: {step: to, get: stream}, next_in: "to be or not to be", flush: Z_FINISH}
          from: {call: zlib.inflateInit_}
          restored:
            call: zlib.inflate
            with: {stream: {step: from, get: stream}, next_in: {step: packed, get: next_out}}
          text: {call: zlib.crc32, with: {data: {step: restored, get: next_out}}}
          same: {call: zlib.crc32, with: {data: "to be or not to be"}}
        result: {text: text, same: same, left: {step: restored, get: next_in}}
        """)
      let ending = try HostProcess.run(
        ["run", "--plugins", Package.adopted, "--progress", "off"] + options + [file.path])
      let crc = try HostProcess.run("call", "--plugins", Package.adopted, "zlib", "crc32", "data=to be or not to be")
      let number = crc.text.trimmingCharacters(in: .newlines)
      #expect(ending.text == "{\"text\":\(number),\"same\":\(number),\"left\":\"\"}\n", "\(ending.errors)")
    }

    @Test func adoptDraftsTheFieldsOfAStream() throws {
      let adopted = try AdoptedHeader.of(
        """
        typedef unsigned char Bytef;
        typedef struct z_stream_s {
          const Bytef *next_in; unsigned avail_in; unsigned long total_in;
          Bytef *next_out; unsigned avail_out; unsigned long total_out;
          const char *msg; struct internal_state *state; void *(*zalloc)(void *, unsigned, unsigned);
          void (*zfree)(void *, void *); void *opaque; int data_type; unsigned long adler; unsigned long reserved;
        } z_stream;
        int deflateInit_(z_stream *strm, int level, const char *version, int stream_size);
        int deflate(z_stream *strm, int flush);
        int deflateEnd(z_stream *strm);
        """, library: "libz.so.1")
      #expect(
        adopted.signature("deflate")
          == "deflate(strm: at ptr<z_stream> {next_in: moving bytes[avail_in] = \"\", avail_in: inout u32, "
          + "total_in: out u64, next_out: out moving bytes[avail_out], avail_out: inout u32 = 65536, "
          + "total_out: out u64}, flush: i32) -> i32 ! negative message zError(result)",
        "\(adopted.draft.errors)")
      let text = try adopted.shell(
        "use LIB as z", "s = z.deflateInit_ 6 1 112", "p = z.deflate $s aaaaaaaaaa flush=4", "$p.result", "$p.total_in",
        "r = z.deflateEnd $s")
      #expect(text == "1\n10\n")
    }
  }
}
