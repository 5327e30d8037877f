import Foundation
package import Functions
import Texts

/// The file storage of functions, in folders below a folder of the data directory. Only the gateway's user can read
/// the files.
package struct FolderFiles: FileStorage {
    private let root: DataFolder
    /// The queue on which threads wait for the disk, so that no other work waits with them.
    private let queue = DispatchQueue(label: "pushgate.files", attributes: .concurrent)

    /// Creates a storage.
    ///
    /// - Parameter name: The name of the folder in the data directory. It is created with the first file.
    package init(_ name: String, in directory: DataDirectory) {
        root = directory.files.folder(name)
    }

    package func write(_ bytes: [UInt8], to name: String, in folder: String) async throws(FileStorageError) {
        let (name, folder) = (try checked(name), try self.folder(folder))
        try await onQueue("write") {
            try folder.make()
            try folder.write(bytes, to: name)
        }
    }

    package func contents(
        of name: String, in folder: String, _ range: Range<Int>
    ) async throws(FileStorageError) -> [UInt8]? {
        let file = try file(name, in: folder)
        return try await onQueue("read") { try file.read { file throws(SystemError) in try file.contents(range) } }
    }

    package func size(of name: String, in folder: String) async throws(FileStorageError) -> Int? {
        let file = try file(name, in: folder)
        return try await onQueue("read") { try file.read { file throws(SystemError) in try file.status().size } }
    }

    package func remove(_ name: String, in folder: String) async throws(FileStorageError) {
        let file = try file(name, in: folder)
        try await onQueue("remove") { try file.remove() }
    }

    package func removeFolder(_ folder: String) async throws(FileStorageError) {
        let name = try checked(folder)
        try await onQueue("remove") { try root.remove(folder: name) }
    }

    package func folders() async throws(FileStorageError) -> [String] {
        try await onQueue("list") { try root.names() }
    }

    package func files(in folder: String) async throws(FileStorageError) -> [StoredFile] {
        let folder = try self.folder(folder)
        return try await onQueue("list") {
            try folder.entries().map { name, status in
                StoredFile(name: name, age: .seconds(max(0, -status.modified.timeIntervalSinceNow)))
            }
        }
    }

    private func file(_ name: String, in folder: String) throws(FileStorageError) -> AtomicFile {
        try self.folder(folder).file(try checked(name))
    }

    private func folder(_ name: String) throws(FileStorageError) -> DataFolder { root.folder(try checked(name)) }

    /// Returns the name if it is safe: it contains no separator, and so cannot lead to another folder.
    private func checked(_ name: String) throws(FileStorageError) -> String {
        guard name.utf8.count <= 128, let first = name.utf8.first, first != UInt8(ascii: "."),
            name.utf8.allSatisfy({ $0.isASCIILetterOrDigit || "._-".utf8.contains($0) })
        else { throw FileStorageError("a file name has a form that the gateway never uses") }
        return name
    }

    private func onQueue<Result: Sendable>(
        _ operation: String, _ work: @escaping @Sendable () throws -> Result
    ) async throws(FileStorageError) -> Result {
        let result = await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: Swift.Result { try work() }) }
        }
        do {
            return try result.get()
        } catch {
            throw FileStorageError(cannot: operation, error)
        }
    }
}

extension FileStorageError {
    /// Describes the error without the path, because it goes into the log and the name of a folder can be a secret,
    /// such as that of a link.
    fileprivate init(cannot operation: String, _ error: any Error) {
        guard let cause = error as? SystemError ?? (error as? GatewayError)?.cause else {
            self.init("cannot \(operation) a file")
            return
        }
        self.init("cannot \(operation) a file: \(cause).\(cause.advice)")
    }
}
