/** The log of Redis and the output of its MONITOR command, with the field names of Logstash before ECS. */
export const patterns: Readonly<Record<string, string>> = {
  // With the year since Redis 5.
  REDISTIMESTAMP: String.raw`%{MONTHDAY} %{MONTH} (?:\d{4} )?%{TIME}`,
  // `[4018] ` before Redis 3, then `4018:M ` with the role; the sign is the level.
  REDISLOG: String.raw`\[?%{POSINT:pid}(?:\]|:[CMSX]) %{REDISTIMESTAMP:timestamp} [.*#-] ?`,
  REDISMONLOG:
    String.raw`%{NUMBER:timestamp} \[%{INT:database} (?:\[?%{IP:client}\]?:%{NUMBER:port}|lua|unix:[^\]]*)\] ` +
    '"%{WORD:command}"(?: |$)%{GREEDYDATA:params}'
}
