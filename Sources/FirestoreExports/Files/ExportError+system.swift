import Foundation

extension ExportError {
    /// Creates an error from the `errno` that a system call set. Call it before any other function, which may change
    /// `errno`.
    ///
    /// - Parameter operation: the verb of the failed operation, such as “be read”.
    init(cannot operation: String, _ path: String) { self.init(cannot: operation, path, errno) }

    /// Creates an error from the code of a system call's error.
    init(cannot operation: String, _ path: String, _ code: Int32) {
        self.init(.fileSystem, path, "cannot \(operation): \(String(cString: strerror(code))).\(Self.advice(code))")
    }

    private static func advice(_ code: Int32) -> String {
        switch code {
        case ENOENT: " Check the path, and that all files of the export were copied."
        case ENOSPC, EDQUOT: " Make room on the disk, or choose a folder on another one."
        case EACCES, EPERM: " Run this as a user who may do that."
        case EEXIST: " Remove it, or choose another name."
        default: ""
        }
    }
}
