import Foundation

/// The record of the address that a directory's gateway listens at, for programs that talk to the gateway.
package struct AddressRecord: Sendable {
    static let name = "address"

    /// The directory's path.
    private let directory: String

    init(in directory: String) { self.directory = directory }

    private var files: DataFolder { DataFolder(Folder(directory)) }
    private var path: String { "\(directory)/\(Self.name)" }

    /// Records the address.
    package func note(_ url: String) throws(GatewayError) { try files.write(url + "\n", to: Self.name) }

    /// Removes the record, if there is one.
    package func remove() { try? files.file(Self.name).remove() }

    /// Returns the address of the directory's running gateway, or `nil` if none is recorded.
    ///
    /// The command line sends secrets to this address, so no other user may be able to choose it.
    ///
    /// - Throws: `GatewayError` if another user could have written the address. The text contains the address.
    package func believed() throws(GatewayError) -> String? {
        guard let record = try read() else { return nil }
        guard let address = record.address else {
            throw GatewayError("\(path) does not contain a URL. \(DirectoryOwner.advice)")
        }
        guard let doubt = PathOwnership.doubt(about: directory) ?? record.status.doubt(about: path) else {
            return address
        }
        throw GatewayError(
            "\(directory) says that its gateway is at \(address), but another user may have written that: \(doubt). "
                + DirectoryOwner.advice)
    }

    /// Returns the recorded address, no matter who wrote it; `nil` if none is recorded. Do not send a secret to it.
    package func noted() -> String? { (try? read())?.address }

    private func read() throws(GatewayError) -> (address: String?, status: FileStatus)? {
        do throws(GatewayError) {
            // The file may have any owner: the error text quotes its contents.
            return try AtomicFile(Self.name, in: Folder(directory, isOwned: false)).read { file throws(SystemError) in
                (Self.url(try file.contents(0..<2_048)), try file.status())
            }
        } catch {
            throw GatewayError("\(error) \(DirectoryOwner.advice)")
        }
    }

    /// Returns the text if it is an HTTP or HTTPS URL. Other text is neither shown nor connected to.
    private static func url(_ bytes: [UInt8]) -> String? {
        let text = String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }), let components = URLComponents(string: text),
            ["http", "https"].contains(components.scheme), components.host?.isEmpty == false
        else { return nil }
        return text
    }
}
