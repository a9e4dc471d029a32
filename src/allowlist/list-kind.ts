import type { Sliced } from '#platform/next-turn.ts'

/** One kind of list in a permissions file. */
export interface ListKind {
  readonly key: string
  /** The key before Besu 20.10. */
  readonly oldKey: string
  /** The noun used in messages, such as `account`. */
  readonly entry: string
  /** Whether a file may list an entry twice; the duplicate is ignored. */
  readonly mayRepeat: boolean
  /** Returns the canonical spelling of an entry, or undefined if the text is not an entry. */
  parse(text: string): string | undefined
  /** Explains why a text is not an entry; `where` is its place in the file. */
  whyInvalid(text: string, where: string): string
  /**
   * Resolves the host names that `parse` and `spell` need, because they are synchronous. With `isAnew`, resolves known names
   * again. Returns true if the texts contain host names.
   */
  prepare?(texts: readonly string[], isAnew: boolean): Promise<boolean>
  /** Maps valid entries of a request to the spelling in the list, or returns why they are refused. */
  spell?(entries: readonly string[], listed: ReadonlySet<string>): Sliced<readonly string[] | EntryRefusal>
  /** Whether methods may not remove the entry. */
  isFixed?(entry: string): boolean
}

export type EntryRefusal =
  | 'INVALID'
  /** The entry names a host, and DNS is disabled. */
  | 'HOST_NAME'
  | 'DUPLICATE'

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

/** Accepts any letter case, like Besu; checksums are not verified. */
export function parseAccount(text: string): string | undefined {
  if (ACCOUNT.test(text)) return text
  const account = text.toLowerCase()
  return ACCOUNT.test(account) ? account : undefined
}
