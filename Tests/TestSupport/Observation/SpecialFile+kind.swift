package import Foundation
package import TestBasics

extension SpecialFile {
    /// Returns the file type at a path as the bits of `S_IFMT`, without following a link.
    package static func kind(of path: String) -> mode_t? {
        var status = stat()
        return lstat(path, &status) == 0 ? status.st_mode & S_IFMT : nil
    }
}
