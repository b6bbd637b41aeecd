"""The libraries and headers that scripts/check-drafts.py and scripts/draw-functions.py read."""

GLIB = "-I/usr/include/glib-2.0" + "".join(
    f" -I/usr/lib/{machine}-linux-gnu/glib-2.0/include" for machine in ("x86_64", "aarch64"))
LIBRARIES = f"""
libz.so.1 zlib.h
libsqlite3.so.0 sqlite3.h
libcurl.so.4 curl/curl.h
libexpat.so.1 expat.h
libbz2.so.1.0 bzlib.h
libzstd.so.1 zstd.h
liblz4.so.1 lz4.h
liblz4.so.1 lz4frame.h
libbrotlienc.so.1 brotli/encode.h
libbrotlidec.so.1 brotli/decode.h
libcrypto.so.3 openssl/sha.h
libcrypto.so.3 openssl/evp.h
libcrypto.so.3 openssl/rsa.h
libgcrypt.so.20 gcrypt.h
libgpg-error.so.0 gpg-error.h
libnettle.so.8 nettle/sha2.h
libnettle.so.8 nettle/base64.h
libnettle.so.8 nettle/pbkdf2.h
libgnutls.so.30 gnutls/gnutls.h
libtasn1.so.6 libtasn1.h
libidn2.so.0 idn2.h
libuuid.so.1 uuid/uuid.h
libblkid.so.1 blkid/blkid.h
libmount.so.1 libmount/libmount.h
libgmp.so.10 gmp.h
libncursesw.so.6 ncursesw/curses.h
libreadline.so.8 readline/readline.h
libhistory.so.8 readline/history.h
libpcre2-8.so.0 pcre2.h --flag=-DPCRE2_CODE_UNIT_WIDTH=8
libpng16.so.16 png.h
libjpeg.so.62 jpeglib.h --flag=-include --flag=stdio.h
libfreetype.so.6 freetype/freetype.h -I/usr/include/freetype2
libfontconfig.so.1 fontconfig/fontconfig.h
libX11.so.6 X11/Xlib.h
libX11.so.6 X11/Xutil.h
libxcb.so.1 xcb/xcb.h
libxml2.so.2 libxml/parser.h -I/usr/include/libxml2
libxslt.so.1 libxslt/transform.h -I/usr/include/libxml2
libyaml-0.so.2 yaml.h
libuv.so.1 uv.h
libmagic.so.1 magic.h
libglib-2.0.so.0 glib.h {GLIB}
libpq.so.5 libpq-fe.h -I/usr/include/postgresql
libLLVM-14.so.1 llvm-c/Core.h -I/usr/include/llvm-c-14 -I/usr/include/llvm-14
libpython3.11.so.1.0 Python.h -I/usr/include/python3.11
libtcl8.6.so tcl8.6/tcl.h -I/usr/include/tcl8.6
libicuuc.so.72 unicode/ustring.h
libicuuc.so.72 unicode/ucnv.h
libselinux.so.1 selinux/selinux.h
libffi.so.8 ffi.h
libGL.so.1 GL/gl.h
libEGL.so.1 EGL/egl.h
libtirpc.so.3 rpc/rpc.h -I/usr/include/tirpc
libp11-kit.so.0 p11-kit/p11-kit.h -I/usr/include/p11-kit-1
libnspr4.so nspr/nspr.h -I/usr/include/nspr
libcrypt.so.1 crypt.h
libm.so.6 math.h -D_GNU_SOURCE
""" + "".join(
    f"libc.so.6 {header} -D_GNU_SOURCE\n"
    for header in "string.h stdlib.h stdio.h unistd.h time.h sys/socket.h netdb.h pwd.h wchar.h sys/poll.h".split()
)
# Headers with functions that make objects for the functions of a library above: other headers of the library, and
# headers of libraries that it links.
XML = "-I/usr/include/libxml2"
MAKERS = {
    "libxslt.so.1": [
        f"libxslt.so.1 libxslt/xsltInternals.h {XML}", f"libxml2.so.2 libxml/tree.h {XML}",
        f"libxml2.so.2 libxml/parser.h {XML}", f"libxml2.so.2 libxml/xpath.h {XML}"],
    "libxml2.so.2": [f"libxml2.so.2 libxml/tree.h {XML}", f"libxml2.so.2 libxml/xpath.h {XML}"],
    "libcrypto.so.3": [f"libcrypto.so.3 openssl/{name}.h" for name in "rand dh conf provider bio x509 crypto".split()],
    "libgnutls.so.30": ["libgnutls.so.30 gnutls/x509.h", "libgnutls.so.30 gnutls/abstract.h"],
}
