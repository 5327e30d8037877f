import DocumentStore
package import Functions

/// The file storage for requests. It refuses to write while the disk is nearly full.
package struct AdmittingFiles: FileStorage {
    let base: any FileStorage
    let space: DiskSpace

    /// Creates a storage that refuses new files while there is no space for them.
    package init(base: any FileStorage, space: DiskSpace) {
        self.base = base
        self.space = space
    }

    package func write(_ bytes: [UInt8], to name: String, in folder: String) async throws(FileStorageError) {
        do {
            try space.admit()
        } catch {
            throw FileStorageError(error.message, isOutOfRoom: true)
        }
        try await base.write(bytes, to: name, in: folder)
    }

    package func contents(
        of name: String, in folder: String, _ range: Range<Int>
    ) async throws(FileStorageError) -> [UInt8]? {
        try await base.contents(of: name, in: folder, range)
    }

    package func size(of name: String, in folder: String) async throws(FileStorageError) -> Int? {
        try await base.size(of: name, in: folder)
    }

    package func remove(_ name: String, in folder: String) async throws(FileStorageError) {
        try await base.remove(name, in: folder)
    }

    package func removeFolder(_ folder: String) async throws(FileStorageError) { try await base.removeFolder(folder) }

    package func folders() async throws(FileStorageError) -> [String] { try await base.folders() }

    package func files(in folder: String) async throws(FileStorageError) -> [StoredFile] {
        try await base.files(in: folder)
    }
}
