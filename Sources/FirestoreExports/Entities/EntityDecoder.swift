import FirestoreProtos
import SwiftProtobuf
import Texts

/// The translation of entities into the documents of another database.
struct EntityDecoder: Sendable {
    /// The database that the documents are for.
    let target: DatabaseName
    /// The database that the entity is from. Its references become references to the target.
    let origin: DatabaseName

    /// Translates an entity.
    static func document(
        _ entity: EntityProto, in target: DatabaseName
    ) throws(EntityError) -> Google_Firestore_V1_Document {
        let key = entity.key
        guard key.nameSpace.isEmpty else {
            throw EntityError("is an entity of the namespace “\(key.nameSpace)”, which only Datastore has")
        }
        let decoder = EntityDecoder(
            target: target, origin: DatabaseName(app: key.app, databaseID: key.databaseID))
        var document = Google_Firestore_V1_Document()
        document.name = try DocumentName(target, key.path.element.map(KeyElement.init)).text()
        document.fields = try decoder.fields(entity, depth: 0)
        return document
    }

    /// Translates the properties of an entity.
    func fields(_ entity: EntityProto, depth: Int) throws(EntityError) -> [ExactText: Google_Firestore_V1_Value] {
        guard depth <= EntityProto.depthLimit else { throw .tooDeep }
        var fields = FieldCollection(capacity: entity.property.count + entity.rawProperty.count)
        for properties in [entity.property, entity.rawProperty] {
            for property in properties {
                do throws(EntityError) {
                    try fields.add(property, try value(property, depth: depth))
                } catch {
                    throw error.inField(property.name)
                }
            }
        }
        return try fields.finished()
    }

    /// Translates a reference to the name of a document: of the target for the origin's documents, otherwise of the
    /// database that it names.
    func reference(_ reference: PropertyValue.ReferenceValue) throws(EntityError) -> String {
        guard reference.nameSpace.isEmpty else {
            throw EntityError("is a reference into the namespace “\(reference.nameSpace)”, which only Datastore has")
        }
        let named = DatabaseName(app: reference.app, databaseID: reference.databaseID)
        let isOwn = named == origin || reference.app.isEmpty
        return try DocumentName(isOwn ? target : named, reference.pathElement.map(KeyElement.init)).text()
    }
}
