internal import Foundation

/// The parts of a data directory that programs believe when they talk to its gateway.
extension DataDirectory {
    /// The address at which the gateway of this directory listens, while it does; `nil` if none is noted.
    ///
    /// Secrets are sent there, so nobody else may be able to choose it.
    ///
    /// - Throws: when another user could have written it. The error says which address it is.
    public func believedAddress() throws(GatewayError) -> String? {
        guard let note = try note() else { return nil }
        guard let address = note.address else {
            throw GatewayError("\(path)/address holds no URL. \(Self.advice)")
        }
        guard let doubt = PathOwnership.doubt(about: path) ?? note.status.doubt(about: path + "/address") else {
            return address
        }
        throw GatewayError(
            "\(path) says that its gateway is at \(address), but that may be another user's word: \(doubt). "
                + Self.advice)
    }

    /// The address as it is noted, whoever noted it; `nil` if none is. No secret may be sent there.
    public func notedAddress() -> String? { (try? note())?.address }

    /// Throws when others may have put what is in this directory there.
    public func checkOwnership() throws(GatewayError) {
        guard let doubt = PathOwnership.doubt(about: path) else { return }
        throw GatewayError("what is in \(path) may be another user's word: \(doubt). \(Self.advice)")
    }

    private static let advice = "If it is the gateway you mean, name it with --server."

    private func note() throws(GatewayError) -> (address: String?, status: FileStatus)? {
        do throws(GatewayError) {
            // Of any owner: the error names its contents.
            return try AtomicFile(Self.addressName, in: Folder(path, isOwned: false)).read { file throws(SystemError) in
                (Self.url(try file.contents(0..<2_048)), try file.status())
            }
        } catch {
            throw GatewayError("\(error) \(Self.advice)")
        }
    }

    /// Nothing but a URL is shown, or connected to.
    private static func url(_ bytes: [UInt8]) -> String? {
        let text = String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }), let components = URLComponents(string: text),
            ["http", "https"].contains(components.scheme), components.host?.isEmpty == false
        else { return nil }
        return text
    }
}
