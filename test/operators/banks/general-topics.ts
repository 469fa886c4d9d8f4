import type { PatternSet } from "../../../src/languages/grok/banks/Banks.ts"

/** The general topics: not specific to a firewall, name server, backup or cloud. */
const topics: Readonly<Record<PatternSet, ReadonlyArray<string>>> = (() => {
  const common = [
    "grok-patterns",
    "linux-syslog",
    "httpd",
    "java",
    "maven",
    "mongodb",
    "redis",
    "ruby",
    "rails",
    "postgresql",
    "squid",
    "haproxy",
    "exim",
    "mcollective"
  ]
  return { legacy: [...common, "mcollective-patterns"], "ecs-v1": common }
})()

export const generalTopics: ReadonlyArray<{ readonly set: PatternSet; readonly topic: string }> = (
  ["legacy", "ecs-v1"] as const
).flatMap((set) => topics[set].map((topic) => ({ set, topic })))

/** The patterns that a topic's file defines. */
export const patternsOf = async (set: PatternSet, topic: string): Promise<Readonly<Record<string, string>>> =>
  (await import(`../../../src/languages/grok/banks/${set}/${topic}.ts`)).patterns

/** All patterns of the topics, by set and name. */
export const topicPatterns = async (): Promise<Record<PatternSet, Record<string, string>>> => {
  const found: Record<PatternSet, Record<string, string>> = { legacy: {}, "ecs-v1": {} }
  for (const { set, topic } of generalTopics) Object.assign(found[set], await patternsOf(set, topic))
  return found
}
