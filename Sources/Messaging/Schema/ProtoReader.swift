import JSON

/// A reader that converts JSON to its canonical form by a schema: names in lowerCamelCase, names of enumeration
/// values, numbers as numbers, and no nulls.
///
/// It reads the whole request and collects all its errors, in the words of Google's APIs.
struct ProtoReader {
    private(set) var violations: [InvalidRequest.Violation] = []

    /// Reads a message.
    ///
    /// - Returns: the valid part of the message. Discard it if there are violations.
    mutating func read(_ json: JSONValue, as message: ProtoMessage) -> JSONObject {
        guard let object = json.object else {
            report("Invalid JSON payload received. Unknown name \"\": Root element must be a message.", of: "")
            return [:]
        }
        return read(object, as: message, at: "")
    }

    private mutating func read(_ object: JSONObject, as message: ProtoMessage, at path: String) -> JSONObject {
        var members: [(name: String, value: JSONValue)] = []
        members.reserveCapacity(object.count)
        var taken: [String: String] = [:]
        for (name, value) in object.members {
            guard let field = message.field(named: name) else {
                reportUnknown(name, at: path, "Cannot find field.")
                continue
            }
            guard value != .null, take(field, as: name, at: path, in: &taken) else { continue }
            if let value = read(value, as: field.kind, at: ProtoPlace(field, as: name, in: path)) {
                members.append((field.jsonName, value))
            }
        }
        return JSONObject(members)
    }

    /// Records that a field is set, which is allowed once, and once in its oneof.
    private mutating func take(
        _ field: ProtoField, as name: String, at path: String, in taken: inout [String: String]
    ) -> Bool {
        if let earlier = taken.updateValue(name, forKey: field.name) {
            reportInvalid(path, "duplicate", "field '\(earlier)' is already set. Cannot set '\(name)'")
            return false
        }
        if let oneof = field.oneof, taken.updateValue(name, forKey: "oneof \(oneof)") != nil {
            reportInvalid(path, "oneof", "oneof field '\(oneof)' is already set. Cannot set '\(name)'")
            return false
        }
        return true
    }

    // MARK: Values

    private mutating func read(_ json: JSONValue, as kind: ProtoKind, at place: ProtoPlace) -> JSONValue? {
        switch (kind, json) {
        case (.message(let message), .object(let object)): .object(read(object, as: message, at: place.path))
        case (.structure, .object): json
        case (.strings, .object(let object)): .object(readStrings(object, at: place))
        case (.list(let kind), .array(let elements)): .array(readList(elements, of: kind, at: place))
        case (_, .array): refuseList(for: kind, at: place)
        case (_, .object(let object)) where !object.isEmpty: refuseObject(object, at: place)
        default: readScalar(json, as: kind, at: place)
        }
    }

    private mutating func readStrings(_ object: JSONObject, at place: ProtoPlace) -> JSONObject {
        var members: [(name: String, value: JSONValue)] = []
        members.reserveCapacity(object.count)
        for (index, member) in object.members.enumerated() {
            let place = ProtoPlace(valueOfEntry: index, of: place)
            if let value = read(member.value, as: .string, at: place) { members.append((member.name, value)) }
        }
        return JSONObject(members)
    }

    private mutating func readList(_ elements: [JSONValue], of kind: ProtoKind, at place: ProtoPlace) -> [JSONValue] {
        var read: [JSONValue] = []
        for (index, element) in elements.enumerated() {
            let place = ProtoPlace(element: index, of: place)
            if let value = self.read(element, as: kind, at: place) { read.append(value) }
        }
        return read
    }

    private mutating func readScalar(_ json: JSONValue, as kind: ProtoKind, at place: ProtoPlace) -> JSONValue? {
        do throws(UnusableFieldValue) {
            return try kind.canonical(json)
        } catch {
            let text = error.reason.map { "Field '\(place.name)', \($0)" } ?? json.echo
            reportInvalid(place.path, place.typeName, text)
            return nil
        }
    }

    private mutating func refuseList(for kind: ProtoKind, at place: ProtoPlace) -> JSONValue? {
        switch kind {
        case .strings:
            reportInvalid(place.parent, "Map", "Cannot bind a list to map for field '\(place.name)'.")
        case .structure:
            reportInvalid(place.parent, place.typeName, "Cannot bind a list to struct for field '\(place.name)'.")
        default:
            reportUnknown(place.name, at: place.parent, "Proto field is not repeating, cannot start list.")
        }
        return nil
    }

    private mutating func refuseObject(_ object: JSONObject, at place: ProtoPlace) -> JSONValue? {
        for name in object.members.lazy.map(\.name) { reportUnknown(name, at: place.path, "Cannot find field.") }
        return nil
    }

    // MARK: Reports

    private mutating func reportUnknown(_ name: String, at path: String, _ problem: String) {
        let place = path.isEmpty ? "" : " at '\(path)'"
        report(
            "Invalid JSON payload received. Unknown name \(JSONValue.string(name).echo)\(place): \(problem)", of: path)
    }

    private mutating func reportInvalid(_ path: String, _ type: String, _ text: String) {
        let place = path.isEmpty ? "" : " at '\(path)'"
        report("Invalid value\(place) (\(type)), \(text)", of: path)
    }

    private mutating func report(_ description: String, of path: String) {
        guard violations.count < InvalidRequest.maximumViolations else { return }
        violations.append(InvalidRequest.Violation(field: path, description: description))
    }
}

/// The position of a value, and its names in error texts.
private struct ProtoPlace {
    /// The path of the message that the field belongs to.
    let parent: String
    /// The name of the field as the request spells it.
    let name: String
    /// The path of the value itself, by the schema's names.
    let path: String
    let typeName: String
}

extension ProtoPlace {
    init(_ field: ProtoField, as name: String, in parent: String) {
        let path = parent.isEmpty ? field.name : "\(parent).\(field.name)"
        self.init(parent: parent, name: name, path: path, typeName: field.typeName)
    }

    init(element index: Int, of list: ProtoPlace) {
        self.init(parent: list.parent, name: list.name, path: "\(list.path)[\(index)]", typeName: list.typeName)
    }

    init(valueOfEntry index: Int, of map: ProtoPlace) {
        let entry = "\(map.path)[\(index)]"
        self.init(parent: entry, name: "value", path: "\(entry).value", typeName: "TYPE_STRING")
    }
}
