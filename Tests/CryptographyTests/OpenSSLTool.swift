import Foundation

/// The `openssl` command, used as a second opinion that shares no code with the product.
struct OpenSSLTool {
    static let path = ["/usr/bin/openssl", "/usr/local/bin/openssl", "/opt/homebrew/bin/openssl"]
        .first { FileManager.default.isExecutableFile(atPath: $0) }
    static var isPresent: Bool { path != nil }

    struct Failure: Error { let output: String }

    /// Runs `openssl` in a folder of its own that contains `files`, and returns its output.
    static func run(_ arguments: String..., files: [String: String] = [:]) throws -> String {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        for (name, text) in files {
            try Data(text.utf8).write(to: folder.appending(path: name))
        }
        return try run(arguments, in: folder)
    }

    private static func run(_ arguments: [String], in folder: URL) throws -> String {
        let output = Pipe()
        let process = Process()
        process.executableURL = URL(filePath: path ?? "openssl")
        process.arguments = arguments
        process.currentDirectoryURL = folder
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failure(output: text) }
        return text
    }
}
