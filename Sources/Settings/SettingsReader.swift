import Foundation

/// A reader of settings by key. An unusable value is an error and does not become the default.
///
/// Values are texts, from wherever the application reads its configuration. An empty text counts as absent.
package struct SettingsReader: Sendable {
    private let text: @Sendable (_ key: String) -> String?
    private let texts: @Sendable (_ key: String) -> [String]?
    private let environment: [String: String]
    private var prefix = ""

    /// - Parameters:
    ///   - environment: The environment variables of the process, for ``variable(_:)``.
    ///   - texts: Returns the elements of a key whose value is a list in its source, or `nil` if it is not.
    ///   - text: Returns the text of a key, or `nil` if the setting is absent.
    package init(
        environment: [String: String] = [:], texts: @escaping @Sendable (_ key: String) -> [String]? = { _ in nil },
        text: @escaping @Sendable (_ key: String) -> String?
    ) {
        self.environment = environment
        self.texts = texts
        self.text = text
    }

    /// Returns a reader of the settings whose keys begin with a prefix. Its methods take the rest of the key.
    package func below(_ prefix: String) -> SettingsReader {
        var reader = self
        reader.prefix += prefix
        return reader
    }

    /// Returns an error that names a key with its prefix.
    package func problem(_ key: String, _ problem: String) -> ConfigurationError {
        ConfigurationError(key: prefix + key, problem: problem)
    }

    /// Returns the first of the named environment variables that has a value, with its name.
    package func variable(_ names: String...) -> (name: String, value: String)? {
        names.lazy.compactMap { name in environment[name].map { (name, $0) } }.first { !$0.1.isEmpty }
    }

    /// Returns the value's text, which may be empty; `nil` if the setting is absent.
    package func anyString(_ key: String) -> String? { text(prefix + key) }

    /// Returns the value's text; `nil` if the setting is absent or empty.
    package func string(_ key: String) -> String? {
        guard let text = anyString(key), !text.isEmpty else { return nil }
        return text
    }

    /// Reads `true` or `false`, in any case; `nil` if absent.
    package func boolean(_ key: String) throws(ConfigurationError) -> Bool? {
        guard let text = string(key) else { return nil }
        guard let value = Bool(text.lowercased()) else {
            throw problem(key, "“\(text)” is not true or false")
        }
        return value
    }

    /// Reads a whole number within a range; `nil` if absent.
    package func integer(_ key: String, in range: ClosedRange<Int>) throws(ConfigurationError) -> Int? {
        guard let text = string(key) else { return nil }
        guard let value = Int(text), range.contains(value) else {
            throw problem(key, "“\(text)” is not a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return value
    }

    /// Reads a duration such as `500ms`, `2s`, `5m` or `1h`; `nil` if absent.
    package func duration(_ key: String) throws(ConfigurationError) -> Duration? {
        guard let text = string(key) else { return nil }
        guard let value = DurationText.duration(of: text) else {
            throw problem(key, "“\(text)” is not a duration like 500ms, 2s, 5m or 1h")
        }
        return value
    }

    /// Reads the name of a case; `nil` if absent.
    package func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ key: String
    ) throws(ConfigurationError) -> Choice? {
        try Self.choice(string(key), for: prefix + key)
    }

    /// Returns the case with a name; `nil` without a name.
    ///
    /// - Parameter key: The key for the error.
    package static func choice<Choice: RawRepresentable<String> & CaseIterable>(
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
    package func list<Element>(
        _ key: String, of description: String, isSecret: Bool = false, _ element: (String) -> Element?
    ) throws(ConfigurationError) -> [Element] {
        let texts = texts(prefix + key) ?? string(key)?.split(separator: ",").map(String.init) ?? []
        var elements: [Element] = []
        for text in texts {
            let trimmed = text.filter { !$0.isWhitespace }
            if trimmed.isEmpty, texts.count == 1 { break }
            guard let value = element(trimmed) else {
                throw problem(key, "\(isSecret ? "an element" : "“\(trimmed)”") is not \(description)")
            }
            elements.append(value)
        }
        return elements
    }

    /// Reads a web address that paths can be appended to. Trailing slashes are removed.
    package func webAddress(_ key: String) throws(ConfigurationError) -> String? {
        guard let text = string(key) else { return nil }
        guard let url = URL(string: text), ["http", "https"].contains(url.scheme), let host = url.host, !host.isEmpty,
            url.query == nil, url.fragment == nil, url.user == nil
        else {
            throw problem(key, "must be an address like https://example.com")
        }
        return String(text.reversed().drop { $0 == "/" }.reversed())
    }
}
