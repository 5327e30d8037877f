import Foundation
import Functions
import JSON
import Testing

extension FunctionResponse {
    /// Returns the body as an app's synthesized `Codable` reads it: every member that is not optional must be present
    /// and have its type.
    ///
    /// A null anywhere records an issue, because no client of these systems expects one.
    func decoded<Model: Decodable>(
        as model: Model.Type = Model.self, sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> Model {
        #expect(!body.holdsNull, "\(body)", sourceLocation: sourceLocation)
        return try JSONDecoder().decode(model, from: Data(body.serialized))
    }
}

extension JSONValue {
    /// `true` if the value is null or contains a null.
    var holdsNull: Bool {
        switch self {
        case .null: true
        case .array(let elements): elements.contains(where: \.holdsNull)
        case .object(let object): object.members.contains { $0.value.holdsNull }
        default: false
        }
    }
}
