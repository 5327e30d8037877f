/// The form of a setting's values: its name, and its reading and writing.
package struct SettingForm<Value: Sendable>: Sendable {
    let name: String
    let isList: Bool
    let markdown: @Sendable (Value) -> String
    let read: @Sendable (SettingsReader, String) throws(ConfigurationError) -> Value?

    /// - Parameters:
    ///   - name: The name in Markdown, for pages, such as `0 to 65535`.
    ///   - isList: `true` if the form is a list.
    ///   - text: Returns the text of a value in Markdown, for pages.
    ///   - read: Reads the value of a key; `nil` if absent.
    package init(
        _ name: String, isList: Bool = false, text: @escaping @Sendable (Value) -> String,
        read: @escaping @Sendable (SettingsReader, String) throws(ConfigurationError) -> Value?
    ) {
        self.name = name
        self.isList = isList
        markdown = text
        self.read = read
    }

    /// Returns the form of values that may be absent.
    ///
    /// - Parameter absent: The effect of no value, in a word, for pages.
    func optional(absent: String) -> SettingForm<Value?> {
        SettingForm<Value?>(name, isList: isList) { value in
            value.map(markdown) ?? absent
        } read: { settings, key throws(ConfigurationError) in
            guard let value = try read(settings, key) else { return nil }
            return .some(value)
        }
    }
}

extension SettingForm where Value == String {
    /// Any text that is not empty.
    package static func text(_ name: String = "text") -> SettingForm<String> {
        SettingForm<String>(name) {
            $0.isEmpty ? "none" : "`\($0)`"
        } read: { settings, key throws(ConfigurationError) in
            settings.string(key)
        }
    }

    /// A web address that paths can be appended to.
    package static func webAddress() -> SettingForm<String> {
        SettingForm<String>("address") {
            "`\($0)`"
        } read: { settings, key throws(ConfigurationError) in
            try settings.webAddress(key)
        }
    }
}

extension SettingForm where Value == Bool {
    /// `true` or `false`.
    package static func boolean() -> SettingForm<Bool> {
        SettingForm<Bool>("`true` or `false`") {
            "`\($0)`"
        } read: { settings, key throws(ConfigurationError) in
            try settings.boolean(key)
        }
    }
}

extension SettingForm where Value == Int {
    /// The least upper bound that is there only to keep sums from overflowing.
    private static var boundless: Int { 1_000_000_000 }

    /// A whole number within a range.
    package static func integer(_ range: ClosedRange<Int>) -> SettingForm<Int> {
        let name = range.upperBound < boundless ? "\(range.lowerBound) to \(range.upperBound)" : "number"
        return SettingForm<Int>(name) {
            "`\($0)`"
        } read: { settings, key throws(ConfigurationError) in
            try settings.integer(key, in: range)
        }
    }

    /// A number of requests or of things, of which 0 may mean no limit.
    package static func count() -> SettingForm<Int> { integer(0...boundless) }
}

extension SettingForm where Value == Duration {
    /// A duration such as `5m`.
    ///
    /// - Parameters:
    ///   - name: The name of the form, such as `3s to 10m`.
    ///   - problem: Returns the problem of a duration, as an error shows it, given its text too; `nil` if it can
    ///     be used.
    package static func duration(
        _ name: String = "duration",
        _ problem: @escaping @Sendable (_ value: Duration, _ text: String) -> String? = { _, _ in nil }
    ) -> SettingForm<Duration> {
        SettingForm<Duration>(name) {
            "`\(DurationText.text(of: $0))`"
        } read: { settings, key throws(ConfigurationError) in
            guard let value = try settings.duration(key) else { return nil }
            if let problem = problem(value, settings.string(key) ?? "") { throw settings.problem(key, problem) }
            return value
        }
    }
}

extension SettingForm where Value: RawRepresentable<String> & CaseIterable {
    /// The name of a case.
    ///
    /// - Parameters:
    ///   - name: The name of the form; by default the names of all cases.
    ///   - text: Returns the name of a case, for pages.
    package static func choice(
        _ name: String? = nil, text: @escaping @Sendable (Value) -> String = { $0.rawValue }
    ) -> SettingForm<Value> {
        let names = Value.allCases.map { "`\(text($0))`" }.joined(separator: " or ")
        return SettingForm<Value>(name ?? names) {
            "`\(text($0))`"
        } read: { settings, key throws(ConfigurationError) in
            try settings.choice(key)
        }
    }
}

extension SettingForm {
    /// A list.
    ///
    /// - Parameters:
    ///   - name: The name of the form, such as `list of durations`.
    ///   - description: The form of an element, for error texts.
    ///   - element: Returns the element of a text; `nil` if it has another form.
    ///   - text: Returns the text of an element of the default.
    package static func list<Element: Sendable>(
        _ name: String, of description: String, _ element: @escaping @Sendable (String) -> Element?,
        text: @escaping @Sendable (Element) -> String = { "\($0)" }
    ) -> SettingForm<[Element]> where Value == [Element] {
        SettingForm<[Element]>(name, isList: true) { elements in
            elements.isEmpty ? "none" : "`\(elements.map(text).joined(separator: ", "))`"
        } read: { settings, key throws(ConfigurationError) in
            let elements = try settings.list(key, of: description, element)
            return elements.isEmpty ? nil : elements
        }
    }
}
