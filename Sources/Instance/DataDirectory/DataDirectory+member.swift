import Foundation

/// The name of the gateway among those that share a database. After a crash, the next start takes its work up at once
/// with the same name. After a crash of the machine it has another one, and the work is taken over like that of any
/// gateway that is gone.
extension DataDirectory {
    private static let memberFile = "member"

    /// The name that the last gateway of this directory had; `nil` if there was none, or if the directory is a copy of
    /// that gateway's: two gateways must not have one name.
    package var memberName: String? {
        get throws(GatewayError) {
            let words = try text(of: Self.memberFile)?.split(separator: " ") ?? []
            return words.count == 2 && words[1] == identity ? String(words[0]) : nil
        }
    }

    /// Records the name of the gateway.
    package func noteMember(_ name: String) throws(GatewayError) {
        try write("\(name) \(identity)\n", to: Self.memberFile)
    }

    /// The number of the lock's file, which a copy of the directory does not have, and that of the running kernel,
    /// which a copy of the whole disk does not have.
    private var identity: String {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path + "/lock")
        let kernel = try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)
        let number = (attributes?[.systemFileNumber] as? Int) ?? 0
        return "\(number)/\(kernel?.trimmingCharacters(in: .whitespacesAndNewlines) ?? "")"
    }
}
