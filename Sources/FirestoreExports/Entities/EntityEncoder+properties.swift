import FirestoreProtos
import SwiftProtobuf
import Texts

extension EntityEncoder {
    /// Appends the properties of a field: one for each element of an array or vector, otherwise one.
    func append(
        _ value: Google_Firestore_V1_Value, named name: String, to entity: inout EntityProto, depth: Int
    ) throws(EntityError) {
        if case .arrayValue(let array) = value.valueType {
            try append(array.values, named: name, to: &entity, depth: depth)
        } else if let vector = value.vector {
            append(vector, named: name, to: &entity)
        } else {
            entity.rawProperty.append(try property(value, named: name, depth: depth))
        }
    }

    private func append(
        _ elements: [Google_Firestore_V1_Value], named name: String, to entity: inout EntityProto, depth: Int
    ) throws(EntityError) {
        guard !elements.isEmpty else {
            entity.property.append(Property(name, .emptyArray))
            return
        }
        for element in elements {
            if case .arrayValue = element.valueType { throw EntityError("has an array directly in an array") }
            if element.vector != nil { throw EntityError("has a vector directly in an array") }
            var property = try property(element, named: name, depth: depth)
            property.multiple = true
            entity.rawProperty.append(property)
        }
    }

    private func append(_ vector: [Double], named name: String, to entity: inout EntityProto) {
        if vector.isEmpty { entity.rawProperty.append(Property(name, .vector)) }
        for number in vector {
            var property = Property(name, .vector)
            property.multiple = true
            property.value.doubleValue = number
            entity.rawProperty.append(property)
        }
    }
}

extension Property {
    /// Makes a property without a value, which is null. The emulator requires all of these fields.
    init(_ name: String, _ meaning: Meaning = .none) {
        self.init()
        if meaning != .none { self.meaning = meaning.rawValue }
        self.name = name
        multiple = false
        value = PropertyValue()
    }
}

extension Google_Firestore_V1_Value {
    /// The elements of a vector; `nil` if this is another type, an array included.
    var vector: [Double]? {
        guard case .mapValue(let map) = valueType, map.fields.count == 2,
            case .stringValue("__vector__") = map.fields["__type__"]?.valueType,
            case .arrayValue(let array) = map.fields["value"]?.valueType
        else { return nil }
        var numbers: [Double] = []
        for element in array.values {
            guard case .doubleValue(let number) = element.valueType else { return nil }
            numbers.append(number)
        }
        return numbers
    }

    /// Makes the map that is a vector.
    init(vector elements: [Google_Firestore_V1_Value]) {
        self.init()
        mapValue.fields = [
            "__type__": .with { $0.stringValue = "__vector__" }, "value": .with { $0.arrayValue.values = elements },
        ]
    }
}
