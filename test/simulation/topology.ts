/** The links between validators that are not all connected with each other. */
import type { Random } from '../support/random.ts'

export const TOPOLOGIES = ['line', 'star', 'ring', 'regular', 'full'] as const
export type Topology = (typeof TOPOLOGIES)[number]

/** Each validator of a regular network has this many links on either side. */
const REGULAR_SIDE = 4

export class Links {
  readonly #size: number
  readonly #isLinked: boolean[]

  constructor(size: number) {
    this.#size = size
    this.#isLinked = new Array(size * size).fill(false)
  }

  has(one: number, other: number): boolean {
    return this.#isLinked[one * this.#size + other]!
  }

  set(one: number, other: number, isLinked: boolean): void {
    if (one === other) return
    this.#isLinked[one * this.#size + other] = isLinked
    this.#isLinked[other * this.#size + one] = isLinked
  }

  copy(): Links {
    const copy = new Links(this.#size)
    for (const [at, isLinked] of this.#isLinked.entries()) copy.#isLinked[at] = isLinked
    return copy
  }

  /** Whether the members reach each other without the others. */
  connect(members: readonly number[]): boolean {
    const reached = new Set(members.slice(0, 1))
    for (const one of reached) for (const other of members) if (this.has(one, other)) reached.add(other)
    return reached.size === members.length
  }
}

/** The seed decides who has which place. */
export function drawLinks(topology: Topology, size: number, random: Random): Links {
  const places = shuffled(size, random)
  const links = new Links(size)
  for (let at = 0; at < size; at++) {
    for (let next = 0; next < size; next++) {
      if (isJoined(topology, at, next, size)) links.set(places[at]!, places[next]!, true)
    }
  }
  return links
}

/** One link is cut, or another one is made. */
export function changeLink(links: Links, size: number, random: Random): Links {
  const changed = links.copy()
  const [one, other] = [random.below(size), random.below(size)]
  changed.set(one, other, !links.has(one, other))
  return changed
}

function isJoined(topology: Topology, at: number, next: number, size: number): boolean {
  const distance = (next - at + size) % size
  if (topology === 'line') return next === at + 1
  if (topology === 'star') return at === 0
  if (topology === 'ring') return distance === 1
  if (topology === 'regular') return distance >= 1 && distance <= REGULAR_SIDE
  return true
}

function shuffled(size: number, random: Random): number[] {
  const places = Array.from({ length: size }, (_, index) => index)
  for (let at = size - 1; at > 0; at--) {
    const other = random.below(at + 1)
    ;[places[at], places[other]] = [places[other]!, places[at]!]
  }
  return places
}
