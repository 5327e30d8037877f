import Foundation

/// The lock of the gateway that uses a data directory. Its file stays when the gateway ends; the lock does not.
package struct DirectoryLock: Sendable {
    static let name = "lock"

    private let folder: Folder

    init(in folder: Folder) { self.folder = folder }

    private var path: String { "\(folder.path)/\(Self.name)" }

    /// Takes the lock for the lifetime of this process, so that no second gateway can use the directory.
    package func take() throws(GatewayError) {
        let access = FileAccess(in: folder.path, mode: 0o600)
        let isTaken: Bool
        do throws(SystemError) {
            isTaken = try folder.open { directory, owners throws(SystemError) in
                let file = try OpenFile(Self.name, in: directory, O_CREAT | O_RDWR, mode: 0o600, owners: owners)
                guard try file.tryLock() else { return false }
                if access.owner != nil { try file.set(access) }
                file.keepOpen()
                return true
            }
        } catch {
            throw GatewayError(cannot: "lock", path, error)
        }
        guard isTaken else {
            throw GatewayError(
                "another gateway is using \(folder.path). Stop it, or give this one a data.directory of its own.")
        }
    }

    /// `true` if a gateway runs on the directory.
    package var isTaken: Bool {
        (try? folder.open { directory, owners throws(SystemError) in
            let file = try OpenFile(Self.name, in: directory, O_RDWR, owners: owners)
            return try !file.tryLock()
        }) ?? false
    }

    /// The number of the lock's file, which a copy of the directory does not have; 0 if there is no file.
    var fileNumber: Int {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        return (attributes?[.systemFileNumber] as? Int) ?? 0
    }
}
