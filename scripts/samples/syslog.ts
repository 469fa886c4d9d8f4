import { moment, syslogTime } from "./clock.ts"
import { makeRandom, type Random, type Weighted } from "./random.ts"

/** One thing that happens on a machine: the lines it leaves, each with its delay in seconds from the start. */
type Story = (random: Random) => {
  readonly host: string
  /** Starts with a minute, as what a timetable starts does. */
  readonly timetable?: boolean
  readonly lines: ReadonlyArray<readonly [delay: number, text: string]>
}

const web = ["web1", "web2", "db1"]
const users = ["alice", "bob", "carol", "deploy"]
const domains = ["example.com", "example.net", "example.org"]
const units: ReadonlyArray<readonly [unit: string, description: string]> = [
  ["logrotate.service", "Rotate log files"],
  ["apt-daily.service", "Daily apt download activities"],
  ["fstrim.service", "Discard unused blocks on filesystems"],
  ["man-db.service", "Daily man-db regeneration"]
]
const commands: ReadonlyArray<readonly [user: string, command: string]> = [
  ["root", "cd / && run-parts --report /etc/cron.hourly"],
  ["root", "/usr/local/bin/backup --incremental"],
  ["www-data", "php /srv/shop/bin/console orders:sync >/dev/null 2>&1"]
]
const pid = (random: Random) => random.between(800, 32767)
const address = (random: Random) => `${random.pick(["192.0.2", "198.51.100", "203.0.113"])}.${random.between(1, 254)}`

const sshLogin: Story = (random) => {
  const [user, id, stay] = [random.skewed(users), pid(random), random.between(20, 5400)]
  const from = `10.20.${random.between(0, 3)}.${random.between(10, 250)}`
  const key = random.text("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", 43)
  const accepted = `Accepted publickey for ${user} from ${from} port ${random.between(32768, 60999)} ssh2: ED25519 SHA256:${key}`
  const session = "pam_unix(sshd:session): session"
  return {
    host: random.pick([...web, "mail1"]),
    lines: [
      [0, `sshd[${id}]: ${accepted}`],
      [0, `sshd[${id}]: ${session} opened for user ${user}(uid=${1000 + users.indexOf(user)}) by (uid=0)`],
      [stay, `sshd[${id}]: Received disconnect from ${from}: disconnected by user`],
      [stay, `sshd[${id}]: ${session} closed for user ${user}`]
    ]
  }
}

const sshGuess: Story = (random) => {
  const [from, host] = [address(random), random.pick(web)]
  const attempt = (index: number) => {
    const id = pid(random)
    const name = random.pick(["admin", "test", "oracle", "ubuntu"])
    const origin = `${from} port ${random.between(32768, 60999)}`
    return [
      [index * 4, `sshd[${id}]: Invalid user ${name} from ${origin}`],
      [index * 4 + 2, `sshd[${id}]: Failed password for invalid user ${name} from ${origin} ssh2`]
    ] as const
  }
  return { host, lines: Array.from({ length: random.between(1, 6) }, (_, index) => attempt(index)).flat() }
}

const cron: Story = (random) => {
  const [user, command] = random.pick(commands)
  return { host: random.pick(web), timetable: true, lines: [[1, `CRON[${pid(random)}]: (${user}) CMD (${command})`]] }
}

const service: Story = (random) => {
  const [unit, description] = random.pick(units)
  const name = `${unit} - ${description}`
  const took = random.between(1, 40)
  return {
    host: random.pick([...web, "mail1"]),
    lines: [
      [0, `systemd[1]: Starting ${name}...`],
      [took, `systemd[1]: ${unit}: Deactivated successfully.`],
      [took, `systemd[1]: Finished ${name}.`]
    ]
  }
}

const kernel: Story = (random) => {
  const uptime = `[${random.between(400000, 900000)}.${random.text("0123456789", 6)}]`
  const blocked = `IN=eth0 OUT= SRC=${address(random)} DST=192.0.2.10 LEN=40 TTL=${random.between(48, 250)} PROTO=TCP`
  const text = random.weighted([
    [12, `[UFW BLOCK] ${blocked} SPT=${random.between(1024, 65535)} DPT=${random.pick([22, 23, 3389, 5432])} SYN`],
    [2, "eth0: Link is Up - 1Gbps/Full - flow control rx/tx"],
    [1, `Out of memory: Killed process ${pid(random)} (php-fpm) total-vm:${random.between(400000, 900000)}kB`]
  ])
  return { host: random.pick(web), lines: [[0, `kernel: ${uptime} ${text}`]] }
}

const mail: Story = (random) => {
  const [smtpd, queue] = [pid(random), random.text("0123456789ABCDEF", 10)]
  const client = `${random.pick(web)}.example.com[10.20.0.${random.between(10, 30)}]`
  const to = `${random.pick(["orders", "jane", "john", "support"])}@${random.pick(domains)}`
  const status = random.weighted([
    [9, "sent (250 2.0.0 Ok: queued)"],
    [1, "deferred (connection timed out)"]
  ])
  const wait = random.between(1, 30)
  const sent = `dsn=${status.startsWith("sent") ? "2.0.0" : "4.4.1"}, status=${status}`
  return {
    host: "mail1",
    lines: [
      [0, `postfix/smtpd[${smtpd}]: connect from ${client}`],
      [0, `postfix/smtpd[${smtpd}]: ${queue}: client=${client}`],
      [
        0,
        `postfix/qmgr[1893]: ${queue}: from=<shop@example.com>, size=${random.between(900, 48000)}, nrcpt=1 (queue active)`
      ],
      [1, `postfix/smtpd[${smtpd}]: disconnect from ${client} ehlo=1 mail=1 rcpt=1 data=1 quit=1 commands=5`],
      [
        wait,
        `postfix/smtp[${pid(random)}]: ${queue}: to=<${to}>, relay=mx.${to.split("@")[1]}[198.51.100.25]:25, delay=${wait}, ${sent}`
      ],
      ...(status.startsWith("sent") ? [[wait, `postfix/qmgr[1893]: ${queue}: redrawn`] as const] : [])
    ]
  }
}

const stories: Weighted<Story> = [
  [10, sshLogin],
  [8, sshGuess],
  [22, cron],
  [6, service],
  [16, kernel],
  [14, mail]
]

/**
 * Lines of several machines as a syslog daemon writes them to a file: `TIMESTAMP HOSTNAME TAG: CONTENT` of RFC 3164,
 * section 4.1, without the PRI part, by time. The last story may be cut short to keep to the number of lines.
 */
export const syslogLog = (seed: number, lines: number): string => {
  const random = makeRandom(seed)
  const written: Array<readonly [at: number, line: string]> = []
  while (written.length < lines) {
    const drawn = moment(random)
    const story = random.weighted(stories)(random)
    const at = story.timetable ? drawn - (drawn % 60_000) : drawn
    for (const [delay, text] of story.lines) written.push([at + delay * 1000, `${story.host} ${text}`])
  }
  const byTime = written.slice(0, lines).sort(([a], [b]) => a - b)
  return byTime.map(([at, line]) => `${syslogTime(at)} ${line}\n`).join("")
}
