import Synchronization

/// The current world, shared by all lanes.
final class SharedWorld: Sendable {
    private let world: Mutex<World>

    init(_ world: World) { self.world = Mutex(world) }

    var current: World {
        get { world.withLock(\.self) }
        set { world.withLock { $0 = newValue } }
    }
}
