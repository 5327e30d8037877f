internal import Configuration

/// The settings by key, read as text and checked here, so that an unusable value is an error and does not become a
/// default.
struct Settings: Sendable {
    private let reader: ConfigReader
    private let environment: [String: String]

    /// Creates settings.
    ///
    /// - Parameter environment: The environment variables of the process, for those that are not the gateway's own.
    init(_ reader: ConfigReader, environment: [String: String] = [:]) {
        self.reader = reader
        self.environment = environment
    }

    /// Returns the first of the named environment variables that has a value, with its name.
    func variable(_ names: String...) -> (name: String, value: String)? {
        names.lazy.compactMap { name in environment[name].map { (name, $0) } }.first { !$0.1.isEmpty }
    }

    /// Returns the value's text, which may be empty; `nil` if the setting is absent.
    func anyString(_ key: String) -> String? { reader.string(forKey: ConfigKey(key), isSecret: true) }

    /// Returns the value's text; `nil` if the setting is absent or empty.
    func string(_ key: String) -> String? {
        guard let text = anyString(key), !text.isEmpty else { return nil }
        return text
    }

    func boolean(_ key: String) throws(ConfigurationError) -> Bool? {
        guard let text = string(key) else { return nil }
        guard let value = Bool(text.lowercased()) else {
            throw ConfigurationError(key: key, problem: "“\(text)” is not true or false")
        }
        return value
    }

    func integer(_ key: String, in range: ClosedRange<Int>) throws(ConfigurationError) -> Int? {
        guard let text = string(key) else { return nil }
        guard let value = Int(text), range.contains(value) else {
            throw ConfigurationError(
                key: key,
                problem: "“\(text)” is not a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return value
    }

    func duration(_ key: String) throws(ConfigurationError) -> Duration? {
        guard let text = string(key) else { return nil }
        guard let value = DurationText.duration(of: text) else {
            throw ConfigurationError(key: key, problem: "“\(text)” is not a duration like 500ms, 2s, 5m or 1h")
        }
        return value
    }

    func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ key: String
    ) throws(ConfigurationError) -> Choice? {
        try Self.choice(string(key), for: key)
    }

    static func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ text: String?, for key: String
    ) throws(ConfigurationError) -> Choice? {
        guard let text else { return nil }
        guard let value = Choice(rawValue: text.lowercased()) else {
            let choices = Choice.allCases.map(\.rawValue).joined(separator: ", ")
            throw ConfigurationError(key: key, problem: "“\(text)” is not one of \(choices)")
        }
        return value
    }

    /// Reads a list: separated by commas in a flag or an environment variable, a sequence or such a text in the file.
    ///
    /// - Parameters:
    ///   - description: The form of an element, for error texts.
    ///   - isSecret: `true` if an error must not show the element.
    func list<Element>(
        _ key: String, of description: String, isSecret: Bool = false, _ element: (String) -> Element?
    ) throws(ConfigurationError) -> [Element] {
        let texts =
            reader.stringArray(forKey: ConfigKey(key))
            ?? string(key)?.split(separator: ",").map(String.init) ?? []
        var elements: [Element] = []
        for text in texts {
            let trimmed = text.filter { !$0.isWhitespace }
            if trimmed.isEmpty, texts.count == 1 { break }
            guard let value = element(trimmed) else {
                throw ConfigurationError(
                    key: key, problem: "\(isSecret ? "an element" : "“\(trimmed)”") is not \(description)")
            }
            elements.append(value)
        }
        return elements
    }
}

/// The text form of durations in a configuration.
enum DurationText {
    /// Returns the duration of `500ms`, `2s`, `5m`, `1h`, `7d`, `1.5s`, or a bare number of seconds; `nil` for any
    /// other text, negative ones included.
    static func duration(of text: String) -> Duration? {
        let units: [(suffix: String, seconds: Double)] = [
            ("ms", 0.001), ("s", 1), ("m", 60), ("h", 3_600), ("d", 86_400), ("", 1),
        ]
        for (suffix, seconds) in units where text.hasSuffix(suffix) {
            guard let number = number(text.dropLast(suffix.count)), number * seconds < 1e9 else { return nil }
            return .milliseconds(Int64((number * seconds * 1_000).rounded()))
        }
        return nil
    }

    /// Returns the number of digits with at most one point. `Double` itself would also accept `0x10`, `1e3` and
    /// `nan`.
    private static func number(_ text: Substring) -> Double? {
        text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || $0 == UInt8(ascii: ".") }
            ? Double(text) : nil
    }
}
