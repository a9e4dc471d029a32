import { METHODS } from '#api/methods.generated.ts'

/** Methods that need a missing part of the node, with the part's name. */
const WAITS: readonly (readonly [RegExp, string])[] = [
  [/^debug_standardTrace/, 'traces that are written to files of the server'],
  [/^(admin_|net_)/, 'peers and logs'],
]

const KNOWN: ReadonlySet<string> = new Set(METHODS.flatMap(({ name, aliases }) => [name, ...aliases]))

/** The missing part for a request; undefined if all its methods exist or should exist. */
export function reasonToWait(request: unknown): string | undefined {
  for (const { method } of [request].flat() as { readonly method?: string }[]) {
    if (method === undefined || KNOWN.has(method)) continue
    const row = WAITS.find(([pattern]) => pattern.test(method))
    if (row !== undefined) return row[1]
  }
  return undefined
}
