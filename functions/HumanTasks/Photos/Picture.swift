import Cryptography

/// A received photo of an accepted type.
struct Picture: Sendable {
    /// The id: 20 letters and digits from the SHA-256 of the bytes, so equal photos have equal ids.
    let id: String
    let type: ImageType
    let bytes: ArraySlice<UInt8>

    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")

    init(_ bytes: ArraySlice<UInt8>, atMost maximum: Int) throws(HumanTasksError) {
        guard bytes.count <= maximum else { throw .photoTooLarge(maximum) }
        guard let type = ImageType(of: bytes) else { throw .noPhoto }
        id = String(SHA256.digest(of: bytes).prefix(20).map { Self.alphabet[Int($0) % Self.alphabet.count] })
        self.type = type
        self.bytes = bytes
    }
}
