import FirestoreProtos
import SwiftProtobuf
import Texts

/// The fields of a document or a map, of which an entity has a property for each element of an array.
struct FieldCollection {
    private var fields: [ExactText: Google_Firestore_V1_Value]
    private var lists: [ExactText: List] = [:]

    /// The elements of an array or of a vector.
    private struct List {
        var elements: [Google_Firestore_V1_Value] = []
        var isVector = false

        mutating func add(_ element: Google_Firestore_V1_Value, isVector: Bool) throws(EntityError) {
            guard isVector == self.isVector else { throw EntityError("is partly a vector, partly an array") }
            elements.append(element)
        }

        var value: Google_Firestore_V1_Value {
            isVector ? Google_Firestore_V1_Value(vector: elements) : .with { $0.arrayValue.values = elements }
        }
    }

    init(capacity: Int) { fields = Dictionary(minimumCapacity: capacity) }

    /// Adds a field, or an element of one.
    mutating func add(_ property: Property, _ value: Google_Firestore_V1_Value) throws(EntityError) {
        guard property.multiple else {
            guard fields.updateValue(value, forKey: ExactText(property.name)) == nil else { throw Self.repeated }
            return
        }
        let isVector = property.meaning == Meaning.vector.rawValue
        try lists[ExactText(property.name), default: List(isVector: isVector)].add(value, isVector: isVector)
    }

    /// Returns the fields, once all properties are added.
    consuming func finished() throws(EntityError) -> [ExactText: Google_Firestore_V1_Value] {
        for (name, list) in lists {
            guard fields.updateValue(list.value, forKey: name) == nil else { throw Self.repeated.inField(name.text) }
        }
        return fields
    }

    private static var repeated: EntityError { EntityError("is there twice") }
}
