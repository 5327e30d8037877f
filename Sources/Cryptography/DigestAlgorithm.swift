internal import COpenSSL

/// A digest algorithm fetched from OpenSSL's providers, kept for the life of the process.
final class DigestAlgorithm: @unchecked Sendable {  // because an EVP_MD is immutable once fetched (EVP_MD_fetch(3))
    static let sha256 = DigestAlgorithm("SHA256")

    let pointer: OpaquePointer?

    init(_ name: String) {
        pointer = EVP_MD_fetch(nil, name, nil)
    }

    deinit {
        EVP_MD_free(pointer)
    }
}
