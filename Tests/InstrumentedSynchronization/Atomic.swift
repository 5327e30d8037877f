/// The part of `Synchronization.Atomic` that our sources use. Every access is ordered after the one before it, with
/// any ordering argument: the sanitizer is to find unprotected shared state, not orderings that are too weak.
public struct Atomic<Value: BitwiseCopyable & Sendable>: ~Copyable, Sendable {
    private let value: Mutex<Value>

    /// Creates an atomic with a value.
    public init(_ initialValue: Value) {
        value = Mutex(initialValue)
    }

    /// Returns the value.
    public borrowing func load(ordering: AtomicOrdering) -> Value { value.withLock { $0 } }

    /// Sets the value.
    public borrowing func store(_ desired: Value, ordering: AtomicOrdering) { value.withLock { $0 = desired } }

    /// Sets the value, and returns the value before.
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

/// The orderings that our sources use.
public enum AtomicOrdering: Sendable {
    case relaxed, acquiring, releasing, sequentiallyConsistent
}
