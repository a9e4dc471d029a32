/** Where a request goes, decided by path and method alone. */
export type Route =
  | { readonly kind: 'call' | 'login' | 'greeting' | 'liveness' | 'readiness' | 'unknown' }
  | { readonly kind: 'wrong-method'; readonly allow: string }

const UNKNOWN: Route = { kind: 'unknown' }
const CALL: Route = { kind: 'call' }

interface Path {
  readonly methods: Readonly<Record<string, Route>>
  /** Everything but HEAD, whose answer carries no Allow header in the reference. */
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

/** Without query; doubled and trailing slashes do not count. Proxies may send the whole URL. */
export function pathOf(url: string): string {
  const target = /^https?:\/\/[^/?#]*/i.test(url) ? url.replace(/^https?:\/\/[^/?#]*/i, '') : url
  const end = target.search(/[?#]/)
  const path = (end === -1 ? target : target.slice(0, end)).replace(/\/{2,}/g, '/')
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path === '' ? '/' : path
}

/** The first value of a query parameter, as the reference takes it. */
export function queryParameter(url: string, name: string): string | null {
  const start = url.indexOf('?')
  return start === -1 ? null : new URLSearchParams(url.slice(start + 1)).get(name)
}
