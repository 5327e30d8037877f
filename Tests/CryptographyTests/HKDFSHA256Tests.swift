import Cryptography
import Testing

@Suite("HKDF with SHA-256")
struct HKDFSHA256Tests {
    /// The examples of RFC 5869, appendix A.1 to A.3.
    @Test(
        "HKDF-SHA256 gives the keys of RFC 5869",
        arguments: [
            Example(
                secret: repeatElement(0x0B, count: 22), salt: 0x00...0x0C, info: 0xF0...0xF9, count: 42,
                key: "077709362c2e32df0ddc3f0dc47bba6390b6c73bb50f9c3122ec844ad7c2b3e5",
                output: "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865"),
            Example(
                secret: 0x00...0x4F, salt: 0x60...0xAF, info: 0xB0...0xFF, count: 82,
                key: "06a6b88c5853361a06104c9ceb35b45cef760014904671014a193f40c15fc244",
                output: "b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c59045a99cac7827271cb41c65e59"
                    + "0e09da3275600c2f09b8367793a9aca3db71cc30c58179ec3e87c14c01d5c1f3434f1d87"),
            Example(
                secret: repeatElement(0x0B, count: 22), salt: [], info: [], count: 42,
                key: "19ef24a32c717b167f33a91d6f648bdf96596776afdb6377ac434c1c293ccb04",
                output: "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8"),
        ])
    func knownKeys(example: Example) {
        let key = HKDFSHA256.extract(example.secret, salt: example.salt)
        #expect(key.hexadecimal == example.key)
        #expect(HKDFSHA256.expand(key, info: example.info, count: example.count).hexadecimal == example.output)
    }

    @Test("An expansion has at most 255 blocks")
    func longest() {
        #expect(HKDFSHA256.expand([1], info: [], count: 8_160).count == 8_160)
        #expect(HKDFSHA256.expand([1], info: [], count: 8_161).count == 8_160)
        #expect(HKDFSHA256.expand([1], info: [], count: 0).isEmpty)
    }

    struct Example: Sendable {
        let secret: [UInt8]
        let salt: [UInt8]
        let info: [UInt8]
        let count: Int
        let key: String
        let output: String

        init(
            secret: some Sequence<UInt8>, salt: some Sequence<UInt8>, info: some Sequence<UInt8>, count: Int,
            key: String, output: String
        ) {
            self.secret = Array(secret)
            self.salt = Array(salt)
            self.info = Array(info)
            self.count = count
            self.key = key
            self.output = output
        }
    }
}
