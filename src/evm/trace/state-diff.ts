/**
 * stateDiff: what a transaction changed, account by account. `=` is unchanged, `*` changed, `+` came into being, `-` is
 * gone; of accounts that came or went every member says so.
 */
import { formatData, formatQuantity } from '#types/hex.ts'
import type { AccountState, TouchedAccount } from './record-visitor.ts'
import { NO_WANTS } from './records.ts'
import type { Shape, Write } from './shape.ts'

const NOTHING = new Uint8Array(0)

export function stateDiff(write: Write): Shape {
  let isFirst = true
  return {
    wants: { ...NO_WANTS, changes: true },
    visitor: {
      begin() {
        isFirst = true
        write('{')
      },
      account(account) {
        write(`${isFirst ? '' : ','}"${account.address}":${accountText(account)}`)
        isFirst = false
      },
      end: () => write('}'),
    },
  }
}

function accountText({ before, after, codeBefore, codeAfter, slots }: TouchedAccount): string {
  const member = (text: (state: AccountState) => string): string =>
    changeText(before && text(before), after && text(after))
  const balance = member((state) => formatQuantity(state.balance))
  const nonce = member((state) => formatQuantity(state.nonce))
  const isCodeTold = codeBefore !== undefined || codeAfter !== undefined
  const isWhole = before === undefined || after === undefined
  const code =
    isCodeTold || isWhole
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

/** undefined: nothing to tell. */
function slotText(isNewAccount: boolean, before: Uint8Array, after: Uint8Array): string | undefined {
  if (!isNewAccount) return `{"*":{"from":"${formatData(before)}","to":"${formatData(after)}"}}`
  return after.some((byte) => byte !== 0) ? `{"+":"${formatData(after)}"}` : undefined
}
