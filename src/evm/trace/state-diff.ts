/**
 * stateDiff: the changes of a transaction by account. `=` is unchanged, `*` changed, `+` created, `-` removed;
 * created and removed accounts say so in every member.
 */
import type { AccountState } from '#evm/state-lookup.ts'
import { formatData, formatQuantity } from '#types/hex.ts'
import { NO_WANTS } from './events.ts'
import { accountObject, type Shape, type Write } from './shape.ts'
import type { TouchedAccount } from './trace-visitor.ts'

const NOTHING = new Uint8Array(0)

export function stateDiff(write: Write): Shape {
  return accountObject(write, { ...NO_WANTS, changes: true }, accountText)
}

function accountText({ before, after, codeBefore, codeAfter, slots }: TouchedAccount): string {
  const member = (text: (state: AccountState) => string): string =>
    changeText(before && text(before), after && text(after))
  const balance = member((state) => formatQuantity(state.balance))
  const nonce = member((state) => formatQuantity(state.nonce))
  const hasCode = codeBefore !== undefined || codeAfter !== undefined
  const isWhole = before === undefined || after === undefined
  const code =
    hasCode || isWhole
      ? changeText(before && formatData(codeBefore ?? NOTHING), after && formatData(codeAfter ?? NOTHING))
      : '"="'
  const storage = slots.flatMap(({ slot, before: from, after: to }) => {
    const change = slotText(before === undefined, from, to)
    return change === undefined ? [] : `"${formatData(slot)}":${change}`
  })
  const shownStorage = after === undefined ? '' : storage.join()
  return `{"balance":${balance},"code":${code},"nonce":${nonce},"storage":{${shownStorage}}}`
}

function changeText(before: string | undefined, after: string | undefined): string {
  if (before === undefined) return `{"+":"${after}"}`
  if (after === undefined) return `{"-":"${before}"}`
  return before === after ? '"="' : `{"*":{"from":"${before}","to":"${after}"}}`
}

/** Returns undefined if there is nothing to show. */
function slotText(isNewAccount: boolean, before: Uint8Array, after: Uint8Array): string | undefined {
  if (!isNewAccount) return `{"*":{"from":"${formatData(before)}","to":"${formatData(after)}"}}`
  return after.some((byte) => byte !== 0) ? `{"+":"${formatData(after)}"}` : undefined
}
