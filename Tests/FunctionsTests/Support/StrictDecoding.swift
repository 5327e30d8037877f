import Foundation
import Functions
import JSON
import Testing

extension FunctionResponse {
    /// The body as an app's synthesised `Codable` reads it: every member that is not optional must be there, and of its type.
    ///
    /// A null anywhere is an issue: no client of these systems expects one.
    func decoded<Model: Decodable>(
        as model: Model.Type = Model.self, sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> Model {
        #expect(!body.holdsNull, "\(body)", sourceLocation: sourceLocation)
        return try JSONDecoder().decode(model, from: Data(body.serialized))
    }
}

extension JSONValue {
    /// A Boolean value indicating whether it is null, or has a null in it.
    var holdsNull: Bool {
        switch self {
        case .null: true
        case .array(let elements): elements.contains(where: \.holdsNull)
        case .object(let object): object.members.contains { $0.value.holdsNull }
        default: false
        }
    }
}
