import Foundation

/// Creates a directory for the body and removes it afterwards.
package func withTemporaryDirectory<Output>(_ body: (String) async throws -> Output) async throws -> Output {
    let directory = FileManager.default.temporaryDirectory.appending(path: "pushgate-test-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: directory) }
    return try await body(directory)
}

/// Gives the body a path for a gateway's data, where nothing exists yet, and removes the data afterwards.
package func withDataDirectory<Output>(_ body: (String) async throws -> Output) async throws -> Output {
    try await withTemporaryDirectory { try await body($0 + "/data") }
}
