internal import COpenSSL

/// What failed in a cryptographic operation, in words fit for an operator's log: never key material.
public struct CryptographyError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What was being done, such as `read the private key`.
    public let operation: String
    /// Why it failed: OpenSSL's own reason, or ours when the input was refused before OpenSSL saw it.
    public let reason: String

    /// Makes an error from its two parts; neither may carry key material.
    public init(operation: String, reason: String) {
        self.operation = operation
        self.reason = reason
    }

    public var description: String { "could not \(operation): \(reason)" }
}

extension CryptographyError {
    /// Empties this thread's OpenSSL error queue into one error.
    ///
    /// The queue must be emptied whole: what is left would be reported by the next, unrelated, failure.
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

/// Turns OpenSSL's NULL into an error.
func unwrapped<T>(_ value: T?, _ operation: String) throws(CryptographyError) -> T {
    guard let value else { throw .fromOpenSSL(operation) }
    return value
}

/// Turns OpenSSL's "1 is success, 0 and below are failures" into an error.
func check(_ status: Int32, _ operation: String) throws(CryptographyError) {
    guard status > 0 else { throw .fromOpenSSL(operation) }
}
