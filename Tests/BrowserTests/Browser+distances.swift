import JSON
import Testing

/// Checks of the distances between the parts of a page.
extension Browser {
    /// Checks that the times below a chart stand apart from each other.
    func checkTimesOfChart(_ what: Comment) async throws {
        let ends =
            try await evaluate(
                """
                return [...document.querySelectorAll(".times time")].filter(e => getComputedStyle(e).visibility === "visible")
                  .map(e => {
                    const range = document.createRange();
                    range.selectNodeContents(e);
                    return range.getBoundingClientRect();
                  }).map(box => [box.left, box.right])
                """
            ).array ?? []
        #expect(ends.count > 2, what)
        for (time, next) in zip(ends, ends.dropFirst()) {
            #expect((next[0]?.double ?? 0) - (time[1]?.double ?? 0) >= 4, what)
        }
        let right = try await evaluate("return document.querySelector('.times').getBoundingClientRect().right")
        #expect((ends.last?[1]?.double ?? .infinity) <= (right.double ?? 0), what)
    }

    /// Checks that there is space between one part of a page and the next, in CSS pixels.
    func checkSpace(_ least: Double, between one: String, and next: String) async throws {
        let space = try await evaluate(
            """
            const box = selector => document.querySelector(selector).getBoundingClientRect();
            return box("\(next)").top - box("\(one)").bottom
            """)
        #expect((space.double ?? 0) >= least, "\(one), \(next): \(space)")
    }

    /// Checks that no word of a table is on two lines, but for long ones such as ids.
    func checkWordsOfTables(_ what: Comment) async throws {
        let broken = try await evaluate(
            #"""
            const broken = [], range = document.createRange();
            for (const cell of document.querySelectorAll("th, td")) {
              const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
              while (texts.nextNode()) {
                const node = texts.currentNode;
                for (const word of node.data.matchAll(/[^\s.@\/-]+/g)) {
                  if (word[0].length > 24) continue;
                  range.setStart(node, word.index);
                  range.setEnd(node, word.index + word[0].length);
                  const tops = new Set([...range.getClientRects()].map(box => Math.round(box.top)));
                  if (tops.size > 1) broken.push(word[0]);
                }
              }
            }
            return broken
            """#)
        #expect(broken == [], what)
    }

    /// Checks that the fields of short forms take most of a small screen's width.
    func checkFieldsOfFilters(_ what: Comment) async throws {
        let narrow = try await evaluate(
            """
            return [...document.querySelectorAll("form.filters input:not([type=hidden]), form.filters select")]
              .filter(e => e.getBoundingClientRect().width < 0.6 * e.form.clientWidth).map(e => e.outerHTML)
            """)
        #expect(narrow == [], what)
    }
}
