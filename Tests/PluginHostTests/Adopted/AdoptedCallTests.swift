import Foundation
import Testing

extension EndToEnd {
  /// Functions of the real libraries, called from the command line through the project's adoption files.
  @Suite struct AdoptedCallTests {
    private func call(_ words: [String], environment: [String: String] = [:]) throws -> HostProcess.Ending {
      let host = try HostProcess(["call", "--plugins", Package.adopted] + words, environment: environment)
      try host.process.run()
      return try host.wait()
    }

    @Test(arguments: [
      (["libm", "pow", "2", "10"], "1024.0"), (["libm", "hypot", "3", "4"], "5.0"), (["libm", "lround", "-2.5"], "-3"),
      (["libm", "ldexp", "0.75", "4"], "12.0"), (["libm", "sqrtf", "2.25"], "1.5"), (["libm", "ilogb", "1e10"], "33"),
      (["libm", "log", "0"], "\"-Infinity\""), (["libm", "frexp", "10"], #"{"result":0.625,"exponent":4}"#),
      (["libm", "modf", "-3.25"], #"{"result":-0.25,"whole":-3.0}"#),
      (["libm", "lgamma_r", "-0.5"], #"{"result":1.2655121234846454,"sign":-1}"#),
      (["zlib", "crc32", "data=123456789"], "3421780262"), (["zlib", "adler32", "data=Wikipedia"], "300286872"),
      (["zlib", "crc32_combine", "3421780262", "0", "0"], "3421780262"), (["zlib", "compressBound", "1000"], "1013"),
      (["zlib", "zError", "-3"], #""data error""#), (["sqlite", "sqlite3_complete", "select 1;"], "1"),
      (["sqlite", "sqlite3_complete", "select 'a;"], "0"), (["sqlite", "sqlite3_stricmp", "ABC", "abc"], "0"),
      (["sqlite", "sqlite3_strglob", "a*[0-9]", "abc7"], "0"),
      (["sqlite", "sqlite3_errstr", "5"], #""database is locked""#),
      (["sqlite", "sqlite3_compileoption_get", "100000"], "null"),
      (["sqlite", "sqlite3_mprintf", "%Q and %lld, %.1f", "it's", "7", "1.5"], #""'it''s' and 7, 1.5""#),
      (["libcurl", "curl_getdate", "Sun, 06 Nov 1994 08:49:37 GMT"], "784111777"),
      (["libcurl", "curl_easy_escape", "text=a b/ö"], #""a%20b%2F%C3%B6""#),
      (["libcurl", "curl_easy_unescape", "text=a%20b"], #""a b""#),
      (["libcurl", "curl_easy_unescape", "text=a%00b"], #""a\u0000b""#),
      (["libcurl", "curl_easy_strerror", "6"], #""Couldn't resolve host name""#),
      (["libc", "strlen", "hello"], "5"), (["libc", "toupper", "97"], "65"), (["libc", "atoi", "12ab"], "12"),
      (["libc", "abs", "-5"], "5"), (["libc", "strcmp", "a", "a"], "0"), (["libc", "memcmp", "abc", "abc"], "0"),
      (["libc", "div", "-7", "2"], #"{"quotient":-3,"remainder":-1}"#),
      (["libc", "ldiv", "9000000000", "7"], #"{"quotient":1285714285,"remainder":5}"#),
      (["libc", "strdup", "twice"], #""twice""#), (["libc", "strstr", "needle in hay", "in"], #""in hay""#),
      (["libc", "strstr", "hay", "needle"], "null"), (["libc", "getenv", "NO_SUCH_VARIABLE"], "null"),
      (["libc", "strerror", "2"], #""No such file or directory""#),
      (["libc", "snprintf", "room=64", "%05d|%s|%.2f", "42", "x", "1.5"], #"{"result":12,"text":"00042|x|1.50"}"#),
      (["libc", "snprintf", "room=4", "format=abcdef"], #"{"result":6,"text":"abc"}"#),
      (["libc", "realpath", "/usr/../usr/lib"], #""/usr/lib""#), (["libc", "access", "/"], "0"),
      (
        ["libc", "gmtime_r", "86400"],
        ##"{"result":#,"parts":{"second":0,"minute":0,"hour":0,"day":2,"month":0,"year":70,"weekday":5,"yearday":1,"dst":0,"offset":0,"zone":"GMT"}}"##
      ),
    ])
    func givesTheResultOfTheLibrary(words: [String], expected: String) throws {
      let ending = try call(words)
      #expect(ending.errors == "")
      let text = ending.text.replacing(#/:\d{13,}/#) { _ in ":#" }
      #expect(text == expected + "\n")
    }

    @Test func aGzipFileIsReadAndClosedOnce() throws {
      let file = TemporaryPath(".gz")
      let script = """
        f = zlib.gzopen \(file.path) wb
        zlib.gzwrite $f hello
        zlib.gzclose $f
        g = zlib.gzopen \(file.path)
        read = zlib.gzread $g
        $read.data
        zlib.gzclose $g
        zlib.gzclose $g
        """
      let ending = try HostProcess.run("shell", "--plugins", Package.adopted, input: script + "\n")
      #expect(ending.status == 64, "\(ending.errors)")
      #expect(ending.text == "5\n\"aGVsbG8=\"\n", "\(ending.text)")
      #expect(ending.errors.contains("stdin:8: zlib.gzclose: argument 'file' is a gzFile that 'gzclose' has released"))
    }

    @Test func resultsThatDependOnTheMomentHaveTheRightForm() throws {
      for (words, pattern) in [
        (["zlib", "zlibVersion"], #/"1\.[0-9.]+"\n/#), (["sqlite", "sqlite3_libversion"], #/"3\.[0-9.]+"\n/#),
        (["libcurl", "curl_version"], #/"libcurl\/[^"]+"\n/#), (["libc", "getpid"], #/[1-9][0-9]*\n/#),
        (["libc", "gettimeofday"], #/\{"result":0,"now":\{"seconds":[0-9]{10},"microseconds":[0-9]{1,6}\}\}\n/#),
        (["libc", "clock_gettime", "1"], #/\{"result":0,"now":\{"seconds":[0-9]+,"nanoseconds":[0-9]{1,9}\}\}\n/#),
        (["libc", "time"], #/\{"result":[0-9]{10},"now":[0-9]{10}\}\n/#),
        (["libc", "getloadavg"], #/\{"result":3,"averages":\[[0-9.]+,[0-9.]+,[0-9.]+\]\}\n/#),
        (["libc", "gethostname"], #/\{"result":0,"name":"[^"]+"\}\n/#),
        (["libc", "getcwd"], #/\{"result":"\/[^"]*","path":"\/[^"]*"\}\n/#),
        (["libc", "strtol", "0x2A rest"], #/\{"result":42,"rest":"0x[0-9a-f]+"\}\n/#),
        (["libc", "getrandom", "8"], #/\{"result":8,"data":"[A-Za-z0-9+\/]{11}="\}\n/#),
      ] as [([String], any RegexComponent<Substring>)] {
        let ending = try call(words)
        #expect(ending.errors == "")
        #expect(try Regex(pattern.regex).wholeMatch(in: ending.text) != nil, "\(words): \(ending.text)")
      }
    }

    @Test func theEnvironmentIsTheProcesss() throws {
      #expect(try call(["libc", "getenv", "ADOPTED"], environment: ["ADOPTED": "yes"]).text == "\"yes\"\n")
    }

    @Test func aFailureIsARejection() throws {
      let missing = try call(["libc", "access", "/no/such/file"])
      #expect(missing.status == 1)
      #expect(missing.errors.contains("No such file or directory"), "\(missing.errors)")
      let damaged = try call(["zlib", "uncompress", "packed=this is not compressed"])
      #expect(damaged.status == 1)
      #expect(damaged.errors.contains("-3"), "\(damaged.errors)")
      let date = try call(["libcurl", "curl_getdate", "never"])
      #expect(date.status == 1, "\(date.text)")
    }
  }
}
