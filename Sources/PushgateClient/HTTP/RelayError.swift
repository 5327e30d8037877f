public import Foundation

/// An error of a call to the author's relay. Its texts contain neither keys nor tokens.
public enum RelayError: Error, Hashable, Sendable {
    /// 400, and 413 and 415 of a relay: it does not take the request, with its reason. The app's `bundleID` may be
    /// missing or another one.
    case invalidRequest(message: String?)
    /// 401: the relay does not accept the signature.
    case unauthorized
    /// 403: the relay does not admit this app: the app secret or the attestation is missing, or not right.
    case notAdmitted
    /// 404: the relay does not know the address, or the installation has none yet. Registering helps.
    case unknownAddress
    /// 429 and 5xx: the relay has no time at the moment, with the time to wait if it sent one.
    case later(retryAfter: Duration?)
    /// Any other answer: no relay answers at the URL.
    case unexpectedAnswer(status: Int)
    /// No answer, with the network's error.
    case unreachable(reason: String)
    /// The task was cancelled.
    case cancelled
    /// The storage of the keys could not be read or written, for example before the device's first unlock.
    case storageFailed(reason: String)
    /// The attestation, or the cryptography, failed on this device.
    case deviceFailed(reason: String)
}

extension RelayError {
    /// `true` if the same call may succeed later; `false` if something has to be corrected first.
    public var mayHelpToRetry: Bool {
        switch self {
        case .unknownAddress, .later, .unreachable, .cancelled, .storageFailed, .deviceFailed: true
        case .unexpectedAnswer(let status): PushClientError.unexpectedAnswer(status: status, code: nil).mayHelpToRetry
        case .invalidRequest, .unauthorized, .notAdmitted: false
        }
    }

    /// The time to wait before the next call, at most an hour; `nil` if the relay sent none.
    public var retryAfter: Duration? {
        if case .later(let retryAfter) = self { retryAfter } else { nil }
    }

    /// `true` if the relay has said no, and the installation is not registered.
    var isRefusal: Bool {
        switch self {
        case .invalidRequest, .unauthorized, .notAdmitted, .unknownAddress: true
        case .later, .unexpectedAnswer, .unreachable, .cancelled, .storageFailed, .deviceFailed: false
        }
    }

    /// Creates the error for a missing answer.
    init(sending error: any Error) {
        switch PushClientError(sending: error) {
        case .cancelled: self = .cancelled
        case .unreachable(let reason): self = .unreachable(reason: reason)
        default: self = .unreachable(reason: "\(type(of: error))")
        }
    }

    /// Creates the error of a storage, of which only the domain and the number are kept.
    init(storing error: any Error) {
        let error = error as NSError
        self = .storageFailed(reason: "\(error.domain) \(error.code)")
    }
}

extension RelayError: LocalizedError, CustomStringConvertible {
    /// The error as a sentence.
    public var errorDescription: String? { description }

    /// The error as a sentence.
    public var description: String {
        switch self {
        case .invalidRequest(let message):
            "The relay does not take the request (400)\(message.map { ": \($0)" } ?? "")."
        case .unauthorized: "The relay does not accept this installation's signature (401)."
        case .notAdmitted: "The relay does not admit this app (403)."
        case .unknownAddress: "The relay has no address for this installation."
        case .later(let retryAfter):
            "The relay cannot take requests at the moment"
                + (retryAfter.map { "; try again in \($0.components.seconds) s." } ?? ".")
        case .unexpectedAnswer(let status): "No relay answers at the URL (\(status))."
        case .unreachable(let reason): "The relay did not answer: \(reason)."
        case .cancelled: "The call was cancelled."
        case .storageFailed(let reason): "The keys for the relay cannot be read or saved: \(reason)."
        case .deviceFailed(let reason): "The device could not make the request to the relay: \(reason)."
        }
    }
}
