/** The path without query, duplicate slashes and trailing slash. Proxies may send the complete URL. */
export function pathOf(url: string): string {
  const target = /^https?:\/\/[^/?#]*/i.test(url) ? url.replace(/^https?:\/\/[^/?#]*/i, '') : url
  const end = target.search(/[?#]/)
  const path = (end === -1 ? target : target.slice(0, end)).replace(/\/{2,}/g, '/')
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path === '' ? '/' : path
}

/** The first value of a query parameter, as in Besu. */
export function queryParameter(url: string, name: string): string | null {
  const start = url.indexOf('?')
  return start === -1 ? null : new URLSearchParams(url.slice(start + 1)).get(name)
}
