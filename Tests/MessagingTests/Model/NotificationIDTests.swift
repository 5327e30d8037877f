import Testing

@testable import Messaging

@Suite("Notification ids")
struct NotificationIDTests {
    @Test("A notification id is a lower-case UUID of version 8")
    func form() throws {
        let id = NotificationID(chunk: ChunkID(message: "m", number: 0), index: 0).description
        #expect(id.wholeMatch(of: /[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/) != nil)
    }

    @Test("The same place in a chunk gives the same notification id in every process")
    func stable() {
        // The value is sha256("message/3/7") with the version and variant of RFC 9562 set.
        let id = NotificationID(chunk: ChunkID(message: "message", number: 3), index: 7)
        #expect(id.description == "0b8b14d7-a2d9-8d40-ad00-5368b03354d5")
    }

    @Test("Notification ids differ between messages, chunks and targets")
    func distinct() {
        var ids: Set<NotificationID> = []
        for message in ["a", "b", "aa", "1"] {
            for number in 0..<20 {
                for index in 0..<500 {
                    ids.insert(NotificationID(chunk: ChunkID(message: message, number: number), index: index))
                }
            }
        }
        #expect(ids.count == 4 * 20 * 500)
    }
}
