/// First in, first out: appending and taking are constant time on average.
struct FIFO<Element> {
    private var elements: [Element?] = []
    private var head = 0

    var isEmpty: Bool { head == elements.count }
    var count: Int { elements.count - head }

    mutating func append(_ element: Element) {
        elements.append(element)
    }

    mutating func popFirst() -> Element? {
        guard head < elements.count else { return nil }
        let element = elements[head]
        elements[head] = nil
        head += 1
        compact()
        return element
    }

    mutating func removeAll(where shouldRemove: (Element) -> Bool) {
        elements = elements[head...].filter { $0.map(shouldRemove) == false }
        head = 0
    }

    /// Half of the storage may be spent before it is moved, so that every element is moved once on average.
    private mutating func compact() {
        guard head >= 64, head * 2 >= elements.count else { return }
        elements.removeFirst(head)
        head = 0
    }
}
