internal import COpenSSL

/// What libcrypto does when the process exits: it frees its tables, though another thread may be releasing a key at that
/// moment, which is then a crash.
public enum LibraryCleanUp {
    /// Leaves it to the system to take back the memory.
    ///
    /// Of use only before anything else has used libcrypto, libcurl included
    /// ([OPENSSL_init_crypto](https://docs.openssl.org/3.0/man3/OPENSSL_init_crypto/)).
    public static func disable() { OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT), nil) }
}
