internal import Foundation

/// A file beside others, which a process holds locked while it changes them, and which is there only that long. It is for
/// the user who made it alone: whoever could open it could hold everybody else up.
public struct FileLock: Sendable {
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

    /// A lock for a file that the operator names: `.NAME.lock` beside it.
    ///
    /// - Parameter bound: how long to wait for others.
    public init(for file: AtomicFile, atMost bound: Duration = .seconds(10)) {
        self.init(".\(file.name).lock", in: file.folder, atMost: bound)
    }

    /// Runs the body while no other process, and no other task of this one, runs one under this lock.
    ///
    /// - Throws: what the body throws; or, when others hold the lock for longer than the bound, an error that names the
    ///   process.
    public func exclusively<Output>(_ body: () throws(GatewayError) -> Output) throws(GatewayError) -> Output {
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

    /// `nil` if somebody else has it.
    private func tryLock() throws(SystemError) -> OpenFile? {
        try folder.open { directory, owners throws(SystemError) in
            guard let file = try open(in: directory, owners), try file.tryLock() else { return nil }
            // The one who had it until now has removed it.
            guard let status = try directory.status(of: name), status.isSame(as: try file.status()) else { return nil }
            return file
        }
    }

    /// `nil` if it is another user's, as root's is while root is at it in another user's directory.
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

    /// - Parameter file: it is still open, and so locked: nobody takes what goes.
    private func remove(_ file: borrowing OpenFile) {
        try? folder.open { directory, _ throws(SystemError) in _ = unlinkat(directory.descriptor, name, 0) }
    }

    private func held() -> GatewayError {
        let holder = try? folder.open { directory, _ throws(SystemError) in
            try OpenFile(name, in: directory, O_RDONLY).lockHolder()
        }
        let process = holder.map { "process \($0)" } ?? "another process"
        let look = holder.map { "Look at it with “ps -p \($0)”" } ?? "Find it"
        return GatewayError(
            "\(process) has had \(path) locked for \(bound.components.seconds) s. \(look), and stop it or try again.")
    }
}
