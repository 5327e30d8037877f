extension String {
    /// Returns the longest prefix that fits in the given number of UTF-8 bytes, cut between scalars.
    func prefix(utf8Bytes limit: Int) -> String {
        guard utf8.count > limit else { return self }
        var count = 0
        return String(
            unicodeScalars.prefix { scalar in
                count += UTF8.width(scalar)
                return count <= limit
            })
    }
}

extension String {
    /// Returns the text as one line of at most `limit` UTF-16 units. A longer text ends in an ellipsis; no surrogate
    /// pair is split.
    func shortened(to limit: Int) -> String {
        var text = self
        return text.withUTF8 { Self.line(of: $0, longerThan: limit) }.truncated(to: limit)
    }

    /// Returns the text as one line, cut as soon as it exceeds the limit in UTF-16 units. It works on bytes, because
    /// it runs for each notification and views of a string take hundreds of instructions per scalar.
    private static func line(of text: UnsafeBufferPointer<UInt8>, longerThan limit: Int) -> String {
        // A UTF-16 unit takes at most three bytes. Up to two units and a space follow the limit.
        let capacity = limit < text.count / 3 ? 3 * (limit + 3) : text.count
        return String(unsafeUninitializedCapacity: capacity) { line in
            var (index, count, units) = (0, 0, 0)
            var isAfterBlank = false
            while index < text.count, units <= limit {
                let start = index
                let scalar = scalar(of: text, at: &index)
                guard !scalar.isBlank else {
                    isAfterBlank = count > 0
                    continue
                }
                if isAfterBlank {
                    line[count] = UInt8(ascii: " ")
                    (count, units, isAfterBlank) = (count + 1, units + 1, false)
                }
                for byte in start..<index {
                    line[count] = text[byte]
                    count += 1
                }
                units += UTF16.width(scalar)
            }
            return count
        }
    }

    /// Reads a scalar of valid UTF-8.
    private static func scalar(of text: UnsafeBufferPointer<UInt8>, at index: inout Int) -> Unicode.Scalar {
        let first = text[index]
        index += 1
        guard first >= 0x80 else { return Unicode.Scalar(first) }
        let following = first < 0xE0 ? 1 : first < 0xF0 ? 2 : 3
        var value = UInt32(first & (0x3F >> UInt8(following)))
        for _ in 0..<following {
            value = value << 6 | UInt32(text[index] & 0x3F)
            index += 1
        }
        return Unicode.Scalar(value) ?? "\u{FFFD}"
    }

    /// Returns at most `limit` UTF-16 units of the text. A longer text ends in an ellipsis; no surrogate pair is
    /// split.
    func truncated(to limit: Int) -> String {
        guard utf16.count > limit else { return self }
        var length = 0
        let kept = unicodeScalars.prefix { scalar in
            length += UTF16.width(scalar)
            return length < limit
        }
        return String(kept).trimmingWhitespace() + "…"
    }
}
