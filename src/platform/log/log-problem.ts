/** A line at WARN or ERROR. The log reference and the troubleshooting page are generated from these rows. */
export interface LogProblem<Level extends 'WARN' | 'ERROR' = 'WARN' | 'ERROR'> {
  readonly level: Level
  /** Fixed, so operators can search for it; values go into fields. */
  readonly message: string
  readonly cause: string
  /** What an operator does about it. */
  readonly remedy: string
}

/** For conditions that only a mistake in Cairn produces. */
export const REPORT_BUG = 'Report the line with its stack: this is a bug in Cairn.'
