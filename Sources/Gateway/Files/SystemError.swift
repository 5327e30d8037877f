internal import Foundation

/// A failed call of the system, or the refusal of a file that such a call would have opened.
struct SystemError: Error, Hashable, CustomStringConvertible {
    let code: Int32
    private let refusal: String?

    /// To be made before anything else is called, which may change `errno`.
    init() { self.init(code: errno) }

    init(code: Int32) {
        self.code = code
        refusal = nil
    }

    /// - Parameter refusal: the reason, in words that go on from “cannot read …: ”.
    init(code: Int32, _ refusal: String) {
        self.code = code
        self.refusal = refusal
    }

    var description: String { refusal ?? String(cString: strerror(code)) }
}

extension GatewayError {
    /// - Parameter operation: what could not be done, as in “read”.
    init(cannot operation: String, _ path: String, _ error: SystemError) {
        self.init("cannot \(operation) \(path): \(error).\(error.advice)")
        cause = error
    }
}

extension SystemError {
    var advice: String {
        switch code {
        case ENOSPC, EDQUOT: " Is the disk full?"
        case EACCES, EPERM: " Run this as its owner, or give it to this user."
        case ELOOP: " Put what it leads to in its place."
        default: ""
        }
    }
}
