import { dirname } from "node:path"

/** Packages without I/O that the pure parts of the product may use. */
const pure = /^(effect(\/.*)?|yaml|hjson|jsep|oniguruma-to-es|quickjs-emscripten|csv-parse(\/sync)?|mmdb-lib|bowser)$/
/** Files that every feature may import. */
const ground = /^src\/(errors|languages|protocol|services\/shared)\//
/** Files that handlers share, with the forms and streams that they read and write. */
const http = /^src\/services\/http\//
/** The ports to the drivers of both programs. The rest of `drivers` is adapters. */
const ports = /^src\/drivers\/(blobs\/(Blobs|Pipe)|search\/Search)\.ts$/
/** Packages of the console, with its client. */
const browser =
  /^(react|react-dom|react-aria-components|@codemirror|@lezer|@tanstack|@xyflow|@dagrejs|@zip\.js|hyparquet|uplot|yaml|fzstd|eventsource-parser|@noble\/hashes|papaparse)(\/.*)?$/
const light = /^@flow-gateway\/client\/(light|hjson)$/
const packages = /^(?!src\/|packages\/)/
/** The ports to permissions and limits, which are checked for every request. */
const guards = /^src\/services\/(access|limits)\/(?!(Api|\w*Http|Description)\.ts)\w+\.ts$/
/** Use cases and ports of features: their whole folders except the HTTP files. */
const services = /^src\/services\/(?!http\/|.*\/(Api|\w*Http|Description)\.ts$)/

/** Who may import whom: the first rule whose pattern matches the file applies. `own` is the feature's folder. */
const rules: ReadonlyArray<readonly [files: RegExp, mayImport: (own: string) => ReadonlyArray<RegExp>]> = [
  [/^src\/errors\//, () => [/^effect/, /^src\/errors\//]],
  [/^src\/languages\//, () => [pure, /^src\/languages\//]],
  [/^src\/protocol\//, () => [/^effect/, /^src\/(languages|protocol)\//]],
  [/^src\/nodes\//, () => [pure, /^src\/(languages|protocol|nodes)\//]],
  [/^src\/drivers\//, () => [packages, /^src\/(errors|languages|protocol|nodes|drivers)\//]],
  [/^src\/run\//, () => [packages, /^src\/(errors|languages|protocol|nodes|drivers|run)\//]],
  [/^src\/services\/shared\//, () => [/^effect/, ground]],
  [/^src\/services\/http\//, () => [/^effect/, ground, http, ports]],
  [
    /^src\/services\/\w+\/Api\.ts$/,
    (own) => [/^effect/, ground, new RegExp(`^${own}/(?!(\\w*Http|Description)\\.ts)\\w+\\.ts$`)]
  ],
  [/^src\/services\/\w+\/Description\.ts$/, () => [ground]],
  [/^src\/services\/\w+\/\w*Http\.ts$/, (own) => [/^effect/, ground, http, /^src\/Api\.ts$/, new RegExp(`^${own}/`)]],
  [/^src\/services\//, () => [pure, ground, /^src\/nodes\//, ports, services]],
  [
    /^src\/layers\/http\//,
    () => [packages, ground, guards, /^src\/drivers\/(AddressRange|Package|blobs\/Chunks)\.ts$/, /^src\/layers\/http\//]
  ],
  [/^src\/layers\//, () => [packages, /^src\/(errors|languages|protocol|nodes|drivers|layers)\//, services]],
  [
    /^src\/Api\.ts$/,
    () => [
      /^effect/,
      /^src\/services\/\w+\/Api\.ts$/,
      /^src\/services\/shared\/(requests\/RequestProblems|security\/Security)\.ts$/
    ]
  ],
  [
    /^src\/Description\.ts$/,
    () => [
      /^(effect|node:fs)/,
      /^src\/(Api|drivers\/Package|layers\/http\/endpoints\/OpenApiDocument)\.ts$/,
      /^src\/services\/\w+\/Description\.ts$/,
      ground
    ]
  ],
  [
    /^src\/Http\.ts$/,
    () => [/^effect/, /^src\/(Api|Description)\.ts$/, /^src\/services\/\w+\/Http\.ts$/, /^src\/layers\/http\//, ground]
  ],
  [/^packages\/client\/src\/hjson\.ts$/, () => [/^src\/languages\/document\/(DocumentSource|Hjson)\.ts$/]],
  // The client is a separate package: besides Effect it contains only the description of the interface.
  [
    /^packages\/client\/src\//,
    () => [/^effect/, /^packages\/client\/src\//, /^src\/Api\.ts$/, /^src\/services\/executions\/Execution\.ts$/]
  ],
  // The console uses the gateway only through the client.
  [/^packages\/console\/src\/texts\//, () => [/^packages\/console\/src\/texts\//]],
  [/^packages\/console\/src\/parts\//, () => [browser, light, /^packages\/console\/src\/(app|parts|texts)\//]],
  [/^packages\/console\/src\/app\//, () => [browser, light, /^packages\/console\/src\/(app|texts)\//]],
  [
    /^packages\/console\/src\/pages\//,
    (own) => [browser, light, new RegExp(`^${own}/`), /^packages\/console\/src\/(app|parts|texts)\//]
  ],
  [
    /^packages\/console\/src\/shell\//,
    () => [browser, /^packages\/console\/src\/((app|parts|shell|texts)\/|pages\/\w+\/\w+Page\.tsx$)/]
  ],
  // The first script: it shows the editors that accept keys, and loads the rest.
  [
    /^packages\/console\/src\/early\.ts$/,
    () => [
      /^packages\/console\/src\/((app|shell|texts)\/|main\.tsx$|pages\/tester\/(EarlyTester\.ts|TesterPage\.tsx)$)/
    ]
  ],
  [/^packages\/console\/src\/main\.tsx$/, () => [browser, /^packages\/console\/src\/(app|shell)\//]],
  [/^src\/command\.ts$/, () => [/^@?effect/, /^src\/(drivers\/Package\.ts|languages\/|layers\/)/]],
  [/^src\/run\.ts$/, () => [/^effect/, /^src\/(run|drivers)\//]],
  [/^src\/\w+\.ts$/, () => [/^@?effect/, /^src\/(Http|gateway)\.ts$/, ground, /^src\/layers\//]]
]

/** Whether a file may import another file or a package. Paths start at the root of the project. */
export const mayImport = (file: string, name: string): boolean => {
  const rule = rules.find(([pattern]) => pattern.test(file))
  return rule?.[1](dirname(file)).some((allowed) => allowed.test(name)) ?? false
}
