import Cryptography

/// The address to which apps report what arrives. A notification has it with the id of its message, signed.
///
/// `https://push.example.com/v1/receipts/{id}.{signature}`. The id is the message's and not the notification's, so all
/// targets of a message share their payload. The signature keeps others from reporting what they never got, and the
/// gateway from reading documents for ids that somebody made up.
package struct ReceiptAddress: Sendable {
    /// The path below the gateway's address.
    package static let path = "/v1/receipts"
    private static let signatureLength = 16

    private let url: String
    private let key: [UInt8]

    /// Creates an address.
    ///
    /// - Parameters:
    ///   - publicURL: the address at which phones reach the gateway, without a slash at its end.
    ///   - key: a secret of 32 bytes. Another secret does not recognize the ids signed so far.
    package init(publicURL: String, key: [UInt8]) {
        url = publicURL + Self.path
        self.key = key
    }

    /// Returns the address for receipts of a message.
    func text(for message: String) -> String { "\(url)/\(message).\(signature(of: message))" }

    /// Returns the message of a signed id, such as `00Hn4fQk.Qyq…`; `nil` if it was not signed here.
    package func message(ofSigned text: String) -> String? {
        guard let dot = text.utf8.lastIndex(of: UInt8(ascii: ".")) else { return nil }
        let (message, signature) = (String(text[..<dot]), text[text.utf8.index(after: dot)...])
        guard ConstantTime.equal(Array(signature.utf8), Array(self.signature(of: message).utf8)) else { return nil }
        return message
    }

    private func signature(of message: String) -> String {
        Base64URL.encode(HMACSHA256.code(for: message.utf8, key: key)[..<Self.signatureLength])
    }
}
