package import JSON

/// The fields of a document as a person writes them: in plain JSON, or in Firestore's JSON, whose values have types.
package enum WrittenFields {
    /// The form of a text.
    package enum Form: Sendable {
        /// The form that the text has without doubt.
        case recognized
        /// Plain JSON: `{"name":"x"}`.
        case plain
        /// Firestore's JSON: `{"name":{"stringValue":"x"}}`, alone or as the `fields` of a document.
        case typed
    }

    /// Returns the fields in Firestore's JSON.
    ///
    /// - Throws: ``WrittenFieldsError``, with the place.
    package static func fields(_ text: some Sequence<UInt8>, form: Form = .recognized) throws(WrittenFieldsError)
        -> JSONObject
    {
        let bytes = Array(text)
        let json: JSONValue
        do throws(JSONParsingError) {
            json = try JSONValue(parsingUniqueNames: bytes)
        } catch {
            throw WrittenFieldsError(error, in: bytes)
        }
        guard case .object(let object) = json else {
            throw WrittenFieldsError("the document is not a JSON object, such as {\"name\":\"x\"}")
        }
        switch form {
        case .plain: return try plain(object, at: "", refusesDoubt: false)
        case .typed: return try typed(object)
        case .recognized: return try recognized(object)
        }
    }

    // MARK: The form

    private static func recognized(_ object: JSONObject) throws(WrittenFieldsError) -> JSONObject {
        if isWhole(object) || !object.isEmpty && object.members.allSatisfy({ isTyped($0.value) }) {
            return try typed(object)
        }
        guard !looksWhole(object) || object["fields"]?.object == nil else {
            throw WrittenFieldsError(
                "the document has fields as in Firestore's JSON, and they have no types; leave that member out, or give "
                    + "each of its values a type")
        }
        return try plain(object, at: "", refusesDoubt: true)
    }

    /// Returns `true` for a document with typed fields, as the interface writes one.
    private static func isWhole(_ object: JSONObject) -> Bool {
        guard looksWhole(object) else { return false }
        if let fields = object["fields"] {
            return fields.object?.members.allSatisfy { isTyped($0.value) } ?? false
        }
        // A document without fields is written without that member, and with its times.
        return object["name"]?.string?.hasPrefix("projects/") ?? false && object["updateTime"] != nil
    }

    /// Returns `true` for an object with no other members than the interface's documents have.
    private static func looksWhole(_ object: JSONObject) -> Bool {
        object.members.allSatisfy { ["name", "fields", "createTime", "updateTime"].contains($0.name) }
    }

    /// Returns `true` for an object with one member, whose name is that of a type.
    private static func isTyped(_ value: JSONValue) -> Bool {
        guard let object = value.object, object.count == 1, let member = object.members.first else { return false }
        return ValueKey(rawValue: member.name) != nil
    }

    private static func typed(_ object: JSONObject) throws(WrittenFieldsError) -> JSONObject {
        if isWhole(object) { return object["fields"]?.object ?? [:] }
        let fields = object["fields"]?.object ?? object
        for member in fields.members where !isTyped(member.value) {
            throw WrittenFieldsError(
                "the field \(member.name) has no type: in Firestore's JSON it is an object such as "
                    + "{\"stringValue\":\"x\"}")
        }
        return fields
    }

    // MARK: Plain JSON

    private static func plain(
        _ object: JSONObject, at path: String, refusesDoubt: Bool
    ) throws(WrittenFieldsError) -> JSONObject {
        var fields: JSONObject = [:]
        for member in object.members {
            let path = path.isEmpty ? member.name : "\(path).\(member.name)"
            fields[member.name] = try plain(member.value, at: path, refusesDoubt: refusesDoubt)
        }
        return fields
    }

    private static func plain(
        _ value: JSONValue, at path: String, refusesDoubt: Bool
    ) throws(WrittenFieldsError) -> JSONValue {
        switch value {
        case .null: return [ValueKey.null.rawValue: nil]
        case .bool: return .object([ValueKey.boolean.rawValue: value])
        case .integer(let integer): return [ValueKey.integer.rawValue: .string(String(integer))]
        case .double: return .object([ValueKey.double.rawValue: value])
        case .string: return .object([ValueKey.string.rawValue: value])
        case .array(let elements):
            var values: [JSONValue] = []
            for (index, element) in elements.enumerated() {
                let place = "\(path)[\(index)]"
                guard element.array == nil else {
                    throw WrittenFieldsError("\(place) is an array in an array, which a document cannot have")
                }
                values.append(try plain(element, at: place, refusesDoubt: refusesDoubt))
            }
            return [ValueKey.array.rawValue: ["values": .array(values)]]
        case .object(let object):
            guard !refusesDoubt || !isTyped(value) else {
                throw WrittenFieldsError(
                    "\(path) has a type of Firestore's JSON, and other values have none; give all of them a type, or "
                        + "none")
            }
            return [
                ValueKey.map.rawValue: [
                    "fields": .object(try plain(object, at: path, refusesDoubt: refusesDoubt))
                ]
            ]
        }
    }
}

/// The reason why a text is no document, with the place.
package struct WrittenFieldsError: Error, Hashable, Sendable, CustomStringConvertible {
    package let description: String

    fileprivate init(_ description: String) { self.description = description }

    fileprivate init(_ error: JSONParsingError, in bytes: [UInt8]) {
        let before = bytes.prefix(error.offset)
        let line = before.count { $0 == UInt8(ascii: "\n") } + 1
        let start = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        let column = String(decoding: before[start...], as: UTF8.self).count + 1
        description = "the document is not JSON: \(error.reason.rawValue), in line \(line), column \(column)"
    }
}
