import JSON
import Testing

@Suite("Writing JSON member by member")
struct JSONWriterTests {
    @Test("JSONWriter puts commas between members at every level and leaves out absent members")
    func members() {
        var writer = JSONWriter(capacity: 0)
        writer.object { writer in
            writer.member("absent", nil)
            writer.object("empty") { _ in }
            writer.object("inner") { writer in
                writer.object("empty") { _ in }
                writer.member("a\"", ["b", 1])
                writer.object("none", of: [:])
            }
            writer.member("null", .null)
            writer.member("absent", nil)
        }
        #expect(
            String(decoding: writer.bytes, as: UTF8.self)
                == #"{"empty":{},"inner":{"empty":{},"a\"":["b",1],"none":{}},"null":null}"#)
    }

    @Test("JSONWriter writes in the memory of an array, and gives it back with the text")
    func memory() {
        var memory = Array("earlier".utf8)
        for texts in [["a": "b"], [:], ["longer": String(repeating: "x", count: 100)]] {
            var (writer, other) = (JSONWriter(memory: &memory, capacity: 20), JSONWriter(capacity: 0))
            #expect(memory.isEmpty)
            writer.object { $0.object("texts", of: texts) }
            other.object { $0.object("texts", of: texts) }
            #expect(writer.bytes == other.bytes)
            writer.release(to: &memory)
            #expect(memory == other.bytes && writer.bytes.isEmpty)
        }
    }

    @Test("JSONWriter sorts a dictionary of texts by name, at any count", arguments: [1, 2, 20, 500])
    func texts(count: Int) {
        let texts = Dictionary(
            uniqueKeysWithValues: (0..<count).map { ("\(["é", "b", "A", "😀"][$0 % 4])\($0)", "\n\($0)") })
        var writer = JSONWriter(capacity: 0)
        writer.object { $0.object("texts", of: texts) }
        let members = texts.sorted { $0.key < $1.key }.map { (name: $0.key, value: JSONValue.string($0.value)) }
        let value: JSONValue = ["texts": .object(JSONObject(members))]
        #expect(String(decoding: writer.bytes, as: UTF8.self) == value.text)
    }
}
