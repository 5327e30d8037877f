import JSON
import Testing

/// Checks of a page's layout and colours.
extension Browser {
    /// Checks that a page has no sideways scrolling, no control without a name, and no complaint in the console.
    ///
    /// - Parameter language: The language that the page has.
    func checkLayout(_ what: Comment, language: String = "en") async throws {
        let sideways = try await evaluate(
            "const e = document.documentElement; return e.scrollWidth - e.clientWidth")
        #expect(sideways == 0, what)
        let unnamed = try await evaluate(
            """
            return [...document.querySelectorAll("input, textarea, button, select")]
              .filter(e => e.checkVisibility()).filter(e => !(e.labels && e.labels.length) && !e.textContent.trim()).map(e => e.outerHTML)
            """)
        #expect(unnamed == [], what)
        let small = try await evaluate(
            """
            return [...document.querySelectorAll("form input:not([type=radio], [type=checkbox]), form textarea, button, label.option, label.slot")]
              .filter(e => e.checkVisibility()).filter(e => e.getBoundingClientRect().height < 44).map(e => e.outerHTML)
            """)
        #expect(small == [], what)
        #expect(try await evaluate("return document.documentElement.lang") == .string(language), what)
        #expect(try await complaints() == [], what)
    }

    /// Checks the contrast in light and in dark mode.
    ///
    /// - Parameter name: The first part of the screenshots' names.
    func checkColours(_ screen: Screen, _ name: String) async throws {
        for isDark in [false, true] {
            try await use(dark: isDark)
            let contrast = try await evaluate(
                """
                const light = text => {
                  const parts = text.match(/[0-9.]+/g).slice(0, 3).map(v => v / 255)
                    .map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
                  return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
                };
                const ground = e => {
                  for (; e; e = e.parentElement) {
                    const colour = getComputedStyle(e).backgroundColor;
                    if (!/, 0\\)$/.test(colour)) return colour;
                  }
                  return "rgb(255, 255, 255)";
                };
                const ratio = e => {
                  const pair = [light(getComputedStyle(e).color), light(ground(e))].sort((a, b) => b - a);
                  return (pair[0] + 0.05) / (pair[1] + 0.05);
                };
                return Math.min(...[...document.querySelectorAll("h1, p, label, legend, button, span, textarea, input")].map(ratio))
                """)
            #expect((contrast.double ?? 0) >= 4.5, "contrast \(contrast) in \(isDark ? "dark" : "light")")
            let brightness = try await evaluate(
                "return getComputedStyle(document.body).backgroundColor.match(/[0-9]+/g).map(Number)[0]")
            #expect(((brightness.integer ?? 0) < 60) == isDark)
            try await keepScreenshot("\(name)-\(screen)-\(isDark ? "dark" : "light")")
        }
        try await use(dark: false)
    }
}
