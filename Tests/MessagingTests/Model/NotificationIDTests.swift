import Testing

@testable import Messaging

@Suite("Notification ids")
struct NotificationIDTests {
    @Test("an id is a canonical lower-case UUID of version 8")
    func form() throws {
        let id = NotificationID(chunk: ChunkID(message: "m", number: 0), index: 0).description
        #expect(id.wholeMatch(of: /[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/) != nil)
    }

    @Test("the same place gives the same id in every process")
    func stable() {
        // sha256("message/3/7"), with RFC 9562's version and variant in their places.
        let id = NotificationID(chunk: ChunkID(message: "message", number: 3), index: 7)
        #expect(id.description == "0b8b14d7-a2d9-8d40-ad00-5368b03354d5")
    }

    @Test("ids differ between messages, chunks and targets")
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
