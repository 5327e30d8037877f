/// The encoding of paths and ids in columns before ``StoredName``: a numeric id was a text like any other, U+0000 was
/// U+0001 U+0002, and U+0001 was U+0001 U+0003.
package enum EarlierName {
    /// Returns the present form of a path or an id.
    package static func upgraded(_ name: String) -> String { StoredName.encode(decode(name)) }

    package static func decode(_ name: String) -> String {
        guard name.utf8.contains(1) else { return name }
        var bytes: [UInt8] = []
        var isEscaped = false
        for byte in name.utf8 {
            if isEscaped {
                bytes.append(byte <= 1 ? PathText.separator : byte == 2 ? 0 : 1)
                isEscaped = false
            } else if byte == 1 {
                isEscaped = true
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
