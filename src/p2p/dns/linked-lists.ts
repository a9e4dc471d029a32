/**
 * A node list in DNS with the lists that it links to. Each list is verified with the key in its link. Links are hostile: their
 * number and depth are bounded, a list is read once however many links name it, and a list that fails costs only its nodes.
 */
import type { Neighbor } from '#p2p/discv4/packet.ts'
import { DnsList, type DnsListParts } from './dns-list.ts'
import { type ListAddress, listAddressText } from './list-entry.ts'

/** The first list included. */
const MAX_LISTS = 8
/** Links from the first list to the last one. */
const MAX_LINK_DEPTH = 3

export class LinkedLists {
  readonly #first: ListAddress
  readonly #parts: DnsListParts
  /** The lists by address. They keep their entries between samples. */
  #lists = new Map<string, DnsList>()

  constructor(first: ListAddress, parts: DnsListParts) {
    this.#first = first
    this.#parts = parts
  }

  /** Up to `count` nodes without duplicates. Rejects if the first list cannot be read or is not valid. */
  async sample(count: number): Promise<readonly Neighbor[]> {
    const [first, ...linked] = await this.#follow()
    const lists = [first!, ...linked]
    const found = new Map<string, Neighbor>()
    for (let walk = 0; walk < count; walk++) {
      const index = this.#parts.random.randomBelow(lists.length)
      const node = index === 0 ? await first!.next() : await this.#nextOf(lists, index)
      if (node !== undefined) found.set(node.id, node)
    }
    return [...found.values()]
  }

  /** A linked list that fails is left out for the rest of the sample. */
  async #nextOf(lists: DnsList[], index: number): Promise<Neighbor | undefined> {
    try {
      return await lists[index]!.next()
    } catch {
      lists.splice(index, 1)
      return undefined
    }
  }

  /** The first list and those that its links reach, nearest first. */
  async #follow(): Promise<readonly DnsList[]> {
    const reached = new Map<string, DnsList>()
    const reach = (address: ListAddress): DnsList | undefined => {
      const text = listAddressText(address)
      if (reached.has(text) || reached.size >= MAX_LISTS) return undefined
      const list = this.#lists.get(text) ?? new DnsList(address, this.#parts)
      reached.set(text, list)
      return list
    }
    const first = reach(this.#first)!
    let ring = await first.links()
    for (let depth = 1; depth <= MAX_LINK_DEPTH && ring.length > 0; depth++) {
      const lists = ring.flatMap((address) => reach(address) ?? [])
      ring = depth === MAX_LINK_DEPTH ? [] : (await Promise.all(lists.map(linksOf))).flat()
    }
    this.#lists = reached
    return [...reached.values()]
  }
}

/** No links if the list cannot be read or is not valid. */
async function linksOf(list: DnsList): Promise<readonly ListAddress[]> {
  return list.links().catch(() => [])
}
