import Foundation

/// A data directory, or a folder below it, with the files that a gateway keeps there.
///
/// New files and folders belong to the directory's owner, and only that user can read them. No link is followed.
package struct DataFolder: Sendable {
    private let directory: Folder
    /// The names of the folder and of those above it, the outermost first; none for the directory itself.
    private let components: [String]

    /// Refers to a data directory itself.
    init(_ directory: Folder) { self.init(directory, []) }

    private init(_ directory: Folder, _ components: [String]) {
        self.directory = directory
        self.components = components
    }

    private var place: Folder { components.reduce(directory) { $0.folder($1) } }

    /// The folder's path.
    package var path: String { place.path }

    /// Refers to a folder in this one.
    package func folder(_ name: String) -> DataFolder { DataFolder(directory, components + [name]) }

    /// Refers to a file in this folder.
    package func file(_ name: String) -> AtomicFile { AtomicFile(name, in: place) }

    /// The access for new files and folders with a mode.
    func access(mode: mode_t) -> FileAccess { FileAccess(in: directory.base, mode: mode) }

    // MARK: Reading

    /// Returns the names in the folder, in order; none if it does not exist.
    package func names() throws(GatewayError) -> [String] { try names(orCannot: "read") }

    /// Returns the names in the folder, in order; none if it does not exist.
    ///
    /// - Parameter operation: The verb of the error if they cannot be read.
    func names(orCannot operation: String) throws(GatewayError) -> [String] {
        try list(orCannot: operation) { folder throws(SystemError) in try folder.names() }
    }

    /// Returns the entries of the folder, ordered by name; none if it does not exist. An entry that has been removed in
    /// the meantime is skipped.
    func entries() throws(GatewayError) -> [(name: String, status: FileStatus)] {
        try list(orCannot: "list") { folder throws(SystemError) in
            var entries: [(name: String, status: FileStatus)] = []
            for name in try folder.names() {
                if let status = try folder.status(of: name) { entries.append((name, status)) }
            }
            return entries
        }
    }

    private func list<Element>(
        orCannot operation: String, _ body: (borrowing OpenFile) throws(SystemError) -> [Element]
    ) throws(GatewayError) -> [Element] {
        let place = place
        do throws(SystemError) {
            return try place.list(body)
        } catch {
            throw GatewayError(cannot: operation, place.path, error)
        }
    }

    /// Returns a file's text without surrounding white space, or `nil` if the file does not exist.
    func text(of name: String) throws(GatewayError) -> String? {
        let contents = try file(name).contents()
        return contents.map { String(decoding: $0, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines) }
    }

    // MARK: Writing

    /// Creates the folder, and those above it in the data directory, if they do not exist.
    package func make() throws(GatewayError) {
        var parent = directory
        for name in components {
            do throws(SystemError) {
                try parent.make(name, access(mode: 0o700))
            } catch {
                throw GatewayError(cannot: "make", "\(parent.path)/\(name)", error)
            }
            parent = parent.folder(name)
        }
    }

    /// Writes a file, which only the owner can read.
    package func write(_ text: String, to name: String) throws(GatewayError) {
        try write(Array(text.utf8), to: name)
    }

    func write(_ bytes: [UInt8], to name: String, mode: mode_t = 0o600) throws(GatewayError) {
        try file(name).replace(with: bytes, access: access(mode: mode))
    }

    // MARK: Removing

    /// Removes a folder in this one, with all of its contents. It is gone from the disk when this method returns.
    func remove(folder name: String) throws(GatewayError) {
        let place = place
        do throws(SystemError) {
            try place.remove(name)
        } catch {
            throw GatewayError(cannot: "remove", "\(place.path)/\(name)", error)
        }
    }
}
