internal import JSON

extension JSONValue {
    /// The value as errors repeat it. A long text is cut, and so is a token that got into the wrong place.
    var echo: String {
        if let string { JSONValue.string(string.bounded).text } else { text }
    }
}

extension String {
    /// Its beginning, as errors repeat it.
    var bounded: String { count > 40 ? prefix(40) + "…" : self }
}
