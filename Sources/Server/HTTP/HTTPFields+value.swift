import HTTPTypes

extension HTTPFields {
    /// Returns the value of a field, as the subscript does. It is faster, because it joins no values of a field that is
    /// there once.
    func value(of name: HTTPField.Name) -> String? {
        var value: String?
        for field in self where field.name == name {
            guard value == nil else { return self[name] }
            value = field.value
        }
        return value
    }
}
