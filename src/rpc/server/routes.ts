import { pathOf } from '#serve/request-target.ts'

/** Where a request goes, decided by path and method alone. */
export type Route =
  | { readonly kind: 'call' | 'login' | 'greeting' | 'liveness' | 'readiness' | 'unknown' }
  | { readonly kind: 'wrong-method'; readonly allow: string }

const UNKNOWN: Route = { kind: 'unknown' }
const CALL: Route = { kind: 'call' }

interface Path {
  readonly methods: Readonly<Record<string, Route>>
  /** Everything but HEAD, whose answer carries no Allow header in Besu. */
  readonly otherwise: Route
}

const PATHS: ReadonlyMap<string, Path> = new Map([
  ['/', path({ POST: CALL, GET: { kind: 'greeting' } })],
  ['/login', path({ POST: { kind: 'login' } })],
  ['/liveness', path({ GET: { kind: 'liveness' } })],
  ['/readiness', path({ GET: { kind: 'readiness' } })],
])

function path(methods: Readonly<Record<string, Route>>): Path {
  return { methods, otherwise: { kind: 'wrong-method', allow: Object.keys(methods).join(',') } }
}

export function findRoute(method: string, url: string): Route {
  if (url === '/' && method === 'POST') return CALL
  const found = PATHS.get(pathOf(url))
  if (found === undefined) return UNKNOWN
  return Object.hasOwn(found.methods, method) ? (found.methods[method] ?? UNKNOWN) : found.otherwise
}
