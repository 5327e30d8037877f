import Foundation

/// A lock file that a process holds while it changes the files beside it. The file exists only during that time. Only
/// its creator can open it, because any user who can open it could keep it locked.
package struct FileLock: Sendable {
    private let folder: Folder
    private let name: String
    private let bound: Duration
    private static let pause: useconds_t = 20_000

    private var path: String { "\(folder.path)/\(name)" }

    init(_ name: String, in folder: Folder, atMost bound: Duration = .seconds(10)) {
        self.name = name
        self.folder = folder
        self.bound = bound
    }

    /// Creates a lock for a file that the operator names: `.NAME.lock` beside it.
    ///
    /// - Parameter bound: The maximum time to wait for other processes.
    package init(for file: AtomicFile, atMost bound: Duration = .seconds(10)) {
        self.init(".\(file.name).lock", in: file.folder, atMost: bound)
    }

    /// Runs `body` while no other process, and no other task of this process, runs one under this lock.
    ///
    /// - Throws: The errors of `body`, or an error that names the holder's process if the lock is not free within
    ///   `bound`.
    package func exclusively<Output>(_ body: () throws(GatewayError) -> Output) throws(GatewayError) -> Output {
        let file = try locked()
        defer { remove(file) }
        return try body()
    }

    private func locked() throws(GatewayError) -> OpenFile {
        let end = ContinuousClock.now + bound
        while true {
            do throws(SystemError) {
                if let file = try tryLock() { return file }
            } catch {
                throw GatewayError(cannot: "lock", path, error)
            }
            guard ContinuousClock.now < end else { throw held() }
            usleep(Self.pause)
        }
    }

    /// Returns the locked file; `nil` if another process or task holds the lock.
    private func tryLock() throws(SystemError) -> OpenFile? {
        try folder.open { directory, owners throws(SystemError) in
            guard let file = try open(in: directory, owners), try file.tryLock() else { return nil }
            // The previous holder may have removed the file that was just locked.
            guard let status = try directory.status(of: name), status.isSame(as: try file.status()) else { return nil }
            return file
        }
    }

    /// Opens the lock file; `nil` if it belongs to another user, such as root while root works in another user's
    /// directory.
    private func open(
        in directory: borrowing OpenFile, _ owners: FileOwners?
    ) throws(SystemError) -> OpenFile? {
        do throws(SystemError) {
            return try OpenFile(name, in: directory, O_CREAT | O_RDWR, mode: 0o600, owners: owners)
        } catch {
            guard error.code == EACCES, try directory.status(of: name) != nil else { throw error }
            return nil
        }
    }

    /// Removes the lock file.
    ///
    /// - Parameter file: The lock file, still open and therefore locked, so that no other process can lock it before
    ///   it is removed.
    private func remove(_ file: borrowing OpenFile) {
        try? folder.open { directory, _ throws(SystemError) in _ = unlinkat(directory.descriptor, name, 0) }
    }

    private func held() -> GatewayError {
        let holder = try? folder.open { directory, _ throws(SystemError) in
            try OpenFile(name, in: directory, O_RDONLY).lockHolder()
        }
        let process = holder.map { "process \($0)" } ?? "another process"
        let look = holder.map { "Inspect it with “ps -p \($0)”" } ?? "Find it"
        return GatewayError(
            "\(process) has held \(path) for \(bound.components.seconds) s. \(look), and stop it or try again.")
    }
}
