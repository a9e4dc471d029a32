import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { bareId, count, plural, short } from '../format.ts'
import { Empty } from '../parts.tsx'
import type { NodeView } from '../state.ts'
import { inTurn } from '../turns.ts'

const [WIDTH, HEIGHT] = [300, 220]
/** More names overlap, so they appear on hover only. */
const MAX_NAMES = 24
/** Links that a screen reader reads one by one. */
const MAX_READ = 30

interface Place {
  readonly id: string
  /** Its position among all places. */
  readonly at: number
  readonly label: string
  readonly isListed: boolean
  readonly isReachable: boolean
  readonly x: number
  readonly y: number
}

interface Link {
  readonly one: Place
  readonly other: Place
  readonly isMutual: boolean
}

/** Nodes on a circle. A solid line is a link that both ends report, a dashed one only one end. */
export function LinkMap({ nodes }: { nodes: readonly NodeView[] }) {
  const [drawing, setDrawing] = useState<JSX.Element>()
  const key = nodes
    .map(({ name, reach, info, peersKey }) => `${name} ${reach} ${info?.id} ${peersKey}`)
    .join()
  // Thousands of links are drawn again only if one of them changed, and not in the frame of the tables.
  useEffect(() => inTurn(() => setDrawing(drawLinks(nodes))), [key])
  return drawing ?? <Empty title="Loading…" />
}

function drawLinks(nodes: readonly NodeView[]) {
  const places = placesOf(nodes)
  if (places.size === 0) return <Empty title="No links yet">Nodes report their peers through ADMIN.</Empty>
  const links = linksOf(nodes, places)
  const names = links.map(({ one, other }) => `${one.label} to ${other.label}`).join(', ')
  const summary = `${plural(links.length, 'link')} between ${plural(places.size, 'node')}`
  const label = links.length > 0 && links.length <= MAX_READ ? `Links: ${names}` : summary
  return (
    <figure class="link-map">
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={label}>
        <path class={links.length > MAX_READ ? 'many' : ''} d={pathOf(links, true)} />
        <path class="one-sided" d={pathOf(links, false)} />
        {[...places.values()].map((place) => (
          <g
            key={place.id}
            class={`place ${place.isReachable ? '' : 'bad'} ${place.isListed ? '' : 'unlisted'}`}
          >
            <circle cx={place.x} cy={place.y} r={places.size > MAX_NAMES ? 3 : 6}>
              <title>{place.label}</title>
            </circle>
            {places.size <= MAX_NAMES && (
              <text
                x={place.x}
                y={place.y < HEIGHT / 2 ? place.y - 13 : place.y + 22}
                text-anchor={anchorOf(place.x)}
              >
                {place.label}
              </text>
            )}
          </g>
        ))}
      </svg>
      <figcaption class="note">
        {count(links.length)} {links.length === 1 ? 'link' : 'links'}
        {links.some(({ isMutual }) => !isMutual) && '; dashed links are reported by one end only'}
      </figcaption>
    </figure>
  )
}

function placesOf(nodes: readonly NodeView[]): ReadonlyMap<string, Place> {
  const all = new Map<string, Omit<Place, 'at' | 'x' | 'y'>>()
  for (const { key, info, name, reach } of nodes) {
    // A node that never answered has a place without links.
    const id = info === undefined ? `node ${key}` : bareId(info.id)
    all.set(id, { id, label: name, isListed: true, isReachable: reach === 'reachable' || reach === 'slow' })
  }
  for (const { id: full, network } of nodes.flatMap(({ peers }) => peers ?? [])) {
    const id = bareId(full)
    if (all.has(id)) continue
    all.set(id, { id, label: network.remoteAddress || short(id), isListed: false, isReachable: true })
  }
  return new Map([...all.values()].map((each, at) => [each.id, placeOn(each, at, all.size)]))
}

function linksOf(nodes: readonly NodeView[], places: ReadonlyMap<string, Place>): readonly Link[] {
  const links = new Map<number, Link>()
  for (const { info, peers } of nodes) {
    const one = info && places.get(bareId(info.id))
    if (one === undefined) continue
    for (const { id } of peers ?? []) {
      const other = places.get(bareId(id))!
      const key = Math.min(one.at, other.at) * places.size + Math.max(one.at, other.at)
      const isMutual = links.has(key) || !other.isListed
      links.set(key, { one, other, isMutual })
    }
  }
  return [...links.values()]
}

const pathOf = (links: readonly Link[], isMutual: boolean): string =>
  links
    .filter((link) => link.isMutual === isMutual)
    .map(({ one, other }) => `M${one.x} ${one.y}L${other.x} ${other.y}`)
    .join('')

const anchorOf = (x: number): 'start' | 'middle' | 'end' =>
  x < 50 ? 'start' : x > WIDTH - 50 ? 'end' : 'middle'

function placeOn(each: Omit<Place, 'at' | 'x' | 'y'>, at: number, total: number): Place {
  const angle = total === 4 ? Math.PI * (0.25 + at / 2) : (2 * Math.PI * at) / total - Math.PI / 2
  const x = WIDTH / 2 + Math.cos(angle) * (WIDTH / 2 - 42)
  const y = HEIGHT / 2 + Math.sin(angle) * (HEIGHT / 2 - 32)
  const round = (value: number): number => Math.round(10 * value) / 10
  return { ...each, at, x: total === 1 ? WIDTH / 2 : round(x), y: total === 1 ? HEIGHT / 2 : round(y) }
}
