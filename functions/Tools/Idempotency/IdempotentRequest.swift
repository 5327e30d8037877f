import Cryptography
import DocumentStore

/// A request with an ``IdempotencyKey``: its caller, its path, its key, and a digest of its body.
package struct IdempotentRequest: Hashable, Sendable {
    /// The call, for documents and metrics, such as `triggerReplyFinished`.
    let call: String
    /// The digest of caller, path and key, by which the request is found.
    let id: String
    /// The digest of the body.
    let fingerprint: String

    /// Describes a request.
    ///
    /// - Parameters:
    ///   - call: The call, for documents and metrics.
    ///   - scope: The part of the path that tells requests of one call apart, such as a project.
    ///   - caller: The caller, by a text that is no secret.
    package init(_ key: IdempotencyKey, at call: String, _ scope: String = "", of caller: String, body: [UInt8]) {
        self.call = call
        var bytes: [UInt8] = []
        for text in [call, scope, caller, key.value] {
            bytes.append(contentsOf: text.utf8)
            // No UTF-8 has this byte, so no other texts have the same digest.
            bytes.append(0xFF)
        }
        id = Hexadecimal.lowercase(SHA256.digest(of: bytes))
        fingerprint = Hexadecimal.lowercase(SHA256.digest(of: body))
    }

    var path: DocumentPath {
        get throws(StoreError) { try CollectionPath(IdempotencyRecord.collection).document(id) }
    }
}
