/** A small mistake in the source, and the check that must notice it. */
export interface Plant {
  /** The consequence for a user, as a sentence. */
  readonly mistake: string
  readonly file: string
  /** Occurs exactly once in the file. */
  readonly from: string
  readonly to: string
  /** The command that must fail: test files, `simulate` with its flags, or `conformance` with its suites. */
  readonly caughtBy: string
}

export type Plants = Readonly<Record<string, Plant>>
