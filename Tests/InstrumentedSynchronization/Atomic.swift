/// As much of `Synchronization.Atomic` as our sources use. Every access is ordered after the one before it, whatever is
/// asked for: the sanitizer is to find what is shared without protection, and not orderings that are too weak.
public struct Atomic<Value: BitwiseCopyable & Sendable>: ~Copyable, Sendable {
    private let value: Mutex<Value>

    public init(_ initialValue: Value) {
        value = Mutex(initialValue)
    }

    public borrowing func load(ordering: AtomicOrdering) -> Value { value.withLock { $0 } }

    public borrowing func store(_ desired: Value, ordering: AtomicOrdering) { value.withLock { $0 = desired } }

    public borrowing func exchange(_ desired: Value, ordering: AtomicOrdering) -> Value {
        value.withLock { value in
            defer { value = desired }
            return value
        }
    }
}

extension Atomic where Value: FixedWidthInteger {
    @discardableResult
    public borrowing func add(_ operand: Value, ordering: AtomicOrdering) -> (oldValue: Value, newValue: Value) {
        change { $0 += operand }
    }

    @discardableResult
    public borrowing func wrappingAdd(_ operand: Value, ordering: AtomicOrdering) -> (oldValue: Value, newValue: Value)
    {
        change { $0 &+= operand }
    }

    @discardableResult
    public borrowing func wrappingSubtract(
        _ operand: Value, ordering: AtomicOrdering
    ) -> (oldValue: Value, newValue: Value) {
        change { $0 &-= operand }
    }

    private borrowing func change(_ body: (inout Value) -> Void) -> (oldValue: Value, newValue: Value) {
        value.withLock { value in
            let oldValue = value
            body(&value)
            return (oldValue, value)
        }
    }
}

public enum AtomicOrdering: Sendable {
    case relaxed, acquiring, releasing, sequentiallyConsistent
}
