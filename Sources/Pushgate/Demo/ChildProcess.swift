import Foundation

/// A child process that runs this program with another verb.
final class ChildProcess {
    private let process = Process()
    private let output = Pipe()
    private let name: String

    /// Starts a process.
    ///
    /// - Parameter errors: The file that receives its standard error.
    init(_ arguments: [String], environment: [String: String] = [:], errors: URL) throws {
        name = arguments.first ?? ""
        try Data().write(to: errors)
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment
            .filter { !$0.key.hasPrefix("PUSHGATE_") }
            .merging(environment) { $1 }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = try FileHandle(forWritingTo: errors)
        try process.run()
    }

    deinit { stop() }

    var id: Int32 { process.processIdentifier }

    /// Returns the first line of its output.
    ///
    /// - Throws: ``CommandError`` if the process ends before it prints a line.
    func firstLine() async throws -> String {
        var text: [UInt8] = []
        for await data in outputData {
            text += data
            if let end = text.firstIndex(of: UInt8(ascii: "\n")) {
                return String(decoding: text[..<end], as: UTF8.self)
            }
        }
        throw CommandError("“pushgate \(name)” ended before it was ready.")
    }

    private var outputData: AsyncStream<Data> {
        let handle = output.fileHandleForReading
        return AsyncStream { stream in
            handle.readabilityHandler = { handle in
                let data = handle.availableData
                if data.isEmpty { stream.finish() } else { stream.yield(data) }
            }
            stream.onTermination = { _ in handle.readabilityHandler = nil }
        }
    }

    /// Terminates the process and waits for its end.
    func stop() {
        guard process.isRunning else { return }
        process.terminate()
        process.waitUntilExit()
    }
}
