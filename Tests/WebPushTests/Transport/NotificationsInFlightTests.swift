import Testing

@testable import Messaging
@testable import WebPush

@Suite("Notifications in flight")
struct NotificationsInFlightTests {
    private static let id = NotificationID(chunk: ChunkID(message: "m1", number: 0), index: 0)
    private static let other = NotificationID(chunk: ChunkID(message: "m1", number: 0), index: 1)
    private var inFlight = NotificationsInFlight()

    init() {
        inFlight.begin(Self.id)
        inFlight.begin(Self.other)
    }

    @Test("A notification that is given up before its request sends none")
    func before() {
        var inFlight = inFlight
        let (request, first, second) = (
            inFlight.giveUp(Self.id), inFlight.willSend([1], of: Self.id), inFlight.willSend([2], of: Self.other)
        )
        #expect(request == nil && !first && second)
        #expect(inFlight.isGivenUp(Self.id) && !inFlight.isGivenUp(Self.other))
    }

    @Test("A notification that is given up names its latest request, and sends no further one")
    func between() {
        var inFlight = inFlight
        let sent = [inFlight.willSend([1], of: Self.id), inFlight.willSend([2], of: Self.id)]
        let request = inFlight.giveUp(Self.id)
        let third = inFlight.willSend([3], of: Self.id)
        #expect(sent == [true, true] && request == [2] && !third)
    }

    @Test("The next attempt at a notification that was given up is not given up")
    func nextAttempt() {
        var inFlight = inFlight
        _ = inFlight.giveUp(Self.id)
        inFlight.end(Self.id)
        let request = inFlight.giveUp(Self.id)
        #expect(request == nil && !inFlight.isGivenUp(Self.id))
        inFlight.begin(Self.id)
        let next = inFlight.willSend([1], of: Self.id)
        #expect(next)
    }
}
