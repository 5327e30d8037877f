import Cryptography
import DurableFiles
import Foundation

/// The data directories on which this user's gateways run, for verbs that name no gateway. Each has a file in a folder
/// of this user.
///
/// A record is a hint: it stays after a crash. A reader must see if a gateway runs on the directory, and which.
package struct GatewayRecords: Sendable {
    private static let nameLength = 32

    private let folder: String

    /// Finds the folder in `XDG_STATE_HOME`, otherwise in `~/.local/state`. Returns `nil` if this user has neither, as
    /// a process of root with the home of another user.
    package init?(environment: [String: String]) {
        func own(_ variable: String) -> String? {
            guard let path = environment[variable], path.hasPrefix("/") else { return nil }
            let owner = FileStatus(following: path)?.owner
            return owner == nil || owner == geteuid() ? path : nil
        }
        guard let state = own("XDG_STATE_HOME") ?? own("HOME").map({ "\($0)/.local/state" }) else { return nil }
        folder = "\(state)/pushgate/gateways"
    }

    private var files: DataFolder { DataFolder(Folder(folder)) }

    private func file(of directory: String) -> AtomicFile {
        files.file(String(SHA256.hexadecimal(of: directory).prefix(Self.nameLength)))
    }

    /// Records that a gateway runs on a directory, and forgets directories that are gone.
    ///
    /// - Parameter directory: The whole path.
    package func note(_ directory: String) throws(GatewayError) {
        // The home of a service's user is its data directory, which has the gateway's own files alone.
        guard !folder.hasPrefix(directory + "/") else { return }
        do {
            try DirectoryEntries.makeFolders(folder, mode: 0o700)
        } catch {
            throw GatewayError("cannot create \(folder): \(error)")
        }
        for gone in all where FileStatus(following: gone) == nil { remove(gone) }
        try file(of: directory).replace(with: Array((directory + "\n").utf8), access: .own)
    }

    /// Forgets a directory.
    package func remove(_ directory: String) { try? file(of: directory).remove() }

    /// The recorded directories, in order; none if another user may have written the records.
    package var directories: [String] { PathOwnership.doubt(about: folder) == nil ? all : [] }

    private var all: [String] {
        let names = ((try? files.names()) ?? []).filter { $0.utf8.count == Self.nameLength }
        return names.compactMap { try? files.text(of: $0) }.filter { $0.hasPrefix("/") }.sorted()
    }
}
