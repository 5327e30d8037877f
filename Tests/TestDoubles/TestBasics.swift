// What every test may use comes with the doubles, without an import of its own.
@_exported public import TestBasics
