import Foundation

/// An error of a system call, or the refusal of a file that such a call would have opened.
struct SystemError: Error, Hashable, CustomStringConvertible {
    let code: Int32
    private let refusal: String?

    /// Reads `errno`. Call it before any other function, which may change `errno`.
    init() { self.init(code: errno) }

    init(code: Int32) {
        self.code = code
        refusal = nil
    }

    /// Creates a refusal.
    ///
    /// - Parameter refusal: The reason, in words that continue “cannot read …: ”.
    init(code: Int32, _ refusal: String) {
        self.code = code
        self.refusal = refusal
    }

    var description: String { refusal ?? String(cString: strerror(code)) }
}

extension GatewayError {
    /// Creates an error for the operator.
    ///
    /// - Parameter operation: The verb of the failed operation, such as “read”.
    init(cannot operation: String, _ path: String, _ error: SystemError) {
        self.init("cannot \(operation) \(path): \(error).\(error.advice)")
        cause = error
    }
}

extension SystemError {
    var advice: String {
        switch code {
        case ENOSPC, EDQUOT: " Is the disk full?"
        case EACCES, EPERM: " Run this as its owner, or change its owner to this user."
        case ELOOP: " Replace the link with the file or folder that it leads to."
        default: ""
        }
    }
}
