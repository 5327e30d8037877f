import Synchronization

/// The world as it is at the moment.
final class SharedWorld: Sendable {
    private let world: Mutex<World>

    init(_ world: World) { self.world = Mutex(world) }

    var current: World {
        get { world.withLock(\.self) }
        set { world.withLock { $0 = newValue } }
    }
}
