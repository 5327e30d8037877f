import DocumentStore
import Testing

/// Expects that the operation fails with the code, and returns the error.
@discardableResult
func expectError<Success>(
    _ code: StoreError.Code, _ location: SourceLocation = #_sourceLocation,
    _ operation: () async throws -> Success
) async -> StoreError? {
    do {
        _ = try await operation()
        Issue.record("expected \(code.rawValue), but the operation succeeded", sourceLocation: location)
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

    /// Returns the ids of the matching documents, in order.
    func ids(_ query: Query) async throws -> [String] {
        try await documents(matching: query).map(\.path.id)
    }

    func set(_ path: String, _ fields: Fields = [:]) async throws {
        _ = try await commit([.set(DocumentPath(path), fields)])
    }
}

extension Value {
    /// Returns arrays and maps in turn, nested to this depth around one value.
    static func nested(_ depth: Int) -> Value {
        (0..<depth).reduce(.integer(1)) { value, level in level % 2 == 0 ? .array([value]) : .map(["m": value]) }
    }
}
