/// An amount of memory that its holders share fairly, by network and address. It has no I/O.
///
/// Nothing is refused while there is enough memory. Otherwise the largest holder loses its memory: the network that
/// holds most, within it the address, and of that address one upload. The taker itself is refused if it belongs to
/// that network and address. So a client that holds memory cannot keep out one that needs less.
struct SharedBudget: Sendable {
    /// The number of a user of the budget.
    typealias Holder = Int

    /// The result of an attempt to take memory.
    struct Taking: Hashable, Sendable {
        let isGranted: Bool
        /// The holders that have lost all their memory.
        var evicted: [Holder] = []
    }

    private struct Holding {
        /// From the widest network to the holder itself; all holders have the same number of groups.
        let groups: [String]
        var amount = 0
        var isEvictable = true
    }

    private let total: Int
    private(set) var used = 0
    private var holdings: [Holder: Holding] = [:]
    private var nextHolder = 0

    init(_ total: Int) { self.total = total }

    /// - Parameter networks: The client's address and the networks that contain it, narrowest first.
    mutating func begin(_ networks: [String]) -> Holder {
        let address = networks.first ?? ""
        defer { nextHolder += 1 }
        holdings[nextHolder] = Holding(groups: [networks.dropFirst().first ?? address, address, "#\(nextHolder)"])
        return nextHolder
    }

    /// Takes more memory for a holder, from other holders if necessary.
    mutating func take(_ amount: Int, for holder: Holder) -> Taking {
        var evicted: [Holder] = []
        guard let taker = holdings[holder] else { return Taking(isGranted: false) }
        while used + amount > total {
            guard let victim = victim(of: taker, taking: amount) else {
                return Taking(isGranted: false, evicted: evicted)
            }
            end(victim)
            evicted.append(victim)
        }
        holdings[holder]?.amount += amount
        used += amount
        return Taking(isGranted: true, evicted: evicted)
    }

    /// Lets a holder keep its memory until it ends.
    ///
    /// - Returns: `false` if the holder has already lost it.
    mutating func keep(_ holder: Holder) -> Bool {
        holdings[holder]?.isEvictable = false
        return holdings[holder] != nil
    }

    mutating func end(_ holder: Holder) { used -= holdings.removeValue(forKey: holder)?.amount ?? 0 }

    /// Returns the holder that must release its memory, or `nil` if that is the taker.
    private func victim(of taker: Holding, taking amount: Int) -> Holder? {
        var scope = holdings
        var hasTaker = true
        for (level, own) in taker.groups.enumerated() {
            var weights: [String: Int] = hasTaker ? [own: amount] : [:]
            for holding in scope.values { weights[holding.groups[level], default: 0] += holding.amount }
            let heaviest = scope.values.filter { $0.isEvictable && $0.amount > 0 }
                .max { weights[$0.groups[level], default: 0] < weights[$1.groups[level], default: 0] }?.groups[level]
            guard let heaviest else { return nil }
            let isElsewhere = !hasTaker || weights[heaviest, default: 0] > weights[own, default: 0]
            hasTaker = hasTaker && !isElsewhere
            scope = scope.filter { $0.value.groups[level] == (isElsewhere ? heaviest : own) }
        }
        return hasTaker ? nil : scope.keys.first
    }
}
