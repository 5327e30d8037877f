extension String {
    /// As much of the beginning as fits so many bytes of UTF-8, cut between scalars.
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
    /// In one line, and at most so many UTF-16 units; what is longer ends in an ellipsis, and no surrogate pair is split.
    func shortened(to limit: Int) -> String {
        var line = String.UnicodeScalarView()
        line.reserveCapacity(Swift.min(utf8.count, limit + 4))
        var length = 0
        var isAfterBlank = false
        for scalar in unicodeScalars {
            if length > limit { break }
            guard !scalar.isBlank else {
                isAfterBlank = !line.isEmpty
                continue
            }
            if isAfterBlank {
                line.append(" ")
                length += 1
                isAfterBlank = false
            }
            line.append(scalar)
            length += UTF16.width(scalar)
        }
        return String(line).truncated(to: limit)
    }

    /// At most so many UTF-16 units; what is longer ends in an ellipsis, and no surrogate pair is split.
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
