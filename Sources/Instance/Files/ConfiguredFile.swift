import Foundation
import NIOSSL
package import Settings

/// A file that a setting names.
package struct ConfiguredFile: Sendable {
    /// The setting.
    package let key: String
    /// The file's path.
    package let path: String
    /// The value that the setting takes, for errors: `the path of the .p8 file`.
    package let expected: String
    /// `true` if errors must not show the path.
    private let hidesPath: Bool

    /// Names a file.
    ///
    /// - Parameters:
    ///   - key: The setting.
    ///   - expected: The value that the setting takes, for errors.
    ///   - hidesPath: `true` for the file of a secret: errors do not show its path, because the operator may have given
    ///     the secret itself in its place.
    package init(key: String, path: String, expected: String, hidesPath: Bool = false) {
        self.key = key
        self.path = path
        self.expected = expected
        self.hidesPath = hidesPath
    }

    /// Names a file of certificate authorities.
    package init(authorities key: String, _ path: String) {
        self.init(key: key, path: path, expected: "the path of a PEM file of certificates")
    }

    /// The words for the file in errors: its path, unless a secret may be there in its place.
    package var shownPath: String { hidesPath ? "the file that it names" : path }

    /// `false` for a pipe or another file that may give its contents only once.
    package var isReadableAgain: Bool { FileStatus(following: path).map { $0.kind == .regular } ?? true }

    /// `true` for a pipe or a socket.
    package var isPipe: Bool { FileStatus(following: path).map { [.fifo, .socket].contains($0.kind) } ?? false }

    /// Returns the file's bytes.
    ///
    /// - Throws: `ConfigurationError` with the reason if it cannot be read.
    package func contents() throws(ConfigurationError) -> [UInt8] {
        do throws(SystemError) {
            let file = try OpenFile(path, O_RDONLY)
            guard try file.status().kind != .directory else { throw SystemError(code: EISDIR, "it is a directory") }
            return try file.contents()
        } catch {
            throw ConfigurationError(
                key: key, problem: "cannot read \(shownPath): \(Self.reason(error)); give \(expected)")
        }
    }

    /// Checks that the file has certificates in PEM. Without this check, each connection would fail.
    package func checkAuthorities() throws(ConfigurationError) {
        let pem = try contents()
        guard let certificates = try? NIOSSLCertificate.fromPEMBytes(pem), !certificates.isEmpty else {
            throw ConfigurationError(
                key: key,
                problem: "\(path) has no certificate in PEM, which begins with -----BEGIN CERTIFICATE----- on a line "
                    + "of its own, without a byte order mark before it")
        }
    }

    private static func reason(_ error: SystemError) -> String {
        switch error.code {
        case ENOENT: "there is no such file"
        case EACCES: "the user \(userName) may not read it"
        default: error.description
        }
    }

    /// The name of this process's user, or its number.
    private static var userName: String {
        guard let entry = getpwuid(geteuid()) else { return "\(geteuid())" }
        return String(cString: entry.pointee.pw_name)
    }
}
