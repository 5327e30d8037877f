import COpenSSL

/// A failed cryptographic operation, in words for an operator's log. It never contains key material.
package struct CryptographyError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The operation, as a verb phrase such as `read the private key`.
    package let operation: String
    /// The cause: OpenSSL's reason, or this module's if it rejected the input before OpenSSL.
    package let reason: String

    /// Makes an error of an operation and a reason; neither may contain key material.
    package init(operation: String, reason: String) {
        self.operation = operation
        self.reason = reason
    }

    /// The operation and the reason in one sentence.
    package var description: String { "could not \(operation): \(reason)" }
}

extension CryptographyError {
    /// Returns one error for this thread's OpenSSL error queue, and empties the queue.
    ///
    /// An error left in the queue would appear in the report of the next, unrelated failure.
    static func fromOpenSSL(_ operation: String) -> CryptographyError {
        var reasons: [String] = []
        while case let code = ERR_get_error(), code != 0 {
            guard let reason = ERR_reason_error_string(code) else { continue }
            reasons.append(String(cString: reason))
        }
        let reason = reasons.isEmpty ? "OpenSSL gave no reason" : reasons.joined(separator: "; ")
        return CryptographyError(operation: operation, reason: reason)
    }
}

/// Returns the value, or throws OpenSSL's error for NULL.
func unwrapped<T>(_ value: T?, _ operation: String) throws(CryptographyError) -> T {
    guard let value else { throw .fromOpenSSL(operation) }
    return value
}

/// Throws OpenSSL's error unless the status is positive: 1 is success, 0 and below are failures.
func check(_ status: Int32, _ operation: String) throws(CryptographyError) {
    guard status > 0 else { throw .fromOpenSSL(operation) }
}
