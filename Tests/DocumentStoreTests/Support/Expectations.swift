import DocumentStore
import Testing

/// Expects the operation to fail with the code, and gives back the error.
@discardableResult
func expectError<Success>(
    _ code: StoreError.Code, _ location: SourceLocation = #_sourceLocation,
    _ operation: () async throws -> Success
) async -> StoreError? {
    do {
        _ = try await operation()
        Issue.record("expected \(code.rawValue), and it succeeded", sourceLocation: location)
        return nil
    } catch let error as StoreError {
        #expect(error.code == code, "\(error)", sourceLocation: location)
        return error
    } catch {
        Issue.record("expected a StoreError, not \(error)", sourceLocation: location)
        return nil
    }
}

extension DocumentStore {
    func fields(_ path: String) async throws -> Fields? {
        try await document(at: DocumentPath(path))?.fields
    }

    /// The ids of what matches, in order.
    func ids(_ query: Query) async throws -> [String] {
        try await documents(matching: query).map(\.path.id)
    }

    func set(_ path: String, _ fields: Fields = [:]) async throws {
        _ = try await commit([.set(DocumentPath(path), fields)])
    }
}

extension Value {
    /// The array, or map, around another that many times over, maps and arrays in turn.
    static func nested(_ depth: Int) -> Value {
        (0..<depth).reduce(.integer(1)) { value, level in level % 2 == 0 ? .array([value]) : .map(["m": value]) }
    }
}
