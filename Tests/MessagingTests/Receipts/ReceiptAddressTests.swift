import Testing

@testable import Messaging

@Suite("Addresses for receipts")
struct ReceiptAddressTests {
    private let address = ReceiptAddress(
        publicURL: "https://push.example.com", key: [UInt8](repeating: 7, count: 32))

    private func signed(_ message: String) throws -> String {
        let text = address.text(for: message)
        let prefix = "https://push.example.com/v1/receipts/"
        try #require(text.hasPrefix(prefix))
        return String(text.dropFirst(prefix.count))
    }

    @Test("The address of a message is always the same, and its signed id leads back to the message")
    func signature() throws {
        #expect(try signed("m1") == signed("m1"))
        #expect(try signed("m1").utf8.count == "m1.".utf8.count + 22)
        #expect(address.message(ofSigned: try signed("m1")) == "m1")
        #expect(address.message(ofSigned: try signed("a.b")) == "a.b")
    }

    @Test("An id that was not signed here is no message's")
    func forgery() throws {
        let signature = try signed("m1").dropFirst("m1".count)
        let other = ReceiptAddress(publicURL: "https://push.example.com", key: [UInt8](repeating: 8, count: 32))
        #expect(other.message(ofSigned: try signed("m1")) == nil)
        for text in ["", ".", "m1", "m1.", "m2\(signature)", "m1\(signature)A", "m1\(signature.dropLast())"] {
            #expect(address.message(ofSigned: text) == nil, "\(text)")
        }
    }
}
