import {
  DuckDBArrayType,
  DuckDBListType,
  DuckDBMapType,
  DuckDBStructType,
  type DuckDBType,
  DuckDBTypeId as Id
} from "@duckdb/node-api"
import { identifier } from "../sql/Identifier.ts"

/** A column of a relation. Names are unique in a relation, ignoring case. */
export interface Column {
  readonly name: string
  readonly type: DuckDBType
}

/** A text as a literal of SQL, whatever it contains. */
export const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`

/** Whether the type is DuckDB's JSON, an alias of VARCHAR. */
export const isJson = (type: DuckDBType): boolean => type.typeId === Id.VARCHAR && type.alias === "JSON"

/** All types within a type, including itself. */
const parts = (type: DuckDBType): ReadonlyArray<DuckDBType> => {
  if (type instanceof DuckDBListType || type instanceof DuckDBArrayType) return [type, ...parts(type.valueType)]
  if (type instanceof DuckDBStructType) return [type, ...type.entryTypes.flatMap(parts)]
  if (type instanceof DuckDBMapType) return [type, ...parts(type.keyType), ...parts(type.valueType)]
  return [type]
}

/** Whether the condition holds for the type or for one inside it. */
export const contains = (type: DuckDBType, holds: (part: DuckDBType) => boolean): boolean => parts(type).some(holds)

const nested: ReadonlySet<Id> = new Set([Id.LIST, Id.ARRAY, Id.STRUCT, Id.MAP, Id.UNION, Id.VARIANT])

/** Types that DuckDB does not convert to the JSON that flowlines use, or not at all. */
const special: ReadonlySet<Id> = new Set([
  Id.FLOAT,
  Id.DOUBLE,
  Id.BLOB,
  Id.TIME,
  Id.TIMESTAMP,
  Id.TIMESTAMP_S,
  Id.TIMESTAMP_MS,
  Id.TIMESTAMP_NS,
  Id.TIMESTAMP_TZ
])

/**
 * ISO 8601 in UTC with milliseconds, or with all digits of the instant. `infinity` and years beyond 9999 keep DuckDB's
 * format. `strftime` of nanoseconds is wrong in DuckDB 1.5, so their text is built from the plain cast.
 */
const instant = (value: string, unit: "us" | "ns"): string => {
  const far = `NOT isfinite(${value}) OR year(${value}) NOT BETWEEN 0 AND 9999`
  const micros = unit === "us" ? value : `CAST(${value} AS TIMESTAMP)`
  const format = (fraction: string) => `strftime(${micros}, '%Y-%m-%dT%H:%M:%S.${fraction}Z')`
  const isCoarse = unit === "us" ? `epoch_us(${value}) % 1000 = 0` : `epoch_ns(${value}) % 1000000 = 0`
  const fine = unit === "us" ? format("%f") : `replace(CAST(${value} AS VARCHAR), ' ', 'T') || 'Z'`
  return `CASE WHEN ${far} THEN CAST(${value} AS VARCHAR) WHEN ${isCoarse} THEN ${format("%g")} ELSE ${fine} END`
}

/** A time of day with milliseconds or microseconds, if it has them, as in {@link instant}: a plain cast cuts zeros off. */
const timeOfDay = (value: string): string => {
  const micros = `microsecond(${value})`
  const length = `CASE WHEN ${micros} % 1000000 = 0 THEN 8 WHEN ${micros} % 1000 = 0 THEN 12 ELSE 15 END`
  return `rpad(CAST(${value} AS VARCHAR), ${length}, '0')`
}

const float = (value: string): string =>
  `CASE WHEN isnan(${value}) THEN 'NaN' WHEN ${value} > 0 THEN 'Infinity' ELSE '-Infinity' END`

/** A scalar in a form that is printed without loss. With `asText` it is always a text. */
const scalar = (value: string, type: DuckDBType, asText: boolean): string => {
  switch (type.typeId) {
    case Id.FLOAT:
    case Id.DOUBLE: {
      const finite = asText ? `CAST(${value} AS VARCHAR)` : `to_json(${value})`
      const other = asText ? float(value) : `to_json(${float(value)})`
      return `CASE WHEN ${value} IS NULL THEN NULL WHEN isfinite(${value}) THEN ${finite} ELSE ${other} END`
    }
    case Id.BLOB:
      return `base64(${value})`
    case Id.TIME:
      return timeOfDay(value)
    case Id.TIMESTAMP_S:
    case Id.TIMESTAMP_MS:
      return instant(`CAST(${value} AS TIMESTAMP)`, "us")
    case Id.TIMESTAMP:
    case Id.TIMESTAMP_TZ:
      return instant(value, "us")
    case Id.TIMESTAMP_NS:
      return instant(value, "ns")
    default:
      return asText && type.typeId !== Id.VARCHAR ? `CAST(${value} AS VARCHAR)` : value
  }
}

const numbers: ReadonlySet<Id> = new Set([
  Id.TINYINT,
  Id.SMALLINT,
  Id.INTEGER,
  Id.BIGINT,
  Id.HUGEINT,
  Id.UTINYINT,
  Id.USMALLINT,
  Id.UINTEGER,
  Id.UBIGINT,
  Id.UHUGEINT,
  Id.FLOAT,
  Id.DOUBLE,
  Id.DECIMAL,
  Id.BIGNUM
])

export const isNumeric = (type: DuckDBType): boolean => numbers.has(type.typeId)

/** A value whose `to_json` is the JSON that flowlines use. */
const jsonable = (value: string, type: DuckDBType, depth = 0): string => {
  if (!contains(type, (part) => special.has(part.typeId))) return value
  const name = `v${depth}`
  if (type instanceof DuckDBListType) {
    return `list_transform(${value}, lambda ${name}: ${jsonable(name, type.valueType, depth + 1)})`
  }
  if (type instanceof DuckDBArrayType) {
    const list = `CAST(${value} AS ${type.valueType}[])`
    return `list_transform(${list}, lambda ${name}: ${jsonable(name, type.valueType, depth + 1)})`
  }
  if (type instanceof DuckDBStructType) {
    const members = type.entryNames.map((entry, index) => {
      const member = `struct_extract_at(${value}, ${index + 1})`
      return `${identifier(entry)} := ${jsonable(member, type.entryTypes[index]!, depth)}`
    })
    return `CASE WHEN ${value} IS NULL THEN NULL ELSE struct_pack(${members.join(", ")}) END`
  }
  if (type instanceof DuckDBMapType) {
    const key = scalar(`${name}.key`, type.keyType, true)
    const entry = `struct_pack(k := ${key}, v := ${jsonable(`${name}.value`, type.valueType, depth + 1)})`
    return `map_from_entries(list_transform(map_entries(${value}), lambda ${name}: ${entry}))`
  }
  return scalar(value, type, false)
}

/** The value as JSON text, as exact as `to_json`. */
const jsonText = (value: string, type: DuckDBType): string => {
  if (isJson(type)) return `CAST(${value} AS VARCHAR)`
  return `CAST(to_json(${jsonable(value, type)}) AS VARCHAR)`
}

/** A SELECT list for `COPY … (FORMAT json)` that writes exact JSON under the column names. */
export const jsonColumns = (columns: ReadonlyArray<Column>): string =>
  columns.map(({ name, type }) => `${jsonable(identifier(name), type)} AS ${identifier(name)}`).join(", ")

/** The record as one line of JSON. A column of JSON keeps its own text. */
export const jsonLine = (columns: ReadonlyArray<Column>): string => {
  const members = columns.map(({ name, type }, index) => {
    const key = literal(`${index === 0 ? "" : ","}${JSON.stringify(name)}:`)
    return `${key} || coalesce(${jsonText(identifier(name), type)}, 'null')`
  })
  return `'{' || ${members.join(" || ")} || '}'`
}

/** The value as the text of a csv or table cell; nested values are JSON. */
export const text = (value: string, type: DuckDBType): string => {
  if (isJson(type)) return `CAST(${value} AS VARCHAR)`
  return nested.has(type.typeId) ? jsonText(value, type) : scalar(value, type, true)
}

/** A type in SQL; `leaf` writes the innermost types. */
export const typeText = (type: DuckDBType, leaf: (type: DuckDBType) => string): string => {
  if (type instanceof DuckDBListType) return `${typeText(type.valueType, leaf)}[]`
  if (type instanceof DuckDBArrayType) return `${typeText(type.valueType, leaf)}[${type.length}]`
  if (type instanceof DuckDBStructType) {
    const types = type.entryTypes.map((entry) => typeText(entry, leaf))
    return `STRUCT(${type.entryNames.map((name, index) => `${identifier(name)} ${types[index]}`).join(", ")})`
  }
  if (type instanceof DuckDBMapType) return `MAP(${typeText(type.keyType, leaf)}, ${typeText(type.valueType, leaf)})`
  return leaf(type)
}

/** The type in which Parquet stores the values without loss. */
const stored = (type: DuckDBType): string => {
  switch (type.typeId) {
    // Parquet has no 128-bit integers; DuckDB would write doubles.
    case Id.HUGEINT:
    case Id.UHUGEINT:
      return "DECIMAL(38,0)"
    case Id.UNION:
    case Id.VARIANT:
      return "JSON"
    case Id.BIT:
    case Id.BIGNUM:
    case Id.INTERVAL:
    case Id.TIME_TZ:
    case Id.TIME_NS:
      return "VARCHAR"
    default:
      return isJson(type) ? "JSON" : String(type)
  }
}

const unstored: ReadonlySet<Id> = new Set([
  Id.HUGEINT,
  Id.UHUGEINT,
  Id.UNION,
  Id.VARIANT,
  Id.BIT,
  Id.BIGNUM,
  Id.INTERVAL,
  Id.TIME_TZ,
  Id.TIME_NS
])

/** A SELECT list for Parquet. */
export const parquetColumns = (columns: ReadonlyArray<Column>): string =>
  columns
    .map(({ name, type }) =>
      contains(type, (part) => unstored.has(part.typeId))
        ? `CAST(${identifier(name)} AS ${typeText(type, stored)}) AS ${identifier(name)}`
        : identifier(name)
    )
    .join(", ")

/**
 * The column at a dotted path, as csv columns are named. A column whose own name contains the dots takes precedence.
 */
export const columnAt = (columns: ReadonlyArray<Column>, path: string): readonly [string, DuckDBType] | undefined => {
  const found =
    columns.find(({ name }) => name === path) ?? columns.find(({ name }) => name.toLowerCase() === path.toLowerCase())
  if (found !== undefined) return [identifier(found.name), found.type]
  for (let dot = path.indexOf("."); dot !== -1; dot = path.indexOf(".", dot + 1)) {
    const outer = columns.find(({ name }) => name === path.slice(0, dot))
    if (outer === undefined || !(outer.type instanceof DuckDBStructType)) continue
    const { entryNames, entryTypes } = outer.type
    const members = entryNames.map((name, index): Column => ({ name, type: entryTypes[index]! }))
    const member = columnAt(members, path.slice(dot + 1))
    if (member !== undefined) return [`${identifier(outer.name)}.${member[0]}`, member[1]]
  }
  return undefined
}
