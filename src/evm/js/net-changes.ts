/** Cells to the bytes of types/state-changes.ts: what is different now from what was. */
import type { StateChangesWriter } from '#types/state-changes.ts'
import { type AccountCell, type AccountValue, equalAccounts, equalWords, type SlotCell } from './cells.ts'

type CodeOf = (hash: Uint8Array) => Uint8Array | undefined

const ZERO_WORD = new Uint8Array(32)

/** Since the session began. `writtenCode` knows the code that the session wrote, and no other. */
export function writeChanges(
  cells: Iterable<AccountCell>,
  writer: StateChangesWriter,
  writtenCode: CodeOf,
): void {
  const codes = new Map<Uint8Array, Uint8Array>()
  for (const cell of cells) {
    const isGone = cell.origin !== undefined && (cell.isDestroyed || cell.current === undefined)
    const before = isGone ? undefined : cell.origin
    if (isGone) writer.destroyed(cell.address)
    writeAccount(cell, before, writer, codes, writtenCode)
    for (const slot of cell.slots.values()) writeSlot(cell, slot, slot.origin, writer)
  }
  writeCodes(codes, writer)
}

/** Since transaction `stamp` began; `cells` are those it changed. */
export function writeTransactionChanges(
  cells: Iterable<AccountCell>,
  stamp: number,
  writer: StateChangesWriter,
  writtenCode: CodeOf,
): void {
  const codes = new Map<Uint8Array, Uint8Array>()
  for (const cell of cells) {
    const isGone = cell.atStart !== undefined && (cell.destroyedStamp === stamp || cell.current === undefined)
    const before = isGone ? undefined : cell.atStart
    if (isGone) writer.destroyed(cell.address)
    writeAccount(cell, before, writer, codes, writtenCode)
    for (const slot of cell.slots.values()) {
      if (slot.stamp === stamp) writeSlot(cell, slot, slot.atStart, writer)
    }
  }
  writeCodes(codes, writer)
}

function writeAccount(
  cell: AccountCell,
  before: AccountValue | undefined,
  writer: StateChangesWriter,
  codes: Map<Uint8Array, Uint8Array>,
  writtenCode: CodeOf,
): void {
  const { current, address } = cell
  if (current === undefined || equalAccounts(current, before)) return
  writer.account(address, current.nonce, current.balance, current.codeHash)
  if (before !== undefined && equalWords(before.codeHash, current.codeHash)) return
  const code = writtenCode(current.codeHash)
  if (code !== undefined) codes.set(current.codeHash, code)
}

/** A slot of a destroyed account counts from zero, whatever it was before. */
function writeSlot(cell: AccountCell, slot: SlotCell, before: Uint8Array, writer: StateChangesWriter): void {
  if (cell.current === undefined || equalWords(slot.current, before)) return
  writer.storage(cell.address, slot.slot, slot.current.length === 0 ? ZERO_WORD : slot.current)
}

function writeCodes(codes: ReadonlyMap<Uint8Array, Uint8Array>, writer: StateChangesWriter): void {
  for (const [hash, code] of codes) writer.code(hash, code)
}
