import DocumentStore
package import Functions
package import PostgreSQLStore

/// The file storage of functions in the database that several gateways share.
package struct DatabaseFiles: FileStorage {
    private let name: String
    private let engine: PostgreSQLEngine

    /// Creates a storage.
    ///
    /// - Parameter name: The name that the storage's folder has in a data directory.
    package init(_ name: String, in engine: PostgreSQLEngine) {
        self.name = name
        self.engine = engine
    }

    package func write(_ bytes: [UInt8], to name: String, in folder: String) async throws(FileStorageError) {
        try await reporting("write") { () async throws(StoreError) in
            try await engine.write(bytes, to: file(name, in: folder))
        }
    }

    package func contents(
        of name: String, in folder: String, _ range: Range<Int>
    ) async throws(FileStorageError) -> [UInt8]? {
        try await reporting("read") { () async throws(StoreError) in
            try await engine.contents(of: file(name, in: folder), range)
        }
    }

    package func size(of name: String, in folder: String) async throws(FileStorageError) -> Int? {
        try await reporting("read") { () async throws(StoreError) in
            try await engine.size(of: file(name, in: folder))
        }
    }

    package func remove(_ name: String, in folder: String) async throws(FileStorageError) {
        try await reporting("remove") { () async throws(StoreError) in
            try await engine.remove(file(name, in: folder))
        }
    }

    package func removeFolder(_ folder: String) async throws(FileStorageError) {
        try await reporting("remove") { () async throws(StoreError) in
            try await engine.removeFolder(folder, of: name)
        }
    }

    package func folders() async throws(FileStorageError) -> [String] {
        try await reporting("list") { () async throws(StoreError) in try await engine.folders(of: name) }
    }

    package func files(in folder: String) async throws(FileStorageError) -> [StoredFile] {
        try await reporting("list") { () async throws(StoreError) in
            try await engine.files(in: folder, of: name).map { StoredFile(name: $0.name, age: $0.age) }
        }
    }

    private func file(_ name: String, in folder: String) -> ServerFile {
        ServerFile(storage: self.name, folder: folder, name: name)
    }

    /// Describes an error without the path, because the name of a folder can be a secret, such as that of a link.
    private func reporting<Output>(
        _ operation: String, _ body: () async throws(StoreError) -> Output
    ) async throws(FileStorageError) -> Output {
        do throws(StoreError) {
            return try await body()
        } catch {
            throw FileStorageError(
                "cannot \(operation) a file: \(error.explanation)", isOutOfRoom: error.code == .resourceExhausted)
        }
    }
}
