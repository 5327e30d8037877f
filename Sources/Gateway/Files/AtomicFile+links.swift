internal import Foundation

extension AtomicFile {
    /// The file behind any symbolic links, which stay.
    ///
    /// - Throws: when a link leads nowhere, or belongs to a user who is neither root, nor this process's, nor the file's
    ///   owner: it would choose which file is written.
    public init(resolving path: String) throws(GatewayError) {
        guard let link = FileStatus(of: path), link.kind == .link else {
            self.init(path)
            return
        }
        guard let resolved = realpath(path, nil) else {
            throw GatewayError(
                "\(path) is a symbolic link that leads to no file. Make the file that it should lead to, or remove it.")
        }
        defer { free(resolved) }
        self.init(String(cString: resolved))
        let owner = FileStatus(of: self.path)?.owner
        guard [0, geteuid(), owner].contains(link.owner) else {
            throw GatewayError(
                "\(path) is a symbolic link of user \(link.owner), and the file behind it is not theirs. Name the file "
                    + "itself.")
        }
    }
}
