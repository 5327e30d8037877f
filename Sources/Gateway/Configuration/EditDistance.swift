/// The edit distance between a name as written and one that exists.
///
/// A [Levenshtein](https://en.wikipedia.org/wiki/Levenshtein_distance) distance in which a byte that was left out counts 1, and one
/// too many or another in its place 2: who writes `PORT` for `HTTP_PORT` has left something out.
enum EditDistance {
    static func of(_ written: String, from name: String) -> Int {
        let name = Array(name.utf8)
        var row = Array(0...name.count)
        for byte in written.utf8 {
            var diagonal = row[0]
            row[0] += 2
            for (index, wanted) in name.enumerated() {
                let replaced = diagonal + (byte == wanted ? 0 : 2)
                diagonal = row[index + 1]
                row[index + 1] = min(replaced, diagonal + 2, row[index] + 1)
            }
        }
        return row[name.count]
    }
}
