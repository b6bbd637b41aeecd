extension TypeMap {
  /// Parameters and results of OpenSSL's functions, as its manual describes them.
  static let bundledOpenSSL = """
    EVP_Digest.data: bytes[count]
    EVP_DigestUpdate.d: bytes[cnt]
    # The longest digest has 64 bytes. A name of a digest, a key and a vector may be set by another call.
    EVP_DigestFinal.md EVP_DigestFinal_ex.md: out bytes[64]
    EVP_DigestFinal.s EVP_DigestFinal_ex.s: out u32 counts md
    EVP_MAC_final.outl: out usize counts out
    EVP_EncryptInit*.cipher EVP_DecryptInit*.cipher EVP_CipherInit*.cipher: ptr<EVP_CIPHER>?
    EVP_EncryptInit*.key EVP_DecryptInit*.key EVP_CipherInit*.key: bytes[*]?
    EVP_EncryptInit*.iv EVP_DecryptInit*.iv EVP_CipherInit*.iv: bytes[*]?
    # Values in DER: the caller frees those that are made, and has no object to be filled.
    d2i_*.a: const ptr<void>? = null
    d2i_*.in: moving bytes[len]
    d2i_*.pp: moving bytes[length]
    d2i_*_bio.in d2i_*_bio.bp i2d_*_bio*.out i2d_*_bio.bp: ptr<BIO>
    d2i_*_fp.in i2d_*_fp.out: ptr<FILE>
    i2d_*.out i2d_*.pp: out own(free) bytes[result]?
    ASN1_get_object.pp: moving bytes[omax]
    ASN1_get_object.plength ASN1_get_object.ptag ASN1_get_object.pclass: out
    EVP_PKEY_get_octet_string_param.buf: out bytes[max_buf_sz]
    EVP_PKEY_get_utf8_string_param.str: out str[max_buf_sz]
    EVP_PKEY_get_*_string_param.out_sz OPENSSL_buf2hexstr_ex.strlength: out
    OPENSSL_buf2hexstr_ex.str: out str[str_n]
    # A modulus has at most 16,384 bits.
    RSA_*_encrypt.from RSA_*_decrypt.from: bytes[flen]
    RSA_*_encrypt.to RSA_*_decrypt.to: out bytes[2048]
    RSA_*_encrypt.result RSA_*_decrypt.result: i32 counts to
    # Blocks of ciphers have at most 32 bytes, the ends of base64 66.
    EVP_EncryptFinal*.out EVP_DecryptFinal*.outm EVP_CipherFinal*.outm: out bytes[32]
    EVP_EncryptFinal*.outl: out i32 counts out
    EVP_DecryptFinal*.outl EVP_CipherFinal*.outl: out i32 counts outm
    EVP_EncodeFinal.out EVP_DecodeFinal.out: out bytes[80]
    EVP_EncodeFinal.outl EVP_DecodeFinal.outl: out i32 counts out
    PKCS5_PBKDF2_HMAC*.pass: str[passlen]
    PKCS5_PBKDF2_HMAC*.salt: bytes[saltlen]
    PKCS5_PBKDF2_HMAC*.out: out bytes[keylen]
    # A BIGNUM may be taken over, by RSA_set0_key.
    BN_hex2bn.a BN_dec2bn.a BN_asc2bn.a: out
    RSA_get0_key.n RSA_get0_key.e RSA_get0_key.d RSA_get0_factors.p RSA_get0_factors.q: out
    RSA_get0_crt_params.dmp1 RSA_get0_crt_params.dmq1 RSA_get0_crt_params.iqmp: out
    EVP_PKEY_keygen.ppkey EVP_PKEY_paramgen.ppkey: out own(EVP_PKEY_free) ptr<EVP_PKEY>?
    EVP_PKEY_fromdata.ppkey: out own(EVP_PKEY_free) ptr<EVP_PKEY>?
    OPENSSL_hexstr2buf.buflen: out
    # The end of contents of an indefinite length is two zeros.
    ASN1_put_eoc.pp: out moving bytes[2]
    ASN1_check_infinite_end.p ASN1_const_check_infinite_end.p: moving bytes[len]
    # Values of threads: a key that is made, and one that is used.
    CRYPTO_THREAD_init_local.key: out
    CRYPTO_THREAD_init_local.cleanup: fn(ptr<void>?) @forever?
    CRYPTO_THREAD_get_local.key CRYPTO_THREAD_set_local.key: in
    CRYPTO_THREAD_set_local.val: ptr<void>?
    CRYPTO_THREAD_cleanup_local.key: inout
    OPENSSL_gmtime.timer: in
    """
}
