import Texts

/// The fields that paths name, as a tree of their names.
///
/// At each level, a selection visits the fields of the document or those of the tree, whichever are fewer. So a small
/// document costs little also if thousands of fields are selected.
package struct FieldSelection: Sendable {
    /// The paths that were given.
    package let paths: [FieldPath]
    private var root = Node()

    /// Makes a selection. The path of the document's name selects nothing, and neither does one that is deeper than
    /// documents are.
    package init(_ paths: [FieldPath]) {
        self.paths = paths
        for path in paths where !path.segments.isEmpty && path.segments.count <= Limits.depth + 1 {
            if !path.isDocumentName { root.insert(path.segments[...]) }
        }
    }

    /// Returns only the selected fields.
    package func parts(of fields: Fields) -> Fields { root.parts(of: fields) }
}

extension FieldSelection: Hashable {
    /// Compares the paths, in their order.
    package static func == (left: FieldSelection, right: FieldSelection) -> Bool { left.paths == right.paths }

    /// Hashes the number of the paths, which may be thousands.
    package func hash(into hasher: inout Hasher) { hasher.combine(paths.count) }
}

/// A place in the tree of a selection.
private struct Node: Sendable {
    /// `true` if a path ends here.
    private var isWhole = false
    private var fields: [ExactText: Node] = [:]

    mutating func insert(_ names: ArraySlice<String>) {
        guard let name = names.first else {
            isWhole = true
            return
        }
        fields[ExactText(name), default: Node()].insert(names.dropFirst())
    }

    func parts(of content: Fields) -> Fields {
        var parts: Fields = [:]
        if fields.count < content.count {
            for (name, node) in fields {
                guard let value = content[name.text] else { continue }
                parts[name.text] = node.part(of: value)
            }
        } else {
            for (name, value) in content { parts[name] = fields[ExactText(name)]?.part(of: value) }
        }
        return parts
    }

    /// Returns the selected part of a value; `nil` if it has none.
    private func part(of value: Value) -> Value? {
        if isWhole { return value }
        guard let content = value.fieldsOfPath else { return nil }
        let parts = parts(of: content)
        return parts.isEmpty ? nil : .map(parts)
    }
}
