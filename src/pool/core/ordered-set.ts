/**
 * A sorted set for as many items as a pool has. It finds, adds and deletes by binary search, in pieces short enough to move at
 * once. There is no cursor: `after` continues from an item even if that was deleted, so a walk survives any change.
 */
import { assert } from '#types/assert.ts'

const MAX_PIECE = 128

export class OrderedSet<Item> {
  readonly #compare: (a: Item, b: Item) => number
  /** No piece is empty. */
  readonly #pieces: Item[][] = []
  #size = 0

  /** Items that compare as equal are the same item. An item's order must not change while it is in the set. */
  constructor(compare: (a: Item, b: Item) => number) {
    this.#compare = compare
  }

  get size(): number {
    return this.#size
  }

  add(item: Item): void {
    if (this.#pieces.length === 0) {
      this.#pieces.push([item])
      this.#size = 1
      return
    }
    const at = Math.min(this.#pieceOf(item), this.#pieces.length - 1)
    const piece = this.#pieces[at]!
    const place = this.#placeIn(piece, item)
    assert(place === piece.length || this.#compare(piece[place]!, item) !== 0, 'An item is added once.')
    piece.splice(place, 0, item)
    this.#size++
    if (piece.length > MAX_PIECE) this.#pieces.splice(at + 1, 0, piece.splice(MAX_PIECE / 2))
  }

  delete(item: Item): void {
    const at = this.#pieceOf(item)
    const piece = this.#pieces[at]
    const place = piece === undefined ? 0 : this.#placeIn(piece, item)
    assert(
      piece?.[place] !== undefined && this.#compare(piece[place], item) === 0,
      'An item that is taken out is inside.',
    )
    piece.splice(place, 1)
    this.#size--
    if (piece.length === 0) this.#pieces.splice(at, 1)
  }

  first(): Item | undefined {
    return this.#pieces[0]?.[0]
  }

  last(): Item | undefined {
    return this.#pieces.at(-1)?.at(-1)
  }

  /** The first item after this one, which need not be in the set. With undefined, the first item. */
  after(item: Item | undefined): Item | undefined {
    if (item === undefined) return this.first()
    const at = this.#pieceOf(item)
    const piece = this.#pieces[at]
    if (piece === undefined) return undefined
    const place = this.#placeIn(piece, item)
    const isInside = this.#compare(piece[place]!, item) === 0
    if (!isInside) return piece[place]
    return place + 1 < piece.length ? piece[place + 1] : this.#pieces[at + 1]?.[0]
  }

  /** The item itself if it is in the set, otherwise the last item before it. */
  floor(item: Item): Item | undefined {
    const at = this.#pieceOf(item)
    const piece = this.#pieces[at]
    if (piece === undefined) return this.last()
    const place = this.#placeIn(piece, item)
    if (this.#compare(piece[place]!, item) === 0) return piece[place]
    return place > 0 ? piece[place - 1] : this.#pieces[at - 1]?.at(-1)
  }

  *[Symbol.iterator](): Generator<Item, void, undefined> {
    for (const piece of this.#pieces) yield* piece
  }

  /** The index of the first piece whose last item is not before the given one. */
  #pieceOf(item: Item): number {
    let low = 0
    let high = this.#pieces.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#compare(this.#pieces[middle]!.at(-1)!, item) < 0) low = middle + 1
      else high = middle
    }
    return low
  }

  #placeIn(piece: readonly Item[], item: Item): number {
    let low = 0
    let high = piece.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#compare(piece[middle]!, item) < 0) low = middle + 1
      else high = middle
    }
    return low
  }
}
