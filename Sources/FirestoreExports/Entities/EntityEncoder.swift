import FirestoreProtos
import SwiftProtobuf
import Texts

/// The translation of a database's documents into entities, as the emulator writes them.
struct EntityEncoder: Sendable {
    let database: DatabaseName

    /// Makes the entity of a document, which must be one of ``database``.
    func entity(_ document: Google_Firestore_V1_Document) throws(EntityError) -> EntityProto {
        guard let name = DocumentName(document.name), name.database == database else {
            throw EntityError("is not the name of a document below \(database.prefix)")
        }
        var entity = try self.entity(document.fields, depth: 0)
        entity.key.app = database.app
        if let id = database.databaseID { entity.key.databaseID = id }
        entity.key.path.element = name.path.map(Path.Element.init)
        entity.entityGroup.element = Array(entity.key.path.element.prefix(1))
        return entity
    }

    /// Makes the entity of a map, which has an empty key.
    func entity(_ fields: [ExactText: Google_Firestore_V1_Value], depth: Int) throws(EntityError) -> EntityProto {
        guard depth <= EntityProto.depthLimit else { throw .tooDeep }
        var entity = EntityProto()
        entity.key.app = ""
        entity.key.path = Path()
        entity.entityGroup = Path()
        // The order of a dictionary is random; that of the file should not be.
        for (name, value) in fields.sorted(by: { $0.key < $1.key }) {
            do throws(EntityError) {
                try append(value, named: name.text, to: &entity, depth: depth)
            } catch {
                throw error.inField(name.text)
            }
        }
        return entity
    }
}
