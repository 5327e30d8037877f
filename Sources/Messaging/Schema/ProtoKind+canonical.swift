internal import DocumentStore
internal import JSON

extension ProtoKind {
    /// A single value as the JSON form writes it.
    func canonical(_ json: JSONValue) throws(UnusableValue) -> JSONValue {
        switch (self, json) {
        case (.string, .string), (.bool, .bool): json
        case (.int32, _): try Self.int32(json)
        case (.float, _): try Self.float(json)
        case (.enumeration(let enumeration), _): .string(try enumeration.name(of: json))
        case (.duration, _): try Self.duration(json)
        case (.timestamp, _): try Self.timestamp(json)
        default: throw UnusableValue()
        }
    }

    private static func int32(_ json: JSONValue) throws(UnusableValue) -> JSONValue {
        guard let number = json.number, let integer = Int32(number) else { throw UnusableValue() }
        return .integer(Int64(integer))
    }

    private static func float(_ json: JSONValue) throws(UnusableValue) -> JSONValue {
        if let text = json.string, ["NaN", "Infinity", "-Infinity"].contains(text) { return json }
        guard let number = json.number, let double = number.double, Float(double).isFinite else {
            throw UnusableValue()
        }
        return number
    }

    private static func duration(_ json: JSONValue) throws(UnusableValue) -> JSONValue {
        guard let text = json.string else {
            throw UnusableValue(reason: "Invalid data type for duration, value is \(json.echo)")
        }
        _ = try ProtoDuration(text)
        return json
    }

    private static func timestamp(_ json: JSONValue) throws(UnusableValue) -> JSONValue {
        guard let text = json.string else {
            throw UnusableValue(reason: "Invalid data type for timestamp, value is \(json.echo)")
        }
        guard Timestamp(text) != nil else {
            throw UnusableValue(reason: "Invalid time format: \(text.bounded)")
        }
        return json
    }
}

extension ProtoEnum {
    /// The name of a value given by number, or by its name: in any case and with hyphens for underscores, as Google's parser
    /// takes it.
    fileprivate func name(of json: JSONValue) throws(UnusableValue) -> String {
        if let text = json.string {
            let name = text.uppercased().replacing("-", with: "_")
            if values.contains(name) { return name }
        }
        guard let number = json.number.flatMap({ Int32($0) }), values.indices.contains(Int(number)) else {
            throw UnusableValue()
        }
        return values[Int(number)]
    }
}

// MARK: Numbers

extension JSONValue {
    /// A number, given as one or as its text.
    fileprivate var number: JSONValue? {
        switch self {
        case .integer, .double: self
        case .string(let text): JSONValue(number: text)
        default: nil
        }
    }

    private init?(number text: String) {
        // Without the white space that JSON allows around a value.
        let digits = "+-.0123456789Ee".utf8
        guard text.utf8.allSatisfy(digits.contains), let json = try? JSONValue(parsing: text) else { return nil }
        self = json
    }
}

extension Int32 {
    fileprivate init?(_ number: JSONValue) {
        switch number {
        case .integer(let integer): self.init(exactly: integer)
        case .double(let double): self.init(exactly: double)
        default: return nil
        }
    }
}
