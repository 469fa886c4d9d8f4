// All texts of the console. Each section is an export, and the build gives a page only the sections that it imports.
// Another language would be another file with these exports.

/** A format that is created on first use: the first one of a page takes a browser tens of milliseconds. */
const lazily = <A extends { readonly format: (value: number) => string }>(make: () => A) => {
  let made: A | undefined
  const get = (): A => {
    made ??= make()
    return made
  }
  return { get, format: (value: number): string => get().format(value) }
}

const number = /* @__PURE__ */ lazily(() => new Intl.NumberFormat("en"))

const percent = /* @__PURE__ */ lazily(
  () => new Intl.NumberFormat("en", { style: "percent", maximumFractionDigits: 2 })
)

const time = /* @__PURE__ */ lazily(() => new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "short" }))

const plural = (count: number, one: string, many: string) => `${number.format(count)} ${count === 1 ? one : many}`

const moment = /* @__PURE__ */ lazily(() => new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "medium" }))

const clock = /* @__PURE__ */ new Intl.DateTimeFormat("en-GB", {
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  fractionalSecondDigits: 3
})

const exact = /* @__PURE__ */ lazily(() => new Intl.DateTimeFormat("en", { dateStyle: "full", timeStyle: "long" }))

/** A duration in readable form. */
const duration = (ms: number): string => {
  if (ms < 999.5) return `${number.format(Math.round(ms))} ms`
  if (ms < 59_950) return `${number.format(Math.round(ms / 100) / 10)} s`
  const seconds = Math.round(ms / 1000)
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`
  const minutes = Math.round(ms / 60_000)
  return minutes < 2880
    ? `${Math.floor(minutes / 60)} h ${minutes % 60} min`
    : `${number.format(Math.round(minutes / 1440))} days`
}

const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"]

const bytes = (count: number): string => {
  const power = count < 1024 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(count) / 10))
  return `${number.format(Math.round((count / 1024 ** power) * 10) / 10)} ${units[power]}`
}

/** Texts shared by several pages. */
export const common = {
  close: "Close",
  cancel: "Cancel",
  notLoaded: "This cannot be loaded now, as the gateway does not answer",
  loading: "Loading…",
  problem: "The gateway refused this",
  away: "The gateway does not answer. This page goes on as soon as it is back.",
  barred: "A proxy in front of the gateway answered instead of it, probably as it wants a login.",
  ofProxy: (status: number) =>
    status === 413
      ? "A proxy in front of the gateway refused this, as it is larger than the proxy allows (HTTP 413)."
      : `The answer is not the gateway's, but of something in front of it, such as a proxy: HTTP ${status}.`,
  requestId: "Request",
  again: "Try again",
  more: "Show more",
  sortBy: (column: string) => `Sort by ${column}`,
  rows: (count: number) => plural(count, "row", "rows"),
  started: "The run has started. It is the newest one in the list of runs.",
  noPage: "There is no such page",
  saveKeys: [{ keys: "Ctrl+S", does: "saves; Cmd+S on a Mac" }],
  tableKeys: [
    { keys: "↑ ↓", does: "go from row to row of a table" },
    { keys: "PageUp PageDown Home End", does: "go further in a table" },
    { keys: "Enter", does: "opens the row" }
  ],
  moment: (at: number) => moment.format(at),
  exact: (at: number) => exact.format(at),
  span: (from: number, to: number) => moment.get().formatRange(from, to),
  plotHelp: "The arrow keys go from value to value.",
  duration,
  bytes,
  count: (value: number) => number.format(value),
  copy: "Copy",
  copied: "Copied",
  notCopied: "The browser does not allow copying here",
  remove: "Delete",
  open: "Open",
  save: "Save",
  download: "Download",
  none: "none",
  name: "Name",
  size: "Size",
  version: "Version",
  sha256: "SHA-256",
  state: "State",
  created: "Made",
  outcome: "Outcome",
  actions: "Actions"
}

/** Texts of commands for a terminal. */
export const command = {
  needs: (role: string) => `To begin here, you need the role ${role}. Ask somebody who has the role admin.`
}

/** Texts of the frame around the pages. */
export const shell = {
  product: "Flow Gateway",
  pages: "Pages",
  menu: ", all pages",
  titles: {
    tester: "Tester",
    flowlines: "Flowlines",
    runs: "Runs",
    channels: "Channels",
    search: "Search",
    data: "Data",
    guide: "Guide",
    admin: "Administration",
    login: "Log in"
  },
  skip: "Skip to content",
  tenant: "Tenant",
  unseen: "choose one",
  account: "User",
  nameOf: (principal: string) => principal.replace(/^(user|token):(.*#)?/, ""),
  colours: "Colours",
  themes: { system: "as the system", light: "light", dark: "dark" },
  lost: "The gateway does not answer. What you type is kept in this browser; the page goes on as soon as it is back.",
  barred:
    "Something in front of the gateway answers instead of it, probably a proxy whose login has ended. What you type is kept in this browser; the page goes on after a login there.",
  logInThere: "Log in, in a new tab",
  askNow: "Ask now",
  keys: {
    title: "Keys",
    here: "On this page",
    everywhere: "Everywhere",
    common: [
      { keys: "?", does: "shows this list" },
      { keys: "Tab Shift+Tab", does: "go on, and back" },
      { keys: "Enter", does: "does what has the focus" },
      { keys: "Escape", does: "closes a dialog or a menu" }
    ]
  },
  loading: "Loading…",
  failed: "This page has failed",
  notLoaded: "This page is loaded as soon as the gateway answers.",
  newVersion: "There is a new version of the console",
  reload: "Load again",
  notices: "Notices"
}

/** The dialogs of login, account and tenant, and the page to which a login at an issuer returns. */
export const login = {
  title: "Log in to Flow Gateway",
  again: "Log in again",
  ended: "Your session has ended. What is on the page is kept, and goes on after the login.",
  at: (name: string) => `Log in at ${name}`,
  newTab: "opens in a new tab, so that this page is kept",
  or: "or",
  with: "Log in with",
  schemes: { password: "Name and password", key: "API key", token: "Token", oidc: "Login at an issuer" },
  user: "Name",
  password: "Password",
  secret: { key: "API key", token: "Token (JWT)" },
  submit: "Log in",
  busy: "Logging in…",
  wrong: {
    password: "The name or the password is wrong.",
    key: "The gateway does not accept this key: it is unknown, revoked or over.",
    token: "The gateway does not accept this token: it is over, meant for somebody else, or of an unknown issuer."
  },
  problems: {
    unknown: "This gateway has no such issuer any more.",
    unreachable:
      "The issuer did not answer, or not as an issuer does. Try again; the log of the gateway has the reason.",
    denied: "The issuer has refused the login.",
    expired: "This login was not begun in this browser, or longer than ten minutes ago. Begin it again.",
    refused: "What the issuer has sent is not valid for this login. The log of the gateway has the reason.",
    busy: "Too many logins have failed or are under way. Try again in a while."
  },
  done: "You are logged in",
  closable: "You can close this page: the one that you came from goes on.",
  toTester: "Go to the tester",
  account: "User",
  principal: "Logged in as",
  scheme: "With",
  ends: "The session ends",
  idle: "Without use it ends",
  roles: "Roles",
  everyTenant: "every tenant",
  noTenant: "There is no tenant for you yet",
  none: "You may not see any tenant. Whoever keeps the access file of this gateway can give you a role.",
  unseen: "You may not see the tenant of this address",
  unseenWhy: (name: string) =>
    `The address is of the tenant ${name}, which does not exist, or in which you have no role. Ask whoever keeps the access file for one, or choose another tenant above.`,
  roleHere: (role: string) => `Your role here is ${role}.`,
  logOut: "Log out",
  tenants: "Your tenants",
  filter: "Search",
  nothing: "No tenant of yours has such a name."
}

/** Texts of the DAG of a flowline. */
export const dag = {
  view: "View of the nodes",
  views: { picture: "Picture", list: "List", table: "Table" },
  large: (most: number) => `There are more than ${number.format(most)} nodes: too many for a picture`,
  edge: (from: string, to: string, label: string) => `${label} from ${from} to ${to}`,
  zoomIn: "Closer",
  zoomOut: "Farther",
  fit: "Fit",
  from: "Receives from",
  to: "Sends to",
  node: "Node",
  type: "Type",
  facts: "Counts",
  problem: "Problem"
}

export const tester = {
  title: "Tester",
  keys: [
    { keys: "%{", does: "completes names of the bank, in the patterns" },
    { keys: "↑ ↓ PageUp PageDown Home End", does: "go from line to line, in the results" },
    { keys: "← →", does: "choose the operator or the view, where that has the focus" },
    { keys: "Ctrl+Z", does: "takes back, in an editor; Cmd+Z on a Mac" }
  ],
  operator: "Operator",
  operators: { grok: "grok", dissect: "dissect", flowlet: "flowlet" },
  patterns: { grok: "Grok patterns", dissect: "Dissect patterns", flowlet: "Program (JavaScript)" },
  patternHelp: {
    grok: "One on each line, tried in order. Type %{ for completion.",
    dissect: "One on each line, tried in order.",
    flowlet: "process(event) returns the event, several, or nothing to drop it."
  },
  samples: "Log lines",
  samplesHelp: "Paste lines, or drop a file here. Select text for proposals.",
  options: "Options",
  definitions: "Definitions, NAME regex on each line",
  ecs: "ECS field names",
  separator: "Separator of appended values",
  whole: "The whole text is one sample",
  openLog: "Open a log",
  propose: "Propose patterns",
  bank: "Pattern bank",
  history: "History",
  share: "Share",
  use: "Use in a flowline",
  results: "Results",
  empty: "Paste some log lines and a pattern: the results appear here as you type.",
  emptyHint: "No pattern yet? Propose patterns looks at your lines and suggests some.",
  testing: "Testing…",
  slowDown: "The gateway is busy: trying again…",
  repeats: "Trying again…",
  matched: (matched: number, total: number) =>
    `${number.format(matched)} of ${plural(total, "line", "lines")} match (${percent.format(total === 0 ? 0 : matched / total)})`,
  took: (micros: number) => `${number.format(Math.round(micros))} µs a line`,
  cut: (lines: number) => `Only the first ${plural(lines, "line is", "lines are")} tested`,
  onlyMisses: "Only misses",
  view: "View",
  views: { lines: "Lines", fields: "Fields" },
  line: "Line",
  state: "State",
  sample: "Sample",
  time: "Time",
  micros: (micros: number) => `${number.format(micros)} µs`,
  match: "matches",
  miss: "does not match",
  noRows: "Every line matches.",
  current: (line: number) => `Line ${number.format(line)}`,
  previous: "Previous",
  next: "Next",
  nextMiss: "Next miss",
  fields: "Fields",
  field: "Field",
  value: "Value",
  type: "Type",
  by: "Pattern",
  failure: {
    "no-match": "Does not match",
    timeout: "Took too long",
    conversion: "A value does not convert",
    dropped: "The program dropped the event",
    script: "The program failed"
  },
  matchedUpTo: (characters: number) => `The pattern matches ${plural(characters, "character", "characters")}:`,
  failedAt: "Here it fails:",
  rest: "The rest of the line:",
  nothingLeft: "nothing is left",
  hint: "Hint:",
  at: (line: number, column: number) => `line ${line}, column ${column}`,
  printed: "Printed",
  expect: "Expect this",
  unexpect: "Expect no more",
  expectAll: "Expect all results",
  holds: "as expected",
  broken: "not as expected",
  expected: "Expected",
  expectedMiss: "no match",
  expectations: (held: number, total: number) =>
    `${number.format(held)} of ${plural(total, "expectation", "expectations")} hold`,
  clearExpectations: "Remove all",
  perPattern: "Patterns",
  matches: "Matches",
  average: "Average",
  longest: "Longest",
  matchesNothing: "matches nothing",
  warnings: "Warnings",
  faultAt: (part: string, line: number, column: number) => `${part}, line ${line}, column ${column}:`,
  parts: { pattern: "Pattern", definitions: "Definitions", logFile: "Program", input: "Lines" },
  selection: "Patterns for the selected text",
  selectionNone: "No pattern of the bank is all of it.",
  proposeLines: "Propose for the selected lines",
  proposeLine: "Propose",
  proposals: {
    title: "Proposals",
    looking: "Looking at the lines…",
    none: "There are no lines to look at.",
    matched: (matched: number, total: number) => `${number.format(matched)} of ${plural(total, "line", "lines")}`,
    specificity: (value: number) => `specificity ${number.format(value)}`,
    replace: "Use it",
    add: "Add it",
    examples: "for example"
  },
  bankDialog: {
    title: "Pattern bank",
    search: "Search names, expressions and examples",
    found: (count: number) => plural(count, "pattern", "patterns"),
    example: "Example",
    expression: "Expression",
    expands: "Expands to",
    from: "From",
    builtIn: "built in",
    insert: "Insert",
    leftOut: "Left out:"
  },
  historyDialog: {
    title: "History",
    none: "Nothing yet. What you test is kept in this browser only.",
    open: "Open",
    remove: "Remove",
    removeAll: "Remove all",
    lines: (count: number) => plural(count, "line", "lines"),
    when: (at: number) => time.format(at)
  },
  shareDialog: {
    title: "Share",
    link: "Copy a link",
    linkCopied: "The link is copied",
    linkHolds: "The link holds everything on this page, lines included: it goes to nobody but those who get it.",
    tooLarge: "This is too much for a link. Save it as a file.",
    save: "Save as a file",
    open: "Open a file",
    badFile: "This is no file of the tester",
    largeFile: "The file is larger than 16 MiB"
  },
  useDialog: {
    title: "Use in a flowline",
    help: "This node goes into the dag of a flowline. Name the stream that it reads.",
    create: "New flowline with it",
    copy: "Copy",
    copied: "Copied",
    save: "Download"
  },
  notKept: "This is too large for the storage of the browser. Save it as a file to keep it.",
  linkTooNew: "The link cannot be read. It may be cut off."
}

export const flowlines = {
  title: "Flowlines",
  create: "New flowline",
  kinds: { input: "input", processing: "processing", output: "output" },
  views: { edit: "Text and DAG", versions: "Versions", schedules: "Schedules", runs: "Runs" },
  list: {
    name: "Name",
    lastRuns: "Last runs",
    description: "What it does",
    runtime: "Runtime",
    nodes: "Nodes",
    version: "Version",
    changed: "Changed",
    filter: "Filter by name, node or description",
    count: (found: number, all: number) =>
      found === all
        ? plural(all, "flowline", "flowlines")
        : `${number.format(found)} of ${plural(all, "flowline", "flowlines")}`,
    noneFound: "No flowline has all these words.",
    empty: "No flowlines yet",
    emptyHelp:
      "A flowline reads records, changes them and writes them: inputs, processing nodes and outputs, in a text of YAML. " +
      "A new one begins with an example that works as it is: try it, save it, run it.",
    emptyCurl: "Or save a file:",
    noRuns: "not run yet",
    states: {
      PENDING: "waiting",
      RUNNING: "running",
      SUCCEEDED: "succeeded",
      FAILED: "failed",
      CANCELLED: "cancelled",
      LOST: "lost"
    },
    run: (state: string, took: string, at: string) => `${state}, ${took}, ${at}`,
    runs: (name: string, count: number, failed: number, last: string, took: string) =>
      `Last ${plural(count, "run", "runs")} of ${name}: ${number.format(failed)} failed, the last one ${last} in ${took}`
  },
  edit: {
    text: "Flowline",
    textHelp: (format: "yaml" | "json" | "hjson") =>
      `${format.toUpperCase()}. Type, or press Control and Space, for completion. Control and S saves.`,
    dag: "DAG",
    saved: (version: number) => `Version ${number.format(version)}, saved`,
    notSaved: "Not saved yet",
    unsaved: "Changed, not saved",
    keys: [
      { keys: "Ctrl+Space", does: "completes, in the text" },
      { keys: "F8", does: "goes to the next problem, in the text" }
    ],
    replaced: "This is in place of a text that you had not saved.",
    takeBack: "Take that back",
    saving: "Saving…",
    nothingToSave: "Nothing has changed since it was saved",
    leftUnsaved: (why: string) => `The flowline was not saved, and its text is kept here: ${why}`,
    savedNow: (version: number) => `Saved as version ${number.format(version)}`,
    discard: "Discard changes",
    run: "Run",
    withTests: "Only if its tests pass",
    add: "Add a node",
    byHand: "The form cannot change this place, such as an alias or a text with faults: change the text itself.",
    notKept: "This is too large for the storage of the browser. Save it to keep it.",
    tooLarge: "This text is larger than 1 MiB: the DAG and the forms are left out.",
    graphOld: "of the last text without faults",
    panels: "Beside the text",
    panel: { node: "Node at the cursor", try: "Try it" },
    noNode: "There is no node yet: add one, or type dag: and its nodes.",
    noForm: "There are no forms for this text."
  },
  completion: {
    required: "required",
    isDefault: "default",
    byDefault: (value: unknown) => `Default: ${JSON.stringify(value)}`
  },
  faults: {
    title: "Problems",
    count: (count: number) => plural(count, "problem", "problems"),
    warnings: (count: number) => `No problems, ${plural(count, "warning", "warnings")}`,
    none: "No problems",
    checking: "Checking…",
    notChecked: "",
    line: (line: number, column: number) => `${line}:${column}`
  },
  node: {
    title: (name: string) => `Node ${name}`,
    views: { form: "Settings", documentation: "Documentation" },
    name: "Name",
    receives: "Receives",
    receiveToo: "Receive another stream…",
    nothingElse: "No other node publishes a stream",
    noMore: (wire: string) => `No longer receive ${wire}`,
    publishes: (outputs: ReadonlyArray<string>) =>
      outputs.includes("*") ? "Publishes, with commas between" : `Publishes (${outputs.join(", ")})`,
    unknown: (type: string) => `There is no node of the type "${type}" here.`,
    wires: (least: number, most: number, outputs: ReadonlyArray<string>) =>
      `${most === 0 ? "Receives nothing" : least === most ? `Receives ${plural(most, "stream", "streams")}` : `Receives ${number.format(least)} to ${plural(most, "stream", "streams")}`}. ${outputs.length === 0 ? "Publishes nothing" : `Publishes ${outputs.map((one) => (one === "*" ? "streams of any name" : one)).join(", ")}`}.`,
    example: "Example",
    runtimes: (names: ReadonlyArray<string>) => `Runtimes: ${names.join(", ")}.`
  },
  form: {
    required: "required",
    onePerLine: "One on each line.",
    asYaml: "Written in YAML.",
    notSet: "not set",
    byDefault: (value: string) => `default: ${value}`,
    more: (count: number) => plural(count, "more setting", "more settings")
  },
  add: {
    title: "Add a node",
    search: "Search names and descriptions",
    none: "No node has all these words.",
    add: "Add",
    addType: (type: string) => `Add ${type}`,
    after: (name: string) => `It receives what ${name} publishes.`
  },
  tryOut: {
    title: "Try it on a sample",
    help: "Runs the text as it is, with the sample in place of what the inputs read. Nothing is written, sent or kept.",
    run: "Try",
    running: "Trying…",
    sampleOf: (name: string) => `Sample for ${name}`,
    placeholder: "Lines, or the head of a file. Empty: the input reads its own source.",
    first: "Records that inputs without a sample read",
    outcomes: { succeeded: "succeeded", failed: "failed" },
    old: "of an older text",
    edges: "Streams with their records",
    choose: "Choose a stream or a node, here or in the DAG, to see its records.",
    edge: (from: string, stream: string, to: string) => `${from} · ${stream} → ${to}`,
    firstOf: (shown: number, count: number) => `the first ${number.format(shown)} of ${number.format(count)}`,
    none: "No records.",
    text: "Text",
    record: (at: number) => `Record ${number.format(at)}`,
    records: (into: number, out: number) => `${number.format(into)} in, ${number.format(out)} out`,
    recordsIn: (count: number) => `${number.format(count)} in`,
    recordsOut: (count: number) => `${number.format(count)} out`,
    rejected: (count: number) => `${number.format(count)} rejected`,
    dropped: (count: number) => `${number.format(count)} dropped`,
    rejectedOf: (name: string) => `Rejected by ${name}`,
    droppedOf: (name: string) => `Dropped by ${name}`,
    lost: (count: number, reasons: string) => `${plural(count, "failure", "failures")} without a record: ${reasons}`,
    unmatched: (text: string, line: number | undefined) =>
      `${line === undefined ? "" : `Line ${line}: `}${text} matched no record`,
    unreferenced: "Fields that nothing uses:",
    printed: "Printed",
    passed: "passes",
    failed: "fails",
    line: (line: number) => `Line ${number.format(line)}:`
  },
  run: {
    title: "Run the flowline",
    run: "Run",
    unsaved: "What runs is the saved version. What you have changed since is not in it.",
    noParameters: "It has no parameters."
  },
  newer: {
    title: "A newer version",
    gone: "This flowline was deleted. Save makes a new one of its text.",
    saved: (version: number) => `Version ${number.format(version)} was saved by somebody else.`,
    refused: (version: number) =>
      `Nothing was saved: somebody else has saved version ${number.format(version)} before you.`,
    help: (base: number) => `What you have changed here began with version ${number.format(base)}.`,
    show: "Show what is new",
    mine: "Go on with my text",
    theirs: "Take theirs, discard mine",
    taken: (version: number) => `This is version ${number.format(version)}, which was saved just now`
  },
  remove: {
    title: (name: string) => `Delete ${name}?`,
    help: "All its versions go with it. Its runs and their archives stay.",
    done: (name: string) => `${name} is deleted`
  },
  versions: {
    title: "Versions",
    version: "Version",
    number: (version: number) => `Version ${number.format(version)}`,
    saved: "Saved",
    state: "State",
    current: "current",
    restores: (version: number) => `restores ${number.format(version)}`,
    file: "File",
    size: "Size",
    compare: (version: number) => `Version ${number.format(version)}, compared with`,
    restore: (version: number) => `Restore version ${number.format(version)}`,
    restoreNow: "Restore",
    restoreHelp: (version: number) =>
      `The file of version ${number.format(version)} is saved again as the next version. Nothing is lost.`,
    restored: (version: number, made: number) =>
      `Version ${number.format(made)} is the text of version ${number.format(version)}`,
    only: "There is no other version to compare it with.",
    text: (version: number) => `Text of version ${number.format(version)}`
  },
  difference: {
    title: (from: number, to: number) => `From version ${number.format(from)} to ${number.format(to)}`,
    words: { added: "added", removed: "removed", changed: "changed" },
    node: "node",
    outside: "Outside of the nodes:",
    same: "Both do the same: only comments, order or notation differ.",
    equal: "Both have the same text.",
    omitted: "the values are long: see the text",
    truncated: "There is more: this is the beginning.",
    text: "Differences of the texts"
  },
  schedules: {
    title: "Schedules",
    name: "Name",
    nameHelp: "Letters, digits, dots, dashes and underscores.",
    nameTaken: "There is a schedule of this name already.",
    when: "When it runs",
    next: "Next time",
    state: "State",
    create: "New schedule",
    change: (name: string) => `Change ${name}`,
    kinds: {
      cron: "At times: a cron expression",
      every: "Every so often",
      after: "After runs of something else",
      file: "When there is a new file",
      webhook: "When a webhook is called"
    },
    said: {
      cron: (expression: string, zone: string) => `${expression} (${zone})`,
      every: (span: string) => `every ${span}`,
      after: (what: string, on: string) => `after ${what} (${on})`,
      file: (path: string) => `new files ${path}`,
      webhook: "calls of its webhook"
    },
    fields: {
      cron: "Five fields (minute, hour, day, month, weekday), six with the second first, or a name such as @daily.",
      zone: "Time zone, such as Europe/Berlin.",
      every: "A span such as 30s, 15m, 6h or 1d.",
      afterFlowline: "Id of the flowline whose runs it follows.",
      afterSchedule: "Or the name of a schedule whose runs it follows.",
      on: "After which ends.",
      path: "Path or pattern of the files, such as incoming/*.csv.",
      root: "Where the path begins: conf, data or a root of the operator. Both folders of the tenant by default.",
      restsFor: "A file is complete when it has not changed for so long.",
      body: "What is sent: records of trigger_input, or parameters.",
      perMinute: "Calls a minute at most.",
      signature: "How calls without the token are signed: secret, header, prefix, encoding.",
      description: "What it is for.",
      version: "A version that it runs; by default the current one.",
      overlap: "What it does while its last run is not over. By default skip for times, queue for all else.",
      catchUp: "Which times it makes up for that were missed.",
      jitter: "Runs up to so much later, such as 30s."
    },
    parameters: "Parameters of its runs",
    more: "More",
    states: { active: "active", paused: "paused", faulty: "faulty" },
    empty: "No schedules yet",
    emptyHelp:
      "A schedule runs the saved flowline by itself: at times, every so often, after other runs, for new files, or when a " +
      "webhook is called.",
    detail: (name: string) => `Schedule ${name}`,
    runNow: "Run now",
    pause: "Pause",
    resume: "Resume",
    edit: "Change",
    newToken: "New token",
    newTokenHelp: "The former token holds no longer as soon as there is a new one.",
    fired: (name: string) => `${name} runs now`,
    resumed: (name: string) => `${name} is resumed`,
    pausedNow: (name: string) => `${name} is paused`,
    removeTitle: (name: string) => `Delete ${name}?`,
    removeHelp: "What it has started stays among the runs.",
    noFirings: "It has not run anything yet.",
    firingsOf: (name: string) => `What ${name} has run`,
    scheduledAt: "For",
    firedBy: "By",
    why: "Reason or file",
    run: "Run",
    openRun: "Open",
    firings: {
      WAITING: "waiting",
      STARTED: "running",
      SUCCEEDED: "succeeded",
      FAILED: "failed",
      CANCELLED: "cancelled",
      LOST: "lost",
      SKIPPED: "skipped",
      REFUSED: "refused",
      MISSED: "missed"
    }
  },
  token: {
    title: (name: string) => `Token of ${name}`,
    once: "This token is shown only now. Whoever has it can run the flowline.",
    unseen: (name: string) =>
      `${name} has a token that could not be shown, as its page was left. Make a new one there.`,
    label: "Token",
    use: "To call the webhook:",
    copy: "Copy the token"
  }
}

/** Texts of the entries of an archive. */
export const archive = {
  entries: "Entries of the archive",
  packed: "Packed",
  modified: "Written",
  download: "Download the archive",
  summary: (entries: number, size: string) => `${plural(entries, "entry", "entries")}, ${size} in all`,
  choose: "Choose an entry to look into it: only what you look at is loaded.",
  noEntry: (name: string) => `The archive has no entry ${name}`
}

const oneDigit = /* @__PURE__ */ new Intl.NumberFormat("en", { maximumFractionDigits: 1 })

const countdown = (ms: number): string => `in ${duration(Math.max(1000, Math.round(ms / 1000) * 1000))}`

const clockTime = /* @__PURE__ */ new Intl.DateTimeFormat("en", {
  ...{ hour: "2-digit", minute: "2-digit", second: "2-digit" },
  hourCycle: "h23"
})

const rate = (perSecond: number): string => {
  if (perSecond === 0) return "0/s"
  if (perSecond < 10) return `${(Math.round(perSecond * 10) / 10).toFixed(1)}/s`
  if (perSecond < 100_000) return `${number.format(Math.round(perSecond))}/s`
  return perSecond < 10_000_000
    ? `${number.format(Math.round(perSecond / 1000))} k/s`
    : `${number.format(Math.round(perSecond / 1_000_000))} M/s`
}

const runStates = {
  PENDING: "waiting",
  RUNNING: "running",
  SUCCEEDED: "succeeded",
  FAILED: "failed",
  CANCELLED: "cancelled",
  LOST: "lost"
}

const runOutcomes = { ok: "ok", warnings: "with warnings", nothing: "nothing written" }

const runEvents: Readonly<Record<string, string>> = {
  start: "The run began",
  end: "The run ended",
  failed: "The run failed",
  cancelled: "The run was cancelled"
}

export const runs = {
  title: "Runs",
  /** A time of day, to the millisecond. */
  clock: (at: number) => clock.format(at),
  views: { history: "History", archives: "Archives", files: "Files" },
  states: runStates,
  outcomes: runOutcomes,
  stateAndOutcome: (state: keyof typeof runStates, outcome: keyof typeof runOutcomes | undefined) =>
    outcome === undefined || outcome === "ok" ? runStates[state] : `${runStates[state]}, ${runOutcomes[outcome]}`,
  columns: {
    requested: "Requested",
    flowline: "Flowline",
    read: "Read",
    written: "Written",
    rejected: "Rejected",
    dropped: "Dropped",
    duration: "Duration",
    parameters: "Parameters",
    node: "Node",
    in: "Records in",
    out: "Records out"
  },
  filters: {
    flowline: "Flowline",
    from: "From",
    to: "Before",
    any: "any",
    clear: "Clear filters"
  },
  shown: (count: number, isAll: boolean) =>
    isAll
      ? `${plural(count, "run", "runs")}, the newest first`
      : `The newest ${plural(count, "run", "runs")}; older ones are loaded when you come to the end`,
  empty: {
    title: "Nothing has run yet",
    help: "A run executes a flowline once: it reads, changes and writes records, and ends. Every run is listed here, with what it has done and why.",
    flowlines: "Choose a flowline and run it",
    curl: "Or run a file, without saving it:",
    noMatch: "No run fits these filters",
    noMatchHelp: "Runs of jobs of channels are not listed here, but with their channel."
  },
  run: {
    views: {
      overview: "Overview",
      output: "Output",
      failed: "Failed records",
      archive: "Archive",
      compare: "Compare"
    },
    version: (version: number) => `version ${number.format(version)}`,
    flowline: "Open the flowline",
    graph: "What goes through the nodes",
    cancel: "Cancel the run",
    cancelTitle: "Cancel this run?",
    cancelHelp: "It ends at once. Its output is kept; its archive and the files that it has not completed are dropped.",
    again: "Run again",
    againWith: "Run with other parameters",
    removeTitle: "Delete this run?",
    removeHelp: "Its events and its output are deleted. Its archive stays until it is deleted by itself.",
    noArchive:
      "This run has made no archive: it has no archive_output node, wrote no record to it, or did not succeed.",
    noArchiveYet: "The archive is there when the run has succeeded.",
    outcomes: {
      ok: "Records were written, and nothing was left out that should not be.",
      warnings: "Records were written, but not all went well:",
      nothing: "No record was written:"
    },
    open: {
      PENDING: "It waits for a free place, or for a gateway.",
      RUNNING: "It is running. What has come of it is told when it ends.",
      SUCCEEDED: "It succeeded.",
      FAILED: "It failed.",
      CANCELLED: "It was cancelled.",
      LOST: "Its gateways died three times while it ran."
    },
    counts: ({
      read,
      written,
      rejected,
      dropped
    }: Readonly<Record<"read" | "written" | "rejected" | "dropped", number>>) =>
      `${number.format(read)} read, ${number.format(written)} written, ${number.format(rejected)} rejected, ${number.format(dropped)} dropped`,
    events: "Events",
    requested: "It was requested",
    triggered: (schedule: string, kind: string, at: string) =>
      `The schedule ${schedule} (${kind}) started it for ${at}`,
    event: (name: string) => runEvents[name.replace(/^.*\./, "")] ?? name,
    variables: (environment: string | undefined) =>
      environment === undefined ? "Variables" : `Variables of ${environment}`
  },
  node: {
    in: (count: number) => `in ${number.format(count)}`,
    out: (count: number) => `out ${number.format(count)}`,
    records: (count: number) => number.format(count),
    rate,
    rejected: (count: number) => `${number.format(count)} rejected`,
    waiting: (count: number) => `${number.format(count)} waiting`,
    left: (count: number) => `${number.format(count)} to come`,
    lag: (size: string) => `${size} not read`,
    noBacklog: "nothing waits",
    backlog: "Backlog",
    stream: (name: string) => `Out on ${name}`,
    edge: (from: string, to: string) => `From ${from} to ${to}`,
    files: "Files read",
    matched: "Matched",
    unmatched: "Not matched",
    dropped: "Dropped",
    reloads: "Tables read again",
    failedReloads: "Tables that could not be used",
    replaced: "Replaced bytes",
    lastError: "Reason of a rejection",
    warning: "Warning"
  },
  output: {
    title: "Output",
    lines: "Lines of the output",
    line: (seq: number) => `Line ${number.format(seq)}`,
    following: "Following",
    paused: "Follow",
    find: "Find in the output",
    found: (count: number, isLooking: boolean) =>
      `${plural(count, "line", "lines")}${isLooking ? ", looking on…" : ""}`,
    previous: "Previous",
    next: "Next",
    onlyFound: "Only these",
    times: "Times",
    begin: "To the beginning",
    end: "To the end",
    state: (lines: number, isComplete: boolean) =>
      isComplete ? `${plural(lines, "line", "lines")}, which is all` : `${plural(lines, "line", "lines")} so far`,
    truncated: "The run printed more than is kept: later lines are missing.",
    nothing: "This run has printed nothing. Nodes of the type show print records, and programs print with print().",
    waiting: "Nothing has been printed yet.",
    noMatch: "No line has this text."
  },
  failed: {
    none: "No record failed",
    noneHelp: "A node that cannot process a record rejects it. This run had none.",
    noneYet: "A node that cannot process a record rejects it. This run has none so far.",
    share: (errors: number, of: number) =>
      of >= errors && of > 0
        ? `${number.format(errors)} rejected, ${percent.format(errors / of)} of ${number.format(of)}`
        : `${number.format(errors)} rejected`,
    reason: "One of the reasons:",
    dropped:
      "Nothing takes the errors of this node, so these records were dropped. Let it publish errors, and write them to an archive or an index.",
    inArchive: (entry: string) => `Written to the entry ${entry} of the archive`,
    inArchiveLater: (entry: string) =>
      `Goes to the entry ${entry} of the archive, which is there when the run succeeds`,
    inFile: (path: string) => `Written to the file ${path}`,
    inIndex: (index: string) => `Written to the index ${index}`,
    inOther: (component: string, type: string) => `Sent to ${component} (${type})`,
    search: "Show those in the index",
    try: "Find them by a try",
    tryHelp:
      "A try reads the beginning of the input again, writes nothing, and shows each rejected record with its reason.",
    tried: (count: number, shown: number, read: number) =>
      `A try with the first ${number.format(read)} records of each input: ${plural(count, "record", "records")} rejected${shown < count ? `, ${number.format(shown)} shown` : ""}`,
    found: (count: number, index: string) => `${plural(count, "record", "records")} in ${index}, of all runs`,
    rejectedBy: (component: string) => `Rejected by ${component}`,
    place: "Place",
    why: "Reason",
    record: "Record"
  },
  compare: {
    title: "Comparison",
    nodes: "Nodes of both runs",
    with: "Compare with",
    none: "There is no other run of this flowline",
    noneHelp: "Run it again, and compare what both have done.",
    thisRun: "This run",
    otherRun: "The other run",
    parameter: (name: string) => `Parameter ${name}`,
    variable: (name: string) => `Variable ${name}`,
    reasons: "Reasons",
    same: "±0",
    diff: (from: number, to: number) => `What changed from version ${number.format(from)} to ${number.format(to)}`
  },
  again: {
    title: "Run with other parameters",
    help: (version: number) => `Version ${number.format(version)} of the flowline runs with these values.`,
    required: "(required)",
    run: "Run"
  },
  archives: {
    made: "Made",
    entries: "Entries",
    none: "There is no archive yet",
    noneHelp: "A flowline with an archive_output node makes a zip of what it writes, when its run succeeds:",
    example:
      "- type: archive_output\n  settings: { entry: records.csv }\n  subscribe: [ { component: parse, stream: records } ]",
    shown: (count: number, size: string) => `${plural(count, "archive", "archives")}, ${size}`,
    download: (id: string) => `Download the archive ${id}`,
    remove: (id: string) => `Delete the archive ${id}`,
    removeTitle: "Delete this archive?",
    removeHelp: (id: string, size: string) => `${id}, ${size}. It cannot be taken back.`
  },
  files: {
    path: "Path",
    modified: "Written",
    root: "Folder",
    own: "data area",
    none: "Runs have written no file yet",
    noneHelp: "A flowline with a file_output node writes files to the data area of the tenant:",
    example:
      "- type: file_output\n  settings: { path: records.ndjson }\n  subscribe: [ { component: parse, stream: records } ]",
    remove: (path: string) => `Delete ${path}`,
    removeTitle: "Delete this file?"
  }
}

export const channels = {
  title: "Channels",
  name: "Name",
  status: "State",
  states: {
    STOPPED: "stopped",
    STARTING: "starting",
    ACTIVE: "active",
    RESTARTING: "restarting",
    DEGRADED: "degraded",
    FAILED: "failed",
    INVALID: "invalid",
    FINISHED: "finished"
  },
  whyTitle: "Why",
  channelWhy: {
    STOPPED: "No job is to run.",
    STARTING: "Some jobs are starting.",
    ACTIVE: "Every job that is to run runs.",
    DEGRADED: "Some jobs run, and some have failed.",
    FAILED: "No job runs that should.",
    FINISHED: "All jobs have read their inputs to the end.",
    INVALID: "The files of the channel have faults."
  },
  emptyTitle: "There are no channels yet",
  empty:
    "A channel keeps flowlines running: it starts them, restarts them when they fail, and runs batches at their times. It is a folder with a structure file and the flowlines of its jobs.",
  emptyMake: "Make one with the button above: it begins with files that run as they are. Or send the files:",
  curl: (base: string, tenant: string, body: string) =>
    `curl -X PUT ${base}v1/${tenant}/channels/ticks -H 'Content-Type: application/json' -d '${body}'`,
  newChannel: "New channel",
  nameHelp: "Letters, digits, dots, underscores and dashes; at most 63.",
  nameFault: "A name has letters, digits, dots, underscores and dashes, and begins with a letter or digit.",
  nameTaken: "There is a channel with this name.",
  writeFiles: "Write its files",
  actions: { start: "Start", restart: "Restart", stop: "Stop" },
  acting: { start: "Starting…", restart: "Restarting…", stop: "Stopping…" },
  acted: {
    start: (of: string) => `${of} is to run`,
    restart: (of: string) => `${of} is run again`,
    stop: (of: string) => `${of} is stopped`
  },
  jobs: "Jobs",
  files: "Files",
  missing: (name: string) => `There is no channel ${name}. Its files would make it: see Files.`,
  notYet: "This channel is not saved yet. These files run as they are; change them, and make the channel.",
  removed: "The channel has been deleted.",
  removeTitle: (name: string) => `Delete the channel ${name}?`,
  removeHelp: "Its files are deleted. Jobs that are started have to be stopped first. What the channel has made stays.",
  isRemoved: (name: string) => `The channel ${name} is deleted`,
  noJobs: "The channel has no jobs.",
  noJob: (name: string) => `The channel has no job ${name}.`,
  job: "Job",
  jobTitle: (name: string) => `Job ${name}`,
  desired: "Desired",
  observed: "Observed",
  wanted: { ACTIVE: "running", STOPPED: "stopped" },
  since: "Since",
  nextStart: "Next start",
  restarts: "Restarts",
  lag: "Lag",
  read: "Read",
  written: "Written",
  rejected: "Rejected",
  keeper: "Gateway",
  process: "Process",
  file: "Flowline",
  parameters: "Parameters",
  now: "now",
  inTime: countdown,
  why: {
    gone: "It is no longer in the structure of the channel; it runs until it is stopped or ends.",
    stopping: "It is being stopped.",
    suspended: "It is to run, but its tenant is suspended.",
    stopped: "It was stopped, or never started.",
    never: "It was never started.",
    starting: "It waits for a place, or moves to another gateway.",
    scheduled: (when: string) => `It waits for its next time, ${when}.`,
    restarting: (when: string) => `Its last run failed; it is run again ${when}.`,
    silent: "Its gateway has sent no sign of life for ten seconds; another one takes it over.",
    failed: "It failed more often within an hour than its structure allows (restart.perHour). Start it again.",
    finished: "It has read all its inputs to the end."
  },
  timeline: "Last hour",
  timelineHelp: (failures: number) =>
    failures === 0
      ? "The present state, and what this page has seen"
      : `${plural(failures, "failed run", "failed runs")}; the present state, and what this page has seen`,
  lagTitle: "Lag: unread bytes",
  noLag: "This job follows no files, so it has no lag.",
  rateTitle: "Records a second",
  perSecond: (value: number) => oneDigit.format(value),
  exits: "Failed runs",
  noExits: "None since the job was started.",
  nodes: "Nodes",
  node: "Node",
  recordsIn: "In",
  recordsOut: "Out",
  errors: "Errors",
  said: "Last error or warning",
  output: "Output",
  noOutput: "Nothing yet. What the nodes show and print write appears here as it comes.",
  lines: (count: number) => plural(count, "line", "lines"),
  filter: "Filter lines",
  pause: "Pause",
  goOn: "Follow",
  clock: (at: number) => clockTime.format(at),
  notKept: "The browser has no room to keep these changes. Save them before you leave.",
  notWritable: "The gateway may not change these files.",
  behind: "Somebody has saved this channel since you began. Saving shows what differs.",
  faults: (count: number) => `Nothing was saved: ${plural(count, "fault", "faults")}`,
  at: (file: string, line: number | undefined, column: number | undefined) =>
    line === undefined ? file : `${file}, line ${line}, column ${column ?? 1}`,
  makeChannel: "Make the channel",
  newFile: "New file",
  rename: "Rename",
  removeFile: "Remove file",
  discard: "Discard changes",
  unsaved: "Not saved yet; kept in this tab",
  keptHere: "The gateway does not answer. Your changes are kept in this tab.",
  saved: (channel: string) => `${channel} is saved`,
  savedRestart: (channel: string, jobs: string) => `${channel} is saved. Restart ${jobs} to use the new files at once`,
  fileName: "Name of the file",
  fileNameHelp: "A path in the folder of the channel, such as parse.yaml.",
  fileTaken: "There is a file with this name.",
  conflict: "Somebody else has changed this channel",
  conflictHelp: "Nothing was saved. These files differ between the channel as it is now and yours.",
  conflictGone: "The channel was deleted meanwhile. Saving makes it again.",
  theirs: "As it is now",
  mine: "Yours",
  noFile: "(no such file)",
  goOnEditing: "Go on editing",
  takeTheirs: "Drop mine, take theirs",
  overwrite: "Save mine over theirs"
}

export const search = {
  title: "Search",
  documentsTitle: "Documents",
  indices: "Indices",
  index: "Index",
  emptyTitle: "There are no documents yet",
  empty: "Flowlines write documents into indices, which are searched here: with the node search_output.",
  emptyCurl: "This one writes a document a second for a minute:",
  curl: (base: string, tenant: string) =>
    `curl ${base}v1/${tenant}/flowline -F 'file=@-;filename=hello.yaml' <<'EOF'
runtime: stream
dag:
  - type: generator_input
    settings: { messages: [ { message: hello, status: 200 } ], count: 60, rate: 1 }
    publish: [ { stream: out } ]
  - type: search_output
    settings: { index: ${tenant}-hello }
    subscribe: [ { component: generator_input, stream: out } ]
EOF`,
  query: "Query",
  queryHelp: "Enter searches, Shift and Enter begin a line.",
  placeholder: 'status:>=400 AND message:"disk full"',
  hint: "Words, field:value, ranges such as status:[400 TO 499], AND, OR, NOT. A query in JSON begins with {.",
  notSearched: "Press Enter to search.",
  search: "Search",
  searching: "Searching…",
  refresh: "Refresh",
  history: "History",
  operators: { AND: "both", OR: "one of them", NOT: "not what follows" },
  comparisons: { ">=": "at least", "<=": "at most", ">": "more than", "<": "less than" },
  exists: "documents that have a field",
  documents: (count: number) => plural(count, "document", "documents"),
  atColumn: (column: number, text: string) => `Column ${number.format(column)}: ${text}`,
  range: "Range of time",
  presets: {
    "": "All time",
    "now-15m": "Last 15 minutes",
    "now-1h": "Last hour",
    "now-24h": "Last 24 hours",
    "now-7d": "Last 7 days",
    "now-30d": "Last 30 days"
  },
  ownRange: "From – to",
  from: "From",
  to: "To",
  setRange: "Set",
  turned: "The end is before the beginning.",
  filters: "Filters",
  filter: (field: string, value: string, isNot: boolean) => `${field} ${isNot ? "is not" : "is"} ${value}`,
  removeFilter: (field: string, value: string) => `Remove the filter ${field} ${value}`,
  filterFor: (field: string, value: string) => `Only ${field} ${value}`,
  filterOut: (field: string, value: string) => `Without ${field} ${value}`,
  histogram: "Documents over time. Shift and the arrow keys select a range, Enter takes it.",
  noTimes:
    "None of these documents has a time in the field @timestamp: they are not shown over time, and ranges of time do not find them.",
  found: (shown: number, total: number | undefined) =>
    total === undefined
      ? plural(shown, "document", "documents")
      : total === shown
        ? plural(total, "document", "documents")
        : `${plural(total, "document", "documents")}, of which ${number.format(shown)} are loaded`,
  results: "Documents that were found",
  nothing: "No document matches. Try a wider range of time, fewer filters, or another index.",
  time: "Time",
  document: "Document",
  documentTitle: "Document",
  noDocument: "This document is not there any more.",
  asJson: "JSON",
  asFields: "Fields",
  field: "Field",
  value: "Value",
  actions: "Actions",
  moreValues: (count: number) => plural(count, "more value", "more values"),
  copyValue: (field: string) => `Copy ${field}`,
  asColumn: (field: string) => `Show ${field} as a column`,
  noColumn: (field: string) => `Take the column ${field} away`,
  fieldsOf: (count: number) => plural(count, "field", "fields"),
  findField: "Find a field",
  showValues: (field: string, types: string) => `Values of ${field}, ${types}`,
  valuesOf: (field: string) => `Most frequent values of ${field}`,
  noValues: "No values among these documents.",
  moreFields: (count: number) => `${plural(count, "more field", "more fields")}: find them by name`,
  noHistory: "Nothing yet. Searches with a query or filters are kept in this browser only.",
  openSearch: (said: string) => `Open ${said}`,
  removeSearch: (said: string) => `Delete ${said}`,
  removeAll: "Delete all",
  extract: "Save as a file",
  extractHelp: (total: number | undefined) =>
    `The gateway writes ${total === undefined ? "all documents" : plural(total, "document", "documents")} that this search finds into a zip.`,
  format: "Format",
  formats: { csv: "CSV, for spreadsheets", json: "JSON, a document on each line" },
  extractFields: "Fields, one on each line",
  extractFieldsHelp: "Empty: whole documents.",
  unknownFields: (names: string) => `No document is known to have ${names}.`,
  description: "Description",
  startExtraction: "Save",
  extractions: "Extractions of this tab",
  extractionOf: (index: string, format: string) => `${index} as ${format}`,
  states: {
    PENDING: "waits",
    RUNNING: "runs",
    SUCCEEDED: "done",
    FAILED: "failed",
    CANCELLED: "cancelled",
    LOST: "lost"
  },
  progressOf: (title: string) => `Progress of ${title}`,
  written: (done: number, total: number | undefined) =>
    total === undefined
      ? plural(done, "document", "documents")
      : `${number.format(done)} of ${plural(total, "document", "documents")}`,
  archive: "Download the zip",
  run: "Run",
  cancelOf: (title: string) => `Cancel ${title}`,
  forgetOf: (title: string) => `Forget ${title}`,
  size: "Size",
  first: "First",
  last: "Last",
  indicesTotal: (count: number, documents: number, size: string) =>
    `${plural(count, "index", "indices")} with ${plural(documents, "document", "documents")}, ${size}`,
  removeIndex: (name: string) => `Delete ${name}`,
  removeIndexHelp: (documents: number) =>
    `It has ${plural(documents, "document", "documents")}. Deleted documents do not come back.`,
  before: "Only documents before",
  beforeHelp: "A date, or date math such as now-30d/d. Empty: the whole index.",
  indexRemoved: (name: string) => `${name} is deleted`,
  documentsRemoved: (name: string, before: string) => `Documents of ${name} before ${before} are deleted`
}

export const admin = {
  title: "Administration",
  views: {
    limits: "Limits and use",
    keys: "API keys",
    secrets: "Secrets",
    audit: "Audit",
    gateways: "Gateways",
    retention: "Retention"
  },
  needs: (role: string) => `This needs the role ${role} for the tenant. Ask somebody who has the role admin.`,
  needsOverall: (role: string) => `This needs the role ${role} for every tenant.`,
  limits: {
    limit: "Limit",
    used: "Used",
    of: "of",
    share: "Share",
    scope: "Counted",
    scopes: { tenant: "all gateways", gateway: "each gateway", execution: "each execution" },
    source: "Set by",
    sources: { default: "the default", setting: "the setting", file: "the access file" },
    unlimited: "no limit",
    uncounted: "not counted",
    near: (count: number) => `${plural(count, "limit is", "limits are")} nearly reached`,
    reached: (count: number) => `${plural(count, "limit is", "limits are")} reached: more is refused, or waits`,
    fine: "Nothing is near its limit",
    suspended: "This tenant is suspended: nothing runs and nothing can be changed until the operator lifts that.",
    shareOf: (name: string, share: number) => `${name}: ${percent.format(share)}`,
    percent: (share: number) => percent.format(share)
  },
  keys: {
    make: "Make a key",
    nameHelp: "What the key is for, such as nightly loads",
    id: "Id",
    role: "Role",
    owner: "Owner",
    expires: "Ends",
    never: "never",
    used: "Last used",
    unused: "not yet",
    states: { valid: "valid", soon: "ends soon", expired: "ended", revoked: "revoked" },
    revoke: "Revoke",
    revokeTitle: (name: string) => `Revoke the key ${name}?`,
    revokeText: "Programs that use it are refused within five seconds. This cannot be taken back.",
    empty: "A program needs a key",
    emptyText:
      "An API key lets a program use this tenant, with a role of its own and until a day that you choose. It never has more rights than you have.",
    ends: "Ends",
    inDays: (days: number) => `in ${plural(days, "day", "days")}`,
    made: (name: string) => `The key ${name}`,
    once: "This is the only time that the key is shown. Copy it to where the program reads it.",
    unseen: (name: string) =>
      `The key ${name} was made, but could not be shown, as its page was left. Revoke it and make another one.`,
    example: "Try it:",
    done: "I have copied it"
  },
  secrets: {
    set: "Set a secret",
    setNew: "New value",
    nameHelp: "Capital letters, digits and _, such as COLLECTOR_TOKEN",
    value: "Value",
    valueHelp: "At most 64 KiB. Nobody can read it again, only replace it.",
    show: "Show what I type",
    source: "From",
    sources: { store: "the store", folder: "a file", accessFile: "the access file" },
    updated: "Set",
    by: "By",
    key: "Encrypted with",
    wasSet: (name: string) => `${name} is set`,
    removeTitle: (name: string) => `Delete the secret ${name}?`,
    removeText: "Runs that need it fail from their next start on.",
    empty: "Flowlines refer to secrets by name",
    emptyText:
      "A password or token of another system does not belong into a flowline. Set it here, and write the reference in its place; only the run gets the value."
  },
  audit: {
    of: "Rows of",
    chains: { tenant: "the tenant", platform: "no tenant" },
    period: "Time",
    periods: { hour: "last hour", day: "last day", week: "last week", month: "last 30 days", all: "all" },
    principal: "Who",
    action: "Action",
    target: "Target",
    anyOutcome: "any",
    outcomes: { begun: "begun", done: "done", refused: "refused", failed: "failed" },
    exact: "Who, action and target are found as they are written, from beginning to end.",
    filter: "Filter",
    clear: "Show all",
    time: "Time",
    count: "Times",
    refresh: "Look again",
    further: "There are further rows.",
    empty: "Nothing of this",
    emptyText: "No change and no refusal in this time matches. Take a longer time, or fewer conditions.",
    row: (seq: number) => `Row ${number.format(seq)}`,
    members: {
      seq: "Number",
      time: "Time",
      tenant: "Tenant",
      principal: "Who",
      method: "Known by",
      action: "Action",
      target: "Target",
      outcome: "Outcome",
      status: "Status",
      requestId: "Request",
      remote: "Address",
      before: "Content before",
      after: "Content after",
      count: "Times",
      previous: "Hash of the row before",
      hash: "Hash"
    },
    verify: "Is it whole?",
    verifyText:
      "Each row has the hash of the row before it. On a machine of the gateway, this says whether a row was changed, added or is missing:"
  },
  gateways: {
    ready: "ready",
    notReady: "not ready",
    hidden: "A proxy in front of the gateway does not pass /health/ready on.",
    dependencies: "What it needs",
    names: {
      metadata: "Database",
      data: "Storage of blobs",
      configuration: "Configuration",
      connections: "Connections to the database"
    } as Readonly<Record<string, string>>,
    up: "answers",
    down: "does not answer",
    defects: "To look after",
    noDefects: "Nothing to look after",
    defectNames: {
      damagedBlobs: "stored contents are damaged. Put them back from a backup, or delete what refers to them.",
      accessFile: "The access file has a fault; the gateway uses the one before. Its log says what is wrong.",
      secretKeyFile: "The file of secret keys has a fault; the gateway uses the keys before.",
      secretsWithoutKey: "secrets cannot be read, as their key is missing. Put the key back, or set them again."
    } as Readonly<Record<string, string>>,
    isolation: "Isolation of runs",
    isolated: (parts: string) => (parts === "" ? "none" : parts),
    all: "Gateways on this database",
    name: "Gateway",
    address: "Reached at",
    seen: "Last heartbeat",
    executions: "Executions",
    jobs: "Jobs",
    answering: "answers you",
    version: (version: string) => `version ${version}`,
    alone: "One gateway works alone here. Several on one database share the work, and take over from one that dies."
  },
  retention: {
    on: "on",
    dryRun: "only tells",
    off: "off",
    modes: {
      on: "Old history is deleted in rounds, ten minutes after one another.",
      "dry-run": "Nothing is deleted: the log and the metrics say what would be.",
      off: "Nothing is deleted."
    },
    next: "Next round of this gateway",
    what: "What",
    kinds: {
      executions: "Ended executions, with their events and output",
      archives: "Archives",
      versions: "Former versions of flowlines, artifacts, resources and files of the registry",
      audit: "Rows of the audit",
      documents: "Documents of indices"
    },
    age: "Kept for",
    number: "At most",
    bytes: "At most bytes",
    each: "of each name",
    forever: "for ever",
    any: "any number",
    setting: "Setting",
    help: "For each tenant, the oldest goes first. The operator sets the rules when a gateway is started:"
  }
}

/** Texts of file previews. */
export const preview = {
  empty: "The file is empty.",
  binary: "This is no text. Download it to look into it.",
  cut: (shown: number, size: number | undefined) =>
    size === undefined ? `The first ${bytes(shown)}` : `The first ${bytes(shown)} of ${bytes(size)}`,
  asRows: "As rows",
  asText: "As text",
  indented: "Indented",
  asItIs: "As it is",
  label: (name: string) => `Content of ${name}`,
  row: "Row",
  column: (at: number) => `Column ${at}`,
  text: "Text",
  rows: (name: string) => `Rows of ${name}`,
  chosen: (row: number) => `Row ${number.format(row)}`,
  all: (rows: number) => `${plural(rows, "row", "rows")}, which is all`,
  first: (rows: number, total: number | undefined) =>
    total === undefined
      ? `The first ${plural(rows, "row", "rows")}; the next ones are loaded when you come to the end`
      : `The first ${plural(rows, "row", "rows")} of ${number.format(total)}; the next ones are loaded when you come to the end`,
  long: (rows: number) =>
    `The first ${plural(rows, "row", "rows")}; they are long, so more are loaded when you ask for them`,
  most: (rows: number) => `The first ${plural(rows, "row", "rows")}. Download the file for the rest.`,
  noRows: "It has no rows.",
  codec: (codec: string) =>
    `This Parquet file is compressed with ${codec}, which cannot be read here: ZSTD, SNAPPY and files without compression can. Download it.`,
  largeParquet: (size: string, most: string) =>
    `This Parquet file has ${size}. In an archive it is packed once more, so that all of it would have to be loaded; up to ${most} are. Download it.`
}

/** Texts of file trees. */
export const tree = {
  keys: [
    { keys: "↑ ↓", does: "go from row to row of a tree" },
    { keys: "PageUp PageDown Home End", does: "go further in a tree" },
    { keys: "→ ←", does: "open and close a folder; ← goes from a file to its folder" },
    { keys: "a b c …", does: "go to the next name that begins with these letters" },
    { keys: "Enter", does: "opens the file" }
  ]
}

export const data = {
  title: "Data",
  views: { artifacts: "Artifacts", resources: "Stored resources", registry: "Registry", files: "Files of runs" },
  search: "Search names",
  refresh: "Read again",
  upload: "Upload",
  emptyHow: "From a terminal:",
  newVersion: "Upload a version",
  choose: "Choose files",
  drop: "Drop the files to upload them",
  dropHere: "Drop files anywhere on this page, or choose them.",
  found: (shown: number, total: number) =>
    shown === total
      ? plural(total, "entry", "entries")
      : `${number.format(shown)} of ${plural(total, "entry", "entries")}`,
  reading: (count: number) => `${plural(count, "entry", "entries")} so far…`,
  longer: (count: number) => `The first ${plural(count, "entry", "entries")} of a longer list`,
  nothingFound: "No name has that in it.",
  back: "Back to the list",
  versions: "Versions",
  latest: "latest",
  changed: "Changed",
  content: "Content",
  properties: "Properties",
  storage: "Stored in",
  gone: "This was deleted, or it never was.",
  deleteTitle: (name: string) => `Delete ${name}`,
  deleteThis: (version: number) => `Only version ${version}`,
  deleteAll: "All versions",
  deleteWhich: "What is deleted",
  deleted: (name: string) => `${name} is deleted`,
  cannotUndo: "This cannot be taken back.",
  artifacts: {
    empty: "There are no artifacts yet",
    emptyText:
      "Artifacts are builds with a group, a name and a version, such as patterns, Python nodes and models. Flowlines use the latest version of grok patterns and Python nodes by themselves.",
    label: "Artifacts",
    artifact: "Artifact",
    group: "Group",
    type: "Type",
    anyType: "All types",
    all: "All versions",
    description: "Description",
    uploaded: "Uploaded",
    file: "File",
    keywords: "Keywords",
    links: "Links",
    maintainers: "Maintainers",
    provider: "Provider",
    compatible: "Works with",
    readme: "Readme",
    changelog: "Changes",
    remove: "Delete versions",
    which: "Versions to delete",
    uploadTitle: "Upload artifacts",
    groupHelp: "Dotted words, such as org.example",
    versionHelp: "Such as 1.4.0. A version never changes; another upload is another version.",
    keywordsHelp: "Apart by commas",
    nameOf: (file: string) => `Artifact for ${file}`
  },
  resources: {
    empty: "There are no stored resources yet",
    emptyText:
      "Stored resources are named data with versions. Each artifact is one; copying, moving and registering a file of the data area make others.",
    emptyHow: "Register a file that a run has written, here or from a terminal:",
    label: "Stored resources",
    register: "Register a file",
    registerTitle: "Register a file of the data area",
    registerName: "Name of the resource",
    registerUrl: "Path in the data area",
    registerUrlHelp: "Such as exports/table.csv. The file stays where it is.",
    registerVersion: "Version",
    registerVersionHelp: "The next one if this is empty",
    registerProperties: "Properties",
    registerPropertiesHelp: 'A JSON object, such as {"rows": 12}',
    registered: (name: string) => `${name} is registered`,
    copy: "Copy",
    move: "Move",
    copyTitle: (name: string) => `Copy ${name}`,
    moveTitle: (name: string) => `Move ${name}`,
    destination: "New name",
    which: "Which versions",
    copied: (name: string) => `Copied to ${name}`,
    moved: (name: string) => `Moved to ${name}`,
    external: "registered: the file lies in the data area",
    sweep: "Sweep",
    sweepTitle: "Remove what nothing refers to",
    sweepText:
      "Bytes of deleted versions and of refused uploads are removed by themselves a day later. Here they can be removed at once, an hour after they were stored.",
    sweepFound: (count: number, size: number) =>
      `${plural(count, "blob", "blobs")} with ${bytes(size)} can be removed.`,
    sweepNone: "There is nothing to remove.",
    sweepAction: "Remove them",
    swept: (count: number, size: number) => `${plural(count, "blob", "blobs")} with ${bytes(size)} removed`,
    blobs: "Blobs that can be removed",
    stored: "Stored"
  },
  registry: {
    empty: "The registry is empty",
    emptyText:
      "The registry keeps files under paths, with all their versions: tables, lists, samples. Flowlines read them with file_input and registry.",
    label: "Files of the registry",
    updated: "Updated",
    uploadTitle: "Upload to the registry",
    folder: "Into the folder",
    folderHelp: "Such as tables/2026. Nothing is the top.",
    pathOf: (file: string) => `Path for ${file}`,
    use: "Read it in a flowline",
    earlier: "Show earlier versions"
  },
  files: {
    label: "Files",
    roots: "Root",
    root: "Root",
    readOnly: "read-only",
    notServed: (root: string) =>
      `Runs read the root ${root}, and its files are not served here: only those of roots that runs write are.`,
    confIsThere: "The tenant's configuration is shown in the guide.",
    confLink: "Show the configuration",
    empty: (root: string) => `Nothing has been written to ${root} yet`,
    emptyText: "Here are the files that flowlines write with file_output. Run a flowline that writes one:",
    noRoot: (root: string) => `There is no root ${root}.`,
    register: "Register as a resource"
  },
  uploads: {
    title: "Uploads",
    done: (stored: number, total: number) => `${number.format(stored)} of ${plural(total, "file", "files")} stored`,
    clear: "Clear the list",
    start: (count: number) => `Upload ${plural(count, "file", "files")}`,
    add: "Add files",
    leaveOut: (name: string) => `Leave out ${name}`,
    none: "Choose files, or drop them here.",
    progress: (name: string) => `Progress of ${name}`,
    state: {
      waiting: "waiting",
      sending: "sending",
      checking: "checking the digest",
      stored: "stored, digest matches",
      differs: "stored, but not as it is here",
      failed: "not stored",
      cancelled: "cancelled"
    },
    sent: (sent: number, total: number) => `${bytes(sent)} of ${bytes(total)}`,
    cancel: (name: string) => `Cancel ${name}`,
    again: (name: string) => `Send ${name} again`,
    sendAgain: "Send again",
    differs: (here: string, there: string) =>
      `The gateway has stored bytes with the SHA-256 ${there}, and this file has ${here}. It may have changed while it was read: send it again.`,
    unreadable:
      "The browser cannot read this file. It may be a folder, or it was changed or moved since it was chosen.",
    broken: "The connection broke. Nothing is stored twice when it is sent again."
  }
}

export const guide = {
  title: "Guide",
  views: { documentation: "Documentation", configuration: "Configuration", platform: "Platform" },
  search: "Search all pages",
  pages: "Pages",
  all: "Pages of the documentation",
  contents: "On this page",
  missing: (page: string) => `There is no page “${page}”.`,
  toStart: "To the first page",
  picture: (name: string) => `Picture elsewhere: ${name}`,
  unnamed: "without a description",
  long: "This page is too long to be rendered. This is its text.",
  searching: (read: number, known: number) => `Searched ${number.format(read)} of ${plural(known, "page", "pages")}…`,
  found: (count: number, pages: number) => `${plural(count, "page", "pages")} of ${number.format(pages)} found`,
  notRead: (count: number) => `${plural(count, "page", "pages")} could not be read`,
  noneFound: "No page has all of these words.",
  source: "Source",
  configuration: {
    label: "Files of the configuration",
    search: "Search files",
    empty: "This tenant has no configuration files",
    emptyText: "The configuration is a folder on the gateway's machine, which people or their version control write:",
    unreadable: "not readable",
    unreadableText: "The gateway's process may not read this, or it is a link that leads out of the folder.",
    missing: (path: string) => `There is no file ${path} in the configuration.`,
    choose: "Choose a file to read it. The gateway only reads the configuration; it is changed on its machine.",
    asPage: "Read it as a page",
    valid: "No faults in its syntax",
    accepted: "The gateway finds no fault in it",
    told: "The gateway says",
    faults: "Faults of its syntax",
    at: (line: number, column: number) => `line ${line}, column ${column}`
  },
  platform: {
    title: "Properties of the platform",
    text: "As the gateway reads them from platform.yaml, platform.hjson or platform.json. Secrets are masked.",
    failed:
      "The gateway cannot read the file of the platform. It says where the fault is in its log, not here, as the file has secrets."
  }
}
