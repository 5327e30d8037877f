import Foundation

/// The resources of the process, as Linux counts them in `/proc`; `nil` on other systems.
extension ChildProcess {
    /// The resident memory in bytes.
    package var residentBytes: Int? {
        let line = Self.contents(of: "/proc/\(id)/status").split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        return line?.split(separator: " ").dropFirst().first.flatMap { Int($0) }.map { $0 * 1024 }
    }

    /// The processor time of all threads, in user mode and in the kernel.
    package var processorTime: Duration? {
        // The program's name is in parentheses and may contain any character; the 14th and 15th fields follow it.
        let fields = Self.contents(of: "/proc/\(id)/stat").split(separator: ")").last?.split(separator: " ") ?? []
        guard fields.count > 12, let user = Int(fields[11]), let kernel = Int(fields[12]) else { return nil }
        return .seconds(user + kernel) / sysconf(Int32(_SC_CLK_TCK))
    }

    /// The number of open descriptors.
    package var openDescriptors: Int? {
        try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(id)/fd").count
    }

    private static func contents(of path: String) -> String {
        String(decoding: FileManager.default.contents(atPath: path) ?? Data(), as: UTF8.self)
    }
}
