import DocumentStore
import SwiftProtobuf

/// The methods of whole databases.
extension FirestoreREST {
    /// Returns the databases that have documents and to which the caller has access, in the order of their names.
    func listDatabases(of project: String, _ call: RESTCall) async throws(FirestoreStatus) -> RESTAnswer {
        // The dash is an id, too.
        let wanted = try ResourceName("projects/\(project)/databases/(default)", of: .database).database
        var names: [String] = []
        for database in try await databases()
        where project == "-" || database.project.hasSameBytes(as: wanted.project) {
            guard (try? call.caller.access(to: database)) != nil else { continue }
            names.append(database.description)
        }
        var answer = Google_Protobuf_Struct()
        answer.fields["databases"] = Google_Protobuf_Value(
            listValue: Google_Protobuf_ListValue(values: names.sorted().map(Self.listed)))
        return try RESTAnswer(message: answer)
    }

    /// Removes all documents of a database. The caller needs full access to it.
    func clear(_ name: String, _ call: RESTCall) async throws(FirestoreStatus) -> RESTAnswer {
        try RESTAnswer(message: try await service.clearData(Google_Protobuf_StringValue(name), as: call.caller))
    }

    private func databases() async throws(FirestoreStatus) -> [DatabaseID] {
        do {
            return try await service.engine.databases()
        } catch {
            throw FirestoreStatus(error)
        }
    }

    private static func listed(_ name: String) -> Google_Protobuf_Value {
        var database = Google_Protobuf_Struct()
        database.fields["name"] = Google_Protobuf_Value(stringValue: name)
        return Google_Protobuf_Value(structValue: database)
    }
}
