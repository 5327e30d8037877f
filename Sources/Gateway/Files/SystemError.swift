internal import Foundation

/// What a call of the system failed with.
struct SystemError: Error, Hashable, CustomStringConvertible {
    let code: Int32

    /// To be made before anything else is called, which may change `errno`.
    init() { code = errno }

    init(code: Int32) { self.code = code }

    var description: String { String(cString: strerror(code)) }
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
        default: ""
        }
    }
}
