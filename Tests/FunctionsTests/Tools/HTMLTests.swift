import Testing

@testable import Functions

@Suite("HTML")
struct HTMLTests {
    @Test("HTML escapes interpolated texts and keeps interpolated HTML")
    func escaping() {
        let text = "<b title=\"x\">&'</b>"
        let inner: HTML = "<i>\(text)</i>"
        let missing: HTML? = nil
        let all: HTML = "<p>\(inner)\([inner, "<br>"])\(7)\(missing)</p>"
        let escaped = "<i>&lt;b title=&quot;x&quot;&gt;&amp;&#39;&lt;/b&gt;</i>"
        #expect(inner.description == escaped)
        #expect(all.description == "<p>\(escaped)\(escaped)<br>7</p>")
    }
}

@Suite("Memory for bodies")
struct BudgetTests {
    @Test("A budget is granted until it is used up, and returns after use and after an error")
    func budget() async {
        struct Failure: Error {}
        let budget = Budget(10)
        let nested = await budget.reserving(6) {
            (await budget.reserving(5) { true }, await budget.reserving(4) { true })
        }
        #expect(nested?.0 == nil && nested?.1 == true)
        await #expect(throws: Failure.self) { try await budget.reserving(10) { throw Failure() } }
        #expect(await budget.reserving(10) { true } == true)
        #expect(await budget.reserving(11) { true } == nil)
    }
}
