import TestDoubles
import Testing

@testable import DocumentStore

@Suite("Numeric ids")
struct NumericIDTests {
    @Test(
        "A numeric id has a number of 64 bits, and one text stands for each",
        arguments: [
            ("__id7__", 7), ("__id-2__", -2), ("__id10__", 10), ("__id9223372036854775807__", .max),
            ("__id-9223372036854775808__", .min), ("__id0__", nil), ("__id-0__", nil), ("__id07__", nil),
            ("__id-07__", nil), ("__id+7__", nil), ("__id9223372036854775808__", nil),
            ("__id-9223372036854775809__", nil), ("__id99999999999999999999__", nil), ("__id__", nil), ("__id-__", nil),
            ("__id7_", nil), ("__id7__x", nil), ("x__id7__", nil), ("__id7x__", nil), ("__id7", nil), ("__ID7__", nil),
            ("__id٧__", nil), ("__id7___", nil), ("", nil), ("7", nil),
        ] as [(String, Int64?)])
    func numbers(id: String, number: Int64?) {
        #expect(NumericID.number(in: id.utf8) == number)
        if let number { #expect(NumericID.text(of: number) == id) }
    }

    /// Paths in Firestore's order.
    private static let sorted = [
        "a/__id-9223372036854775808__", "a/__id-10__", "a/__id-2__", "a/__id1__", "a/__id7__", "a/__id7__/c/__id3__",
        "a/__id7__/c/__id12__", "a/__id7__/c/x", "a/__id7__/c!/x", "a/__id12__", "a/__id123456789012__",
        "a/__id9223372036854775807__", "a/\u{0}", "a/\u{0}8000000000000007", "a/\u{1}", "a/\u{1}\u{0}", "a/\u{2}",
        "a/12", "a/7", "a/A", "a/__", "a/__id0", "a/__id7", "a/__id7__x", "a/__ie", "a/b", "a/b/c/__id7__", "a/b/c/d",
        "a/b\u{0}", "a/b\u{1}", "a/b!", "a\u{0}/__id7__", "a!/__id-2__",
    ]

    @Test("Paths and their stored forms are in Firestore's order, and a stored form becomes the path again")
    func order() throws {
        let paths = try Self.sorted.map { try DocumentPath($0) }
        for (place, path) in paths.enumerated() {
            let stored = StoredName.encode(path.description)
            #expect(StoredName.decode(stored).hasSameBytes(as: path.description))
            #expect(!stored.utf8.contains(0))
            for (otherPlace, other) in paths.enumerated() {
                #expect((path < other) == (place < otherPlace), "\(path) and \(other)")
                let isLess = stored.precedesInBytes(StoredName.encode(other.description))
                #expect(isLess == (place < otherPlace), "the stored forms of \(path) and \(other)")
            }
        }
        #expect(paths.shuffled().sorted() == paths)
    }

    @Test("The columns of a path are the stored forms of its collection, the collection's id and its own id")
    func columns() throws {
        for text in Self.sorted {
            let path = try DocumentPath(text)
            let key = RowKey(path)
            key.withColumns { parent, collection, document in
                #expect(parent.elementsEqual(StoredName.encode(path.collection.description).utf8), "\(text)")
                #expect(collection.elementsEqual(StoredName.encode(path.collection.id).utf8), "\(text)")
                #expect(document.elementsEqual(StoredName.encode(path.id).utf8), "\(text)")
            }
            #expect(key.size == StoredName.encode(text).utf8.count)
        }
    }

    @Test("All names below a document, and no others, are between its separator and the text after it")
    func ranges() throws {
        let paths = try Self.sorted.map { try DocumentPath($0) }
        for path in paths {
            let stored = StoredName.encode(path.description)
            let range = stored + StoredName.separator..<stored + StoredName.afterSeparator
            for other in paths {
                let name = StoredName.encode(other.description)
                let isWithin = !name.precedesInBytes(range.lowerBound) && name.precedesInBytes(range.upperBound)
                #expect(isWithin == other.description.hasPrefix("\(path)/"), "\(path) and \(other)")
            }
        }
    }

    @Test("Random paths and their stored forms have the same order", arguments: 1...5 as ClosedRange<UInt64>)
    func random(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let paths = try (0..<150).map { _ in try generator.path() }
        for path in paths {
            let stored = StoredName.encode(path.description)
            #expect(StoredName.decode(stored).hasSameBytes(as: path.description))
            for other in paths {
                let isLess = stored.precedesInBytes(StoredName.encode(other.description))
                #expect(isLess == (path < other), "\(path) and \(other)")
            }
        }
    }
}
