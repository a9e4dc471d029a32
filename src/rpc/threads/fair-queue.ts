/**
 * What waits, by whose it is. Owners take turns, each with what it has longest: whoever has much waits for its own and not
 * before others.
 */
export class FairQueue<Item> {
  /** In the order of turns. Those inside: sets, since what is given up leaves from anywhere. */
  readonly #lanes = new Map<string, Set<Place<Item>>>()
  #size = 0

  get size(): number {
    return this.#size
  }

  sizeOf(owner: string): number {
    return this.#lanes.get(owner)?.size ?? 0
  }

  /** Returns the way to give it up, which is harmless when it was taken. */
  push(owner: string, item: Item): () => void {
    const place = { item }
    const lane = this.#lanes.get(owner)
    if (lane === undefined) this.#lanes.set(owner, new Set([place]))
    else lane.add(place)
    this.#size++
    return () => this.#remove(owner, place)
  }

  /** What is next of the first owner in turn that may; undefined: there is none. */
  take(may: (owner: string) => boolean): { readonly owner: string; readonly item: Item } | undefined {
    for (const [owner, lane] of this.#lanes) {
      if (!may(owner)) continue
      const [place] = lane
      this.#remove(owner, place!)
      // To the end of the turns.
      if (this.#lanes.delete(owner)) this.#lanes.set(owner, lane)
      return { owner, item: place!.item }
    }
    return undefined
  }

  #remove(owner: string, place: Place<Item>): void {
    const lane = this.#lanes.get(owner)
    if (lane?.delete(place) !== true) return
    this.#size--
    if (lane.size === 0) this.#lanes.delete(owner)
  }
}

/** So that the same item may wait twice. */
interface Place<Item> {
  readonly item: Item
}
