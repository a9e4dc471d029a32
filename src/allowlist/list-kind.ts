/** What one of the lists of a permissions file holds. */
export interface ListKind {
  /** Its key in the file. */
  readonly key: string
  /** What it was called before Besu 20.10. */
  readonly oldKey: string
  /** For sentences: `account`. */
  readonly entry: string
  /** What an entry looks like, for whoever wrote a wrong one. */
  readonly form: string
  /** The one spelling of an entry: two that mean the same have the same. undefined: it is none. */
  parse(text: string): string | undefined
}

const ACCOUNT = /^0x[0-9a-f]{40}$/

export const ACCOUNTS: ListKind = {
  key: 'accounts-allowlist',
  oldKey: 'accounts-whitelist',
  entry: 'account',
  form: 'An account is 0x and 40 hexadecimal digits.',
  parse: parseAccount,
}

/** In any letter case, as Besu takes it: checksums are not verified. */
export function parseAccount(text: string): string | undefined {
  if (ACCOUNT.test(text)) return text
  const account = text.toLowerCase()
  return ACCOUNT.test(account) ? account : undefined
}
