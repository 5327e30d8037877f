import Foundation

/// The record of the name of the gateway among those that share a database. After a crash, the next start takes its
/// work up at once with the same name. After a crash of the machine it has another one, and the work is taken over like
/// that of any gateway that is gone.
package struct MemberRecord: Sendable {
    static let fileName = "member"

    private let files: DataFolder
    private let lock: DirectoryLock

    /// Refers to the record in a directory with a lock, whose file tells the directory from its copies.
    init(in files: DataFolder, beside lock: DirectoryLock) {
        self.files = files
        self.lock = lock
    }

    /// The name that the last gateway of the directory had; `nil` if there was none, or if the directory is a copy of
    /// that gateway's: two gateways must not have one name.
    package var name: String? {
        get throws(GatewayError) {
            let words = try files.text(of: Self.fileName)?.split(separator: " ") ?? []
            return words.count == 2 && words[1] == identity ? String(words[0]) : nil
        }
    }

    /// Records the name of the gateway.
    package func note(_ name: String) throws(GatewayError) {
        try files.write("\(name) \(identity)\n", to: Self.fileName)
    }

    /// The number of the lock's file, and that of the running kernel, which a copy of the whole disk does not have.
    private var identity: String {
        let kernel = try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)
        return "\(lock.fileNumber)/\(kernel?.trimmingCharacters(in: .whitespacesAndNewlines) ?? "")"
    }
}
