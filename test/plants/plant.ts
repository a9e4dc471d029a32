/** A small mistake in the source, and the check that must notice it. */
export interface Plant {
  /** What goes wrong for a user, as a sentence. */
  readonly mistake: string
  readonly file: string
  /** Stands exactly once in the file. */
  readonly from: string
  readonly to: string
  /** Test files, `simulate` with its flags, or `conformance` with its suites: the command that must fail. */
  readonly caughtBy: string
}

export type Plants = Readonly<Record<string, Plant>>
