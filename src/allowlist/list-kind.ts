import type { Sliced } from '#platform/next-turn.ts'

/** What one of the lists of a permissions file holds. */
export interface ListKind {
  /** Its key in the file. */
  readonly key: string
  /** What it was called before Besu 20.10. */
  readonly oldKey: string
  /** For sentences: `account`. */
  readonly entry: string
  /** Whether a file may name an entry twice; it counts once. */
  readonly mayRepeat: boolean
  /** The one spelling of an entry: two that mean the same have the same. undefined: it is none. */
  parse(text: string): string | undefined
  /** What is wrong with a text that is none, for whoever wrote it into the file; `where` is its place there. */
  whyInvalid(text: string, where: string): string
  /** Finds out what `parse` and `spell` have to know of these texts, which cannot wait; `isAnew`: also what is known. True if they name hosts. */
  prepare?(texts: readonly string[], isAnew: boolean): Promise<boolean>
  /** Valid entries of a request as they stand in the list, or would; or why they cannot. */
  spell?(entries: readonly string[], listed: ReadonlySet<string>): Sliced<readonly string[] | EntryRefusal>
  /** Whether it is never taken off. */
  isFixed?(entry: string): boolean
}

export type EntryRefusal =
  | 'INVALID'
  /** It names a host, and names are not resolved. */
  | 'HOST_NAME'
  | 'DUPLICATE'

/** Enough of a text to recognise it. */
const QUOTED_MAX_CHARS = 100

const ACCOUNT = /^0x[0-9a-f]{40}$/

export const ACCOUNTS: ListKind = {
  key: 'accounts-allowlist',
  oldKey: 'accounts-whitelist',
  entry: 'account',
  mayRepeat: false,
  parse: parseAccount,
  whyInvalid: (text, where) =>
    `Invalid account ${text.slice(0, QUOTED_MAX_CHARS)} in ${where}. An account is 0x and 40 hexadecimal digits.`,
}

/** In any letter case, as Besu takes it: checksums are not verified. */
export function parseAccount(text: string): string | undefined {
  if (ACCOUNT.test(text)) return text
  const account = text.toLowerCase()
  return ACCOUNT.test(account) ? account : undefined
}
