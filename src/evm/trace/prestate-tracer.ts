/**
 * The result of `prestateTracer`: the accounts and slots that a transaction read, as they were before it; in diff
 * mode its changes, before and after.
 */
import type { AccountState } from '#evm/state-lookup.ts'
import { formatData, formatQuantity } from '#types/hex.ts'
import { NO_WANTS, type TraceWants } from './events.ts'
import { accountObject, type Shape, type Write } from './shape.ts'
import type { TouchedAccount } from './trace-visitor.ts'

export interface PrestateOptions {
  readonly disableCode: boolean
  readonly disableStorage: boolean
}

export const TOUCHED_WANTS: TraceWants = { ...NO_WANTS, touched: true }

export function prestate(write: Write, options: PrestateOptions): Shape {
  return accountObject(write, TOUCHED_WANTS, (account) => {
    const { before, codeBefore } = account
    return before && !isEmpty(before, codeBefore) ? wholeText(account, before, options) : undefined
  })
}

/** Changes are few and printed twice, so they are collected. */
export function prestateDifference(write: Write, options: PrestateOptions): Shape {
  let pre: string[] = []
  let post: string[] = []
  return {
    wants: TOUCHED_WANTS,
    visitor: {
      begin() {
        pre = []
        post = []
      },
      account(account) {
        const { before, after, address } = account
        const changed = changedText(account, options)
        if (changed === undefined && before !== undefined && after !== undefined) return
        if (before !== undefined && !isEmpty(before, account.codeBefore))
          pre.push(`"${address}":${wholeText(account, before, options, true)}`)
        if (after !== undefined && changed !== undefined) post.push(`"${address}":${changed}`)
      },
      end: () => write(`{"post":{${post.join()}},"pre":{${pre.join()}}}`),
    },
  }
}

/** Indistinguishable from a missing account; since EIP-161 only a genesis file can create one. */
function isEmpty({ nonce, balance }: AccountState, code: Uint8Array | undefined): boolean {
  return nonce === 0n && balance === 0n && (code === undefined || code.length === 0)
}

function wholeText(
  { codeBefore, slots }: TouchedAccount,
  before: AccountState,
  { disableCode, disableStorage }: PrestateOptions,
  onlyChanged = false,
): string {
  const members = [`"balance":"${formatQuantity(before.balance)}"`]
  if (codeBefore !== undefined && codeBefore.length > 0 && !disableCode) {
    members.push(`"code":"${formatData(codeBefore)}"`, `"codeHash":"${formatData(before.codeHash)}"`)
  }
  if (before.nonce > 0n) members.push(`"nonce":${before.nonce}`)
  const shown = disableStorage
    ? []
    : slots.filter((slot) => (onlyChanged ? isChanged(slot) && isSet(slot.before) : true))
  if (shown.length > 0) {
    const texts = shown.map(({ slot, before: value }) => `"${formatData(slot)}":"${formatData(value)}"`)
    members.push(`"storage":{${texts.join()}}`)
  }
  return `{${members.join()}}`
}

/** Returns the changed members, or undefined if nothing changed. */
function changedText(
  { before, after, codeAfter, slots }: TouchedAccount,
  { disableCode, disableStorage }: PrestateOptions,
): string | undefined {
  if (after === undefined) return undefined
  const members: string[] = []
  if ((before?.balance ?? 0n) !== after.balance) members.push(`"balance":"${formatQuantity(after.balance)}"`)
  if (codeAfter !== undefined && codeAfter.length > 0 && !disableCode) {
    members.push(`"code":"${formatData(codeAfter)}"`, `"codeHash":"${formatData(after.codeHash)}"`)
  }
  if ((before?.nonce ?? 0n) !== after.nonce) members.push(`"nonce":${after.nonce}`)
  const changed = slots.filter(isChanged)
  const shown = disableStorage ? [] : changed.filter((slot) => isSet(slot.after))
  if (shown.length > 0) {
    const texts = shown.map(({ slot, after: value }) => `"${formatData(slot)}":"${formatData(value)}"`)
    members.push(`"storage":{${texts.join()}}`)
  }
  if (members.length === 0 && changed.length === 0) return undefined
  return `{${members.join()}}`
}

function isChanged({ before, after }: { readonly before: Uint8Array; readonly after: Uint8Array }): boolean {
  return before.some((byte, index) => byte !== after[index])
}

function isSet(word: Uint8Array): boolean {
  return word.some((byte) => byte !== 0)
}
