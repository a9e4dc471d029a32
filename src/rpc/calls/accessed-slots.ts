import { storageOwner } from '#evm/call-tree.ts'
import { RecordReader } from '#evm/trace/record-reader.ts'
import { NO_WANTS, type TraceRequest } from '#evm/trace/records.ts'
import type { Address } from '#types/address.ts'
import { type Hash, hashFromBytes } from '#types/hash.ts'
import type { AccessList } from '#types/transaction/access-list.ts'

type Slots = Map<Address, Set<Hash>>

interface OpenFrame {
  /** Whose storage the frame uses. */
  readonly owner: Address
  readonly slots: Slots
}

/**
 * Watches a call for the storage it uses: the slots that are warm at its end. What a frame warmed that failed is cold
 * again, but for the outermost, whose failure is what the caller wants to see into.
 */
export class AccessedSlots {
  readonly #slots: Slots = new Map()
  readonly #frames: OpenFrame[] = []
  readonly #reader = new RecordReader({
    enter: (frame) => this.#frames.push({ owner: storageOwner(frame), slots: new Map() }),
    step: ({ slot }) => {
      const frame = this.#frames.at(-1)
      if (slot !== undefined && frame !== undefined) add(frame.slots, frame.owner, hashFromBytes(slot))
    },
    exit: ({ error }) => {
      const { slots } = this.#frames.pop()!
      const outer = this.#frames.at(-1)
      if (outer === undefined) merge(this.#slots, slots)
      else if (error === 'none' || error === 'codeNotPaid') merge(outer.slots, slots)
    },
  })
  readonly request: TraceRequest = {
    wants: { ...NO_WANTS, steps: true, storage: true },
    onRecords: (chunk) => this.#reader.read(chunk),
  }

  /** `given` is warm from the beginning. */
  constructor(given: AccessList = []) {
    for (const { address, storageKeys } of given) {
      for (const key of storageKeys) add(this.#slots, address, key)
    }
  }

  /** In the order of first use; the slots of an address ascending. */
  accessList(): AccessList {
    return [...this.#slots].map(([address, keys]) => ({ address, storageKeys: [...keys].sort() }))
  }
}

function add(slots: Slots, address: Address, key: Hash): void {
  const known = slots.get(address)
  if (known === undefined) slots.set(address, new Set([key]))
  else known.add(key)
}

function merge(into: Slots, from: Slots): void {
  for (const [address, keys] of from) for (const key of keys) add(into, address, key)
}
