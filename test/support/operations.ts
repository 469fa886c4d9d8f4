import { at, child, document, resolved } from "./described.ts"

/** A parameter as the document declares it. */
export interface DescribedParameter {
  readonly name: string
  readonly in: "path" | "query" | "header"
  readonly required?: boolean
  readonly description?: string
  readonly schema: Readonly<Record<string, unknown>>
  readonly example?: unknown
}

/** An operation of the document, with its references to parameters resolved. */
export interface DescribedOperation {
  readonly id: string
  readonly path: string
  readonly method: string
  readonly pointer: string
  readonly operation: {
    readonly summary?: string
    readonly description?: string
    readonly parameters: ReadonlyArray<DescribedParameter>
    readonly requestBody?: {
      readonly content: Readonly<Record<string, { readonly schema: object; readonly example?: unknown }>>
    }
    readonly security?: ReadonlyArray<Readonly<Record<string, ReadonlyArray<string>>>>
    readonly responses: Readonly<Record<number, unknown>>
  }
}

/** All operations of the document. */
export const operations: ReadonlyArray<DescribedOperation> = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.keys(methods).map((method) => {
    const pointer = child("/paths", path, method)
    const operation = at(pointer) as DescribedOperation["operation"] & { readonly operationId: string }
    const parameters = operation.parameters.map(
      (_, index) => at(resolved(child(pointer, "parameters", index))) as DescribedParameter
    )
    return {
      id: operation.operationId,
      path,
      method: method.toUpperCase(),
      pointer,
      operation: { ...operation, parameters }
    }
  })
)

/** A form with these parts, each sent as a file. */
export const formOf = (parts: Readonly<Record<string, string>>): FormData => {
  const form = new FormData()
  for (const [name, value] of Object.entries(parts)) form.set(name, new Blob([value]), `${name}.txt`)
  return form
}
