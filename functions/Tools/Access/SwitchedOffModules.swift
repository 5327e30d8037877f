import Settings

/// The modules that a gateway has switched off, found by their paths: the clients of one learn which setting it needs.
package struct SwitchedOffModules: Sendable {
    private struct Module: Sendable {
        let name: String
        /// The key of the setting that switches it on.
        let setting: String
        let paths: [PathPattern]
    }

    private let modules: [Module]

    /// Collects the paths of modules that are switched off.
    package init(_ modules: [any FunctionModule.Type]) {
        self.modules = modules.map { module in
            Module(name: module.name, setting: module.keys.prefix + ModuleKey.enabled, paths: module.paths)
        }
    }

    /// Returns a text that names the modules with a path and the settings that switch them on; `nil` if none has it.
    package func advice(at path: RequestPath) -> String? {
        let found = modules.filter { module in module.paths.contains { $0.covers(path) } }
        guard !found.isEmpty else { return nil }
        let names = found.map { "\($0.name), which the setting \($0.setting) switches on" }
        return "this path is for \(names.joined(separator: ", or for "))"
    }
}
