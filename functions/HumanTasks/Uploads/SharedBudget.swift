/// An amount of memory that many draw on, shared out by where they come from. Pure.
///
/// Nothing is refused while there is enough. When there is not, whoever has most gives: the network that has most, in it
/// the address, and of that the one upload; the taker itself is refused if that is where it comes from. So holding memory
/// keeps nobody out who wants less of it.
struct SharedBudget: Sendable {
    /// One that draws on the budget.
    typealias Holder = Int

    /// The outcome of an attempt to take some.
    struct Taking: Hashable, Sendable {
        let isGranted: Bool
        /// The holders that have lost everything they had.
        var evicted: [Holder] = []
    }

    private struct Holding {
        /// From the widest network to the holder itself; as many for each.
        let groups: [String]
        var amount = 0
        var isEvictable = true
    }

    private let total: Int
    private(set) var used = 0
    private var holdings: [Holder: Holding] = [:]
    private var nextHolder = 0

    init(_ total: Int) { self.total = total }

    /// - Parameter networks: the client's address, and the networks it is in, from the narrowest on.
    mutating func begin(_ networks: [String]) -> Holder {
        let address = networks.first ?? ""
        defer { nextHolder += 1 }
        holdings[nextHolder] = Holding(groups: [networks.dropFirst().first ?? address, address, "#\(nextHolder)"])
        return nextHolder
    }

    /// Takes more for a holder, if need be from others.
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

    /// Lets a holder keep what it has until it ends.
    ///
    /// - Returns: whether it still had it.
    mutating func keep(_ holder: Holder) -> Bool {
        holdings[holder]?.isEvictable = false
        return holdings[holder] != nil
    }

    mutating func end(_ holder: Holder) { used -= holdings.removeValue(forKey: holder)?.amount ?? 0 }

    /// Returns the holder that has to give, or `nil` if that is the taker.
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
