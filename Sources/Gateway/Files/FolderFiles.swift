internal import Foundation
internal import Functions

/// Files of functions, in folders below one of the data directory. They are for the gateway's user alone.
struct FolderFiles: FileStorage {
    private let root: String
    private let parent: String
    private let makeDirectory: @Sendable (String) throws(GatewayError) -> Void
    /// Waiting for a disk is done here, and holds up nobody else.
    private let queue = DispatchQueue(label: "pushgate.files", attributes: .concurrent)

    /// - Parameter name: of the folder in the data directory; it is made with the first file.
    init(_ name: String, in directory: DataDirectory) {
        root = directory.path + "/" + name
        parent = directory.path
        makeDirectory = { path throws(GatewayError) in try directory.makeDirectory(path) }
    }

    func write(_ bytes: [UInt8], to name: String, in folder: String) async throws(FileStorageError) {
        let path = try path(folder, name)
        try await onQueue("write") {
            try makeDirectory(root)
            let folder = try self.path(folder)
            try makeDirectory(folder)
            // The folders must survive a crash, as their files do.
            for directory in [parent, root] { try? OpenFile(directory, O_RDONLY | O_DIRECTORY).synchronize() }
            try AtomicFile(path).replace(with: bytes, access: FileAccess(in: folder, mode: 0o600))
        }
    }

    func contents(
        of name: String, in folder: String, _ range: Range<Int>
    ) async throws(FileStorageError) -> [UInt8]? {
        let path = try path(folder, name)
        return try await onQueue("read") {
            try AtomicFile(path).read { file throws(SystemError) in try file.contents(range) }
        }
    }

    func size(of name: String, in folder: String) async throws(FileStorageError) -> Int? {
        let path = try path(folder, name)
        return try await onQueue("read") { try AtomicFile(path).read { file throws(SystemError) in try file.size() } }
    }

    func remove(_ name: String, in folder: String) async throws(FileStorageError) {
        let path = try path(folder, name)
        try await onQueue("remove") {
            guard unlink(path) == 0 || errno == ENOENT else {
                throw GatewayError(cannot: "remove", path, SystemError())
            }
        }
    }

    func removeFolder(_ folder: String) async throws(FileStorageError) {
        let path = try path(folder)
        try await onQueue("remove") {
            if FileManager.default.fileExists(atPath: path) { try FileManager.default.removeItem(atPath: path) }
        }
    }

    func folders() async throws(FileStorageError) -> [String] {
        try await onQueue("list") { try Self.names(in: root) }
    }

    func files(in folder: String) async throws(FileStorageError) -> [StoredFile] {
        let path = try path(folder)
        return try await onQueue("list") {
            try Self.names(in: path).compactMap { name in
                // One that has gone meanwhile is none.
                guard let attributes = try? FileManager.default.attributesOfItem(atPath: "\(path)/\(name)"),
                    let date = attributes[.modificationDate] as? Date
                else { return nil }
                return StoredFile(name: name, age: .seconds(max(0, -date.timeIntervalSinceNow)))
            }
        }
    }

    private static func names(in path: String) throws -> [String] {
        guard FileManager.default.fileExists(atPath: path) else { return [] }
        return try FileManager.default.contentsOfDirectory(atPath: path).sorted()
    }

    /// Whatever a name came from, it leads nowhere else.
    private func path(_ names: String...) throws(FileStorageError) -> String {
        for name in names where name.wholeMatch(of: /[A-Za-z0-9_-][A-Za-z0-9._-]{0,127}/) == nil {
            throw FileStorageError("a file's name has another form than any of ours")
        }
        return ([root] + names).joined(separator: "/")
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
    /// Without the path: a folder's name may be a secret, as that of a link is, and this goes into the log.
    fileprivate init(cannot operation: String, _ error: any Error) {
        if let cause = SystemError(behind: error) {
            self.init("cannot \(operation) a file: \(cause).\(cause.advice)")
        } else {
            let error = error as NSError
            self.init("cannot \(operation) a file: \(error.domain) \(error.code)")
        }
    }
}

extension SystemError {
    fileprivate init?(behind error: any Error) {
        if let cause = (error as? GatewayError)?.cause {
            self = cause
        } else if let cause = (error as NSError).userInfo[NSUnderlyingErrorKey] as? POSIXError {
            self.init(code: cause.code.rawValue)
        } else {
            return nil
        }
    }
}
