internal import Configuration

/// Settings by key, read as text and checked here, so that a value that cannot be used is an error and not a default.
struct Settings: Sendable {
    private let reader: ConfigReader
    private let environment: [String: String]

    /// - Parameter environment: the process's variables, for those that are not the gateway's own.
    init(_ reader: ConfigReader, environment: [String: String] = [:]) {
        self.reader = reader
        self.environment = environment
    }

    /// Returns the first of the process's variables that has a value, with its name.
    func variable(_ names: String...) -> (name: String, value: String)? {
        names.lazy.compactMap { name in environment[name].map { (name, $0) } }.first { !$0.1.isEmpty }
    }

    /// The value's text, also where that is empty; `nil` if it is absent.
    func anyString(_ key: String) -> String? { reader.string(forKey: ConfigKey(key), isSecret: true) }

    /// The value's text; nil when absent or blank.
    func string(_ key: String) -> String? {
        guard let text = anyString(key), !text.isEmpty else { return nil }
        return text
    }

    func boolean(_ key: String) throws(ConfigurationError) -> Bool? {
        guard let text = string(key) else { return nil }
        guard let value = Bool(text.lowercased()) else {
            throw ConfigurationError(key: key, problem: "“\(text)” is neither true nor false")
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
            throw ConfigurationError(key: key, problem: "“\(text)” is none of \(choices)")
        }
        return value
    }

    /// A list: separated by commas in a flag or the environment, a sequence or such a text in the file.
    ///
    /// - Parameter isSecret: whether an error must not show what is wrong.
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
                    key: key, problem: "\(isSecret ? "something in it" : "“\(trimmed)”") is not \(description)")
            }
            elements.append(value)
        }
        return elements
    }
}
