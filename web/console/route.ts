/** Every view is a hash link: `#/block/12?node=validator-2`. */

export interface Route {
  readonly view: string
  readonly args: readonly string[]
  readonly query: ReadonlyMap<string, string>
}

export function readRoute(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?')
  const [view = '', ...args] = path.split('/').map(decode)
  return { view: view === '' ? 'network' : view, args, query: new Map(new URLSearchParams(query)) }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Keeps the chosen node. */
export function linkTo(path: string, query: Readonly<Record<string, string | undefined>> = {}): string {
  const kept = { node: readRoute(location.hash).query.get('node'), ...query }
  const entries = Object.entries(kept).filter((each): each is [string, string] => each[1] !== undefined)
  const text = new URLSearchParams(entries).toString()
  return `#/${path}${text === '' ? '' : `?${text}`}`
}

export const goTo = (path: string, query: Readonly<Record<string, string | undefined>> = {}): void => {
  location.hash = linkTo(path, query)
}
