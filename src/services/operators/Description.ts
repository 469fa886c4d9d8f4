import { digested, type Feature, operation, revalidated } from "../shared/openapi/OpenApiParts.ts"

/** What OpenAPI says of operator tests. */
export const operators: Feature<"patterns" | "propose" | "test"> = {
  description: "Parsing operators, tried on samples",
  operations: {
    patterns: operation(
      "The built-in patterns and those of the tenant, with the examples of the most usual ones. A tenant's pattern " +
        "stands in the place of a built-in one of the same name.",
      revalidated
    ),
    propose: operation(
      "For each form that the samples have, a grok pattern that matches all of it and, where it can be said so, a " +
        "dissect pattern. Times, levels, addresses and numbers are recognised, and fields are named after the keys " +
        "before them.",
      digested,
      { body: { input: "2026-01-01T00:00:00Z INFO [main] started\n2026-01-01T00:00:01Z WARN [web] slow: 12 ms\n" } }
    ),
    test: operation(
      "Every part of the form may be a file or a text. A sample that does not match is a result and no error, and bytes " +
        "of it that are not UTF-8 are replaced, with a hint; a pattern or program that does not compile is a 500.",
      digested,
      { body: { input: "189 127.0.0.1\nabc\n", pattern: "%{NUMBER:duration} %{IP:client}" } }
    )
  },
  schemas: {
    BankPattern: {
      description: "A named grok pattern",
      example: { name: "POSINT", regex: "\\b(?:[1-9][0-9]*)\\b", example: "42" }
    },
    Bank: {
      description: "The grok patterns that tests can refer to",
      example: { patterns: [{ name: "POSINT", regex: "\\b(?:[1-9][0-9]*)\\b", example: "42" }], leftOut: [] }
    },
    ProposeForm: {
      description: "The samples to propose patterns for",
      example: { input: "2026-01-01T00:00:00Z INFO [main] started\n" }
    },
    ProposedField: {
      description: "A field that a proposed pattern finds",
      example: { name: "level", type: "text", examples: ["INFO", "WARN"] }
    },
    Proposal: {
      description: "A pattern that matches all samples of one form",
      example: {
        operator: "grok",
        pattern: "^%{TIMESTAMP_ISO8601:timestamp} %{LOGLEVEL:level} %{GREEDYDATA:message}$",
        fields: [{ name: "level", type: "text", examples: ["INFO", "WARN"] }],
        matched: 2,
        specificity: 18.5,
        micros: 3.2
      }
    },
    Proposals: {
      description: "Patterns for the samples, the best first",
      example: { total: 2, hints: [], proposals: [] }
    },
    OperatorTestForm: {
      description: "The parts of an operator test",
      example: { input: "189 127.0.0.1\nabc\n", pattern: "%{NUMBER:duration} %{IP:client}" }
    },
    OperatorCapture: {
      description: "A field that a grok pattern has found",
      example: { name: "duration", syntax: "NUMBER", value: "189", start: 0, end: 3 }
    },
    OperatorFault: {
      description: "A fault of a pattern or program, with its place",
      example: { part: "pattern", detail: "No pattern has the name NONE", line: 1, column: 1, text: "%{NONE:x}" }
    },
    OperatorFailure: {
      description: "Why a sample has no result",
      example: { reason: "no-match", detail: "Nothing matches %{NUMBER:duration} here", matchedUpTo: 0 }
    },
    OperatorSampleResult: {
      description: "What the operator made of one sample",
      example: { line: 1, input: "189 127.0.0.1", matched: true, pattern: 1, output: { duration: "189" }, micros: 12 }
    },
    OperatorTest: {
      description: "The samples with their results",
      example: {
        operator: "grok",
        total: 1,
        matched: 1,
        results: [{ line: 1, input: "189", matched: true, pattern: 1 }]
      }
    }
  }
}
