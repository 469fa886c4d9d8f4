import type { Page } from "playwright-core"
import type { Given } from "./rights.ts"

/** The actions on a page other than looking, and the request that each sends. */
type Controls = Readonly<Record<string, string>>

/**
 * A page, with an element that shows that its data is present, and the controls that change something or need a role.
 */
export interface Walked {
  readonly path: string
  readonly shows: RegExp
  /** A button that opens more of the page. */
  readonly press?: string
  readonly needs?: Controls
}

const edited: Controls = {
  "button Save": "POST flowline/save",
  "button Add a node": "POST flowline/save",
  "textbox Flowline. YAML. Type, or press Control and Space, for completion. Control and S saves.": "POST flowline/save"
}
const run: Controls = {
  "button Run again": "POST flowline/executions/{id}/again",
  "button Delete": "DELETE flowline/executions/{id}"
}
const ofOrders: Controls = { ...run, "button Run with other parameters": "POST flowline/{id}" }
const channel: Controls = {
  ...Object.fromEntries(
    ["Start", "Stop", "Restart"].map((name) => [`button ${name} shop`, "POST channels/{channel}/{action}"])
  ),
  "button Delete": "DELETE channels/{channel}"
}
const jobs: Controls = {
  ...channel,
  ...Object.fromEntries(
    ["Start", "Stop", "Restart"].map((name) => [
      `button ${name} local/ticks`,
      "POST channels/{channel}/jobs/{cluster}/{job}/{action}"
    ])
  )
}
const schedule: Controls = {
  "button New schedule": "PUT schedules/{name}",
  "button Change": "PUT schedules/{name}",
  "button Delete": "DELETE schedules/{name}",
  "button Run now": "POST schedules/{name}/run"
}
const extraction: Controls = { "button Save as a file": "POST extraction" }
const artifacts: Controls = { "button Upload": "PUT resources/upload" }
const registry: Controls = { "button Upload": "POST registry" }
const resources: Controls = {
  "button Register a file": "PUT resources/register/{name}",
  "button Sweep": "POST resources/sweep"
}

/** All pages and details for the objects that {@link prepare} has created. */
export const pagesOf = ({ flowline, ended, live, endless }: Given): ReadonlyArray<Walked> => [
  { path: "", shows: /row .*Caused by/ },
  { path: "flowlines", shows: /row .*Orders of the shop/, needs: { "link New flowline": "POST flowline/save" } },
  {
    path: "flowlines/new",
    shows: /textbox "messages required"/,
    needs: {
      ...edited,
      ...Object.fromEntries(
        ["Name", "Publishes, with commas between", "count", "messages required", "rate"].map((name) => [
          `textbox ${name}`,
          "POST flowline/save"
        ])
      )
    }
  },
  {
    path: `flowlines/${flowline}`,
    shows: /combobox "source"/,
    needs: {
      ...edited,
      "button Run": "POST flowline/{id}",
      "button Delete": "DELETE flowline/{id}",
      "textbox Name": "POST flowline/save",
      "textbox path": "POST flowline/save",
      "textbox Publishes, with commas between": "POST flowline/save",
      "combobox source": "POST flowline/save"
    }
  },
  {
    path: `flowlines/${flowline}/versions?from=1&to=1`,
    shows: /row .*f\.yaml/,
    needs: { "button Restore version 1": "POST flowline/{id}/versions/{version}/restore" }
  },
  {
    path: `flowlines/${flowline}/schedules?schedule=often`,
    shows: /region "Schedule often"/,
    needs: { ...schedule, "button Pause": "POST schedules/{name}/pause" }
  },
  {
    path: `flowlines/${flowline}/schedules?schedule=rests`,
    shows: /region "Schedule rests"/,
    needs: { ...schedule, "button Resume": "POST schedules/{name}/resume" }
  },
  {
    path: `flowlines/${flowline}/schedules?schedule=pushed`,
    shows: /region "Schedule pushed"/,
    needs: {
      ...schedule,
      "button Pause": "POST schedules/{name}/pause",
      "button New token": "POST schedules/{name}/token"
    }
  },
  { path: "runs", shows: /row .*Endless/ },
  {
    path: "runs?view=archives",
    shows: /row .*Orders of the shop/,
    needs: { [`button Delete the archive ${ended}`]: "DELETE archives/{id}" }
  },
  {
    path: "runs?view=files",
    shows: /link "out\/one\.ndjson"/,
    needs: { "button Delete out/one.ndjson": "DELETE files/{path}" }
  },
  { path: `runs/${flowline}/${ended}`, shows: /button "parse grok in 5/, needs: ofOrders },
  { path: `runs/${flowline}/${ended}?view=output`, shows: /row "1 /, needs: ofOrders },
  {
    path: `runs/${flowline}/${ended}?view=failed`,
    shows: /button "Find them by a try"/,
    needs: { ...ofOrders, "button Find them by a try": "POST flowline/try" }
  },
  { path: `runs/${flowline}/${ended}?view=archive`, shows: /row .*orders\.csv/, needs: ofOrders },
  { path: `runs/${flowline}/${ended}?view=compare`, shows: /no other run|Compare|other/i, needs: ofOrders },
  {
    path: `runs/${endless}/${live}`,
    shows: /button "screen show in/,
    needs: {
      "button Run again": "POST flowline/executions/{id}/again",
      "button Cancel the run": "DELETE flowline/{flowlineId}/executions/{executionId}"
    }
  },
  { path: "channels", shows: /row .*shop/, needs: { "button New channel": "PUT channels/{channel}" } },
  { path: "channels/shop?job=local/ticks", shows: /row .*local\/ticks/, needs: jobs },
  {
    path: "channels/shop?view=files",
    shows: /textbox "channel_structure\.yaml"/,
    needs: {
      ...channel,
      ...Object.fromEntries(
        ["button New file", "button Remove file", "button Rename", "textbox channel_structure.yaml"].map((name) => [
          name,
          "PUT channels/{channel}"
        ])
      )
    }
  },
  { path: "channels/none", shows: /There is no channel/ },
  {
    path: "search",
    shows: /button "Values of a, number"/,
    needs: {
      ...extraction,
      "button Cancel a look": "DELETE flowline/{flowlineId}/executions/{executionId}"
    }
  },
  {
    path: "search?doc=mytenant-things/1",
    shows: /region "Document"/,
    needs: {
      ...extraction,
      "button Cancel a look": "DELETE flowline/{flowlineId}/executions/{executionId}"
    }
  },
  {
    path: "search?view=indices",
    shows: /row .*mytenant-things/,
    needs: { "button Delete mytenant-things": "DELETE indices/{index}" }
  },
  { path: "data/artifacts", shows: /row .*thing/, needs: artifacts },
  {
    path: "data/artifacts/org.rights/thing",
    shows: /gridcell "2"/,
    needs: {
      ...artifacts,
      "button Upload a version": "PUT resources/upload",
      "button Delete versions": "DELETE resources/delete"
    }
  },
  { path: "data/registry", shows: /rights/, needs: registry },
  {
    path: "data/registry/rights/one.txt",
    shows: /heading "Versions"/,
    needs: {
      ...registry,
      "button Upload a version": "POST registry",
      "button Delete": "DELETE registry/delete/{path}"
    }
  },
  { path: "data/resources", shows: /rights/, needs: resources },
  {
    path: "data/resources/org/rights/thing/t.csv",
    shows: /gridcell "2"/,
    needs: {
      ...resources,
      "button Copy": "PUT resources/copy/{name}",
      "button Move": "PUT resources/move/{name}",
      "button Delete": "DELETE resources/stored/{name}"
    }
  },
  { path: "data/files/data", shows: /one\.ndjson|out/ },
  {
    path: "data/files/data/out/one.ndjson",
    shows: /heading "out\/one\.ndjson"/,
    needs: {
      "button Delete": "DELETE files/{path}",
      "button Register as a resource": "PUT resources/register/{name}"
    }
  },
  { path: "guide/documentation", shows: /heading "mytenant"/ },
  { path: "guide/configuration", shows: /treegrid/ },
  { path: "guide/platform", shows: /textbox/ },
  { path: "admin/limits", shows: /row .*waitingExecutions/ },
  {
    path: "admin/keys",
    shows: /row .*nightly|needs the role admin/,
    needs: { "button Make a key": "POST keys", "button Revoke nightly": "DELETE keys/{id}" }
  },
  {
    path: "admin/secrets",
    shows: /row .*TOKEN|needs the role developer/,
    needs: {
      "button Set a secret": "PUT secrets/{name}",
      "button New value TOKEN": "PUT secrets/{name}",
      "button Delete TOKEN": "DELETE secrets/{name}"
    }
  },
  {
    path: "admin/audit",
    shows: /row .*keys\.create|needs the role admin/,
    needs: {
      "button Filter": "GET audit",
      "button Look again": "GET audit",
      "radio no tenant": "GET platform/audit",
      "radio the tenant": "GET platform/audit"
    }
  },
  { path: "admin/gateways", shows: /Storage of blobs/ },
  { path: "admin/retention", shows: /table|grid|needs the role admin for every tenant/ }
]

const kinds = "button|checkbox|combobox|link|listbox|menuitem|radio|searchbox|slider|spinbutton|switch|textbox"
const control = new RegExp(String.raw`^\s*- '?(${kinds})(?: ("(?:[^"\\]|\\.)*"))?((?: \[[^\]]*\])*)`)

/** The enabled controls of the page's main part, as `button Save`, without those that sort a table. */
export const controlsOf = async (page: Page): Promise<ReadonlySet<string>> => {
  const found = new Set<string>()
  let above = ""
  for (const line of (await page.getByRole("main").ariaSnapshot()).split("\n")) {
    const isSort = above.includes("- columnheader")
    above = line
    const [, kind = "", quoted = '""', state = ""] = control.exec(line) ?? []
    if (kind === "" || isSort || state.includes("[disabled]")) continue
    const name = String(JSON.parse(quoted))
    const one = page.getByRole("textbox", { name, exact: true }).first()
    if (kind !== "textbox" || (await one.isEditable().catch(() => false))) found.add(`${kind} ${name}`)
  }
  return found
}

/** Controls that only show, sort, select, copy, or change the browser's storage. */
const harmless = [
  /^(?:link (?!New )|radio (?!no tenant$|the tenant$)|searchbox|slider|listbox)/,
  // In the picture: nodes and streams.
  /^button (?:\S+ \w+_(?:in|out)put|(?:parse|failed|large|show|screen|ways) \w+|.* from \w+ to \w+)\b/,
  /^button (?:Closer|Farther|Fit|Settings|Documentation|Node at the cursor|Try it)$/,
  /^button (?:Copy|Refresh|Search|History|Close|JSON|Read again|As text|Pause|Following|To the (?:beginning|end))$/,
  /^button (?:Copy|Only|Without|Show|Values of|Forget) ./,
  /^button (?:Expect (?:all results|this)|Next(?: miss)?|Open a log|Pattern bank|Propose(?: patterns)?|Share)$/,
  /^button (?:Use in a flowline|\w+\.yaml)$/,
  /^checkbox (?:All versions|Only (?:misses|these)|Times|a|id)$/,
  /^combobox (?:Index|Range of time|Root|Type|State|Outcome|Flowline|Time|Version \d+, compared with)$/,
  /^textbox (?:Before|From|Filter lines|Find a field|Query\.|Log lines|Grok patterns|Action|Target|Who|Content of)/
]

/** The controls of a page that are not {@link harmless}. */
export const telling = (controls: ReadonlySet<string>, needs: Controls = {}): ReadonlyArray<string> =>
  [...controls].filter((one) => needs[one] !== undefined || !harmless.some((pattern) => pattern.test(one))).sort()
