/// The types of values that a database accepts besides those of ``Value``'s cases. Vectors are always accepted.
package enum ValueTypes: Sendable {
    /// No others, as Firestore's standard edition. All names of the form `__x__` are reserved.
    case standard
    /// BSON's types, which Firestore's enterprise edition has.
    case bson
    /// The same, and references with ids that only earlier versions accepted, as documents of a store may have them.
    case stored
}

extension Fields {
    /// Checks names, values, nesting and the size of each value. ``StorageSize`` checks the size of the whole
    /// document.
    ///
    /// - Parameter types: the types to accept. The store accepts BSON's, and each API accepts what its database may
    ///   have.
    /// - Throws: `INVALID_ARGUMENT`, with Firestore's text.
    package func validate(allowing types: ValueTypes = .bson) throws(StoreError) {
        for (name, value) in self {
            try FieldPath.validate(name: name)
            try value.validate(depth: 0, allowing: types)
            try value.validateSize(of: name)
        }
    }
}

extension Value {
    /// Checks the value and those inside it.
    ///
    /// - Parameters:
    ///   - depth: the number of maps and arrays around the value.
    ///   - types: the types to accept.
    /// - Throws: `INVALID_ARGUMENT`, with Firestore's text.
    package func validate(depth: Int = 0, allowing types: ValueTypes = .bson) throws(StoreError) {
        switch self {
        case .array(let elements):
            try Self.enter(depth)
            for element in elements {
                try element.validateAsElement()
                try element.validate(depth: depth + 1, allowing: types)
            }
        case .map(let fields):
            if fields.keys.contains(where: FieldPath.isReserved) {
                return try TaggedMap.validate(fields, allowing: types)
            }
            try Self.enter(depth)
            for (name, value) in fields {
                try FieldPath.validate(name: name)
                try value.validate(depth: depth + 1, allowing: types)
            }
        case .geoPoint(let latitude, let longitude):
            try Self.validate(latitude, "latitude", limit: 90)
            try Self.validate(longitude, "longitude", limit: 180)
        case .reference(let name): try ReferenceName.validate(name, isStored: types == .stored)
        default: break
        }
    }

    private static func enter(_ depth: Int) throws(StoreError) {
        guard depth < Limits.depth else { throw .invalid("maps and arrays nest at most \(Limits.depth) deep") }
    }

    private func validateAsElement() throws(StoreError) {
        switch self {
        case .array: throw .invalid("Cannot convert an array value in an array value.")
        case .map(let fields) where fields.count <= 2 && TaggedMap.isVector(fields):
            throw .invalid("Cannot convert a vector value in an array value.")
        default: break
        }
    }

    private static func validate(_ angle: Double, _ name: String, limit: Double) throws(StoreError) {
        guard abs(angle) <= limit else {
            let text = angle.isNaN ? "NaN" : (angle.isInfinite ? (angle < 0 ? "-Infinity" : "Infinity") : "\(angle)")
            throw .invalid("Geo point \(name) '\(text)' outside permitted range -\(limit) to \(limit).")
        }
    }

    fileprivate func validateSize(of field: String) throws(StoreError) {
        let size =
            switch self {
            case .string(let text): text.utf8.count
            case .bytes(let bytes): bytes.count
            // The limit of the document is the only one of arrays and maps.
            default: 0
            }
        guard size <= Limits.valueSize else {
            throw .invalid("The value of property \"\(field)\" is longer than \(Limits.valueSize) bytes.")
        }
    }
}

extension StoreError {
    /// The error for a message of a value that has none of the types.
    package static var valueWithoutType: StoreError {
        .invalid("Cannot convert firestore.v1.Value with type unset.")
    }
}

extension TaggedMap {
    /// Checks a map that has a reserved field name.
    fileprivate static func validate(_ fields: Fields, allowing types: ValueTypes) throws(StoreError) {
        if isVector(fields) { return try validateVector(fields) }
        guard types != .standard, fields.count == 1, let (name, value) = fields.first(where: { _ in true }),
            let tag = Tag(rawValue: name)
        else {
            throw FieldPath.reserved(fields.keys.filter(FieldPath.isReserved).min() ?? "")
        }
        guard let tagged = TaggedMap(tag, value) else { throw .invalid("Invalid value of \(name)") }
        if case .regex(_, let options) = tagged, !options.utf8.allSatisfy({ regexOptions.contains($0) }) {
            throw .invalid("Invalid regex option")
        }
    }

    private static let regexOptions = Array("imsux".utf8)

    private static func validateVector(_ fields: Fields) throws(StoreError) {
        guard let value = fields[elementsName] else { throw .invalid("Vector map is missing key 'value'.") }
        guard fields.count == 2 else { throw .invalid("Vector Value map has extraneous entries.") }
        guard case .array(let elements) = value else { throw .invalid("Vector Value type must be an array.") }
        guard !elements.isEmpty else { throw .invalid("Cannot have a zero length vector.") }
        guard elements.count <= Limits.vectorDimensions else {
            throw .invalid("Vectors must be at most \(Limits.vectorDimensions) dimensions.")
        }
        for element in elements {
            guard case .double(let number) = element else {
                throw .invalid("Vector must only contain values of type 'double'")
            }
            guard !number.isNaN else { throw .invalid("Vector cannot contain NaN values.") }
        }
    }
}

/// A check that the text of a reference is a document's full name, of any project and database.
private enum ReferenceName {
    /// The fixed segments of a name, between which the ids stand.
    private static let words = ["projects", "databases", "documents"]

    /// Checks a name.
    ///
    /// - Throws: `INVALID_ARGUMENT`, with the place of the first mistake in UTF-8 bytes.
    static func validate(_ name: String, isStored: Bool) throws(StoreError) {
        let parts = name.utf8.split(separator: PathText.separator, maxSplits: 5, omittingEmptySubsequences: false)
        var index = 0
        for (place, part) in parts.prefix(5).enumerated() {
            if place % 2 == 0 {
                let word = words[place / 2]
                guard part.elementsEqual(word.utf8) else { throw invalid(name, "lacks \"\(word)\"", at: index) }
            } else if part.isEmpty {
                throw invalid(name, "lacks a \(place == 1 ? "project" : "database") id", at: index)
            }
            index += part.count + 1
        }
        guard parts.count == 6 else { throw invalid(name, "lacks \"/\"", at: name.utf8.count) }
        var count = 0
        for id in parts[5].split(separator: PathText.separator, omittingEmptySubsequences: false) {
            guard !id.isEmpty else { throw invalid(name, "lacks a resource id", at: index) }
            index += id.count + 1
            count += 1
        }
        guard count % 2 == 0 else { throw invalid(name, "lacks \"/\"", at: name.utf8.count) }
        let path = String(Substring(parts[5]))
        _ = try isStored ? DocumentPath(stored: path) : DocumentPath(path)
    }

    private static func invalid(_ name: String, _ reason: String, at index: Int) -> StoreError {
        .invalid("Resource name \"\(PathText.brief(name))\" \(reason) at index \(index).")
    }
}

extension Fields {
    /// The fields with each decimal number of BSON in its canonical form; `nil` if they have this form already.
    var otherForm: Fields? { contains { $0.value.hasOtherForm } ? mapValues(\.canonical) : nil }
}

extension Value {
    /// The value with each decimal number of BSON in its canonical form.
    var canonical: Value {
        guard hasOtherForm else { return self }
        switch self {
        case .array(let elements): return .array(elements.map(\.canonical))
        case .map(let fields):
            guard let text = fields.decimalText else { return .map(fields.mapValues(\.canonical)) }
            return .map([TaggedMap.Tag.decimal.rawValue: .string(DecimalText.canonical(text))])
        default: return self
        }
    }

    /// `true` if ``canonical`` differs from the value.
    fileprivate var hasOtherForm: Bool {
        switch self {
        case .array(let elements): elements.contains(where: \.hasOtherForm)
        case .map(let fields):
            fields.decimalText.map { DecimalText.canonical($0) != $0 } ?? fields.contains { $0.value.hasOtherForm }
        default: false
        }
    }
}

extension Fields {
    /// The text of a decimal number of BSON; `nil` if these are the fields of another map.
    fileprivate var decimalText: String? { count == 1 ? self[TaggedMap.Tag.decimal.rawValue]?.string : nil }
}
