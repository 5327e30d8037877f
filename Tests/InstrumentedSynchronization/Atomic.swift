/// The part of `Synchronization.Atomic` that our sources use. Every access is ordered after the one before it, with
/// any ordering argument: the sanitizer is to find unprotected shared state, not orderings that are too weak.
package struct Atomic<Value: BitwiseCopyable & Sendable>: ~Copyable, Sendable {
    private let value: Mutex<Value>

    package init(_ initialValue: Value) {
        value = Mutex(initialValue)
    }

    package borrowing func load(ordering: AtomicOrdering) -> Value { value.withLock { $0 } }

    package borrowing func store(_ desired: Value, ordering: AtomicOrdering) { value.withLock { $0 = desired } }

    /// Sets the value, and returns the value before.
    package borrowing func exchange(_ desired: Value, ordering: AtomicOrdering) -> Value {
        value.withLock { value in
            defer { value = desired }
            return value
        }
    }
}

extension Atomic where Value: FixedWidthInteger {
    @discardableResult
    package borrowing func add(_ operand: Value, ordering: AtomicOrdering) -> (oldValue: Value, newValue: Value) {
        change { $0 += operand }
    }

    @discardableResult
    package borrowing func wrappingAdd(_ operand: Value, ordering: AtomicOrdering) -> (oldValue: Value, newValue: Value)
    {
        change { $0 &+= operand }
    }

    @discardableResult
    package borrowing func wrappingSubtract(
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
package enum AtomicOrdering: Sendable {
    case relaxed, acquiring, releasing, sequentiallyConsistent
}
