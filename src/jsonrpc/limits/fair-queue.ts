/** A queue in which owners take turns, each with its oldest item: an owner with many items delays only its own. */
export class FairQueue<Item> {
  /** In the order of turns. Sets, because cancelled items leave from anywhere. */
  readonly #lanes = new Map<string, Set<Place<Item>>>()
  #size = 0

  get size(): number {
    return this.#size
  }

  sizeOf(owner: string): number {
    return this.#lanes.get(owner)?.size ?? 0
  }

  /** Returns the function that cancels the item; it does nothing once the item was taken. */
  push(owner: string, item: Item): () => void {
    const place = { item }
    const lane = this.#lanes.get(owner)
    if (lane === undefined) this.#lanes.set(owner, new Set([place]))
    else lane.add(place)
    this.#size++
    return () => this.#remove(owner, place)
  }

  /** The oldest item of the first owner that may; undefined if there is none. */
  take(may: (owner: string) => boolean): { readonly owner: string; readonly item: Item } | undefined {
    for (const [owner, lane] of this.#lanes) {
      if (!may(owner)) continue
      const [place] = lane
      this.#remove(owner, place!)
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

/** An object of its own, so the same item may wait twice. */
interface Place<Item> {
  readonly item: Item
}
