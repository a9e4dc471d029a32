import { Fault } from '#types/fault.ts'

/** As the reference: 2 for what the person gave and for a node that could not start, 1 for a command that failed. */
const EXIT_USAGE = 2
const EXIT_FAILED = 1

/** Kinds that are answered like a mistake on the command line. Every other fault ends a command with 1. */
const USAGE_KINDS = new Set(['USAGE', 'START_FAILED'])

export interface Exit {
  readonly code: number
  readonly text: string
}

/** The only place where a failure becomes an exit code and a text for a person. */
export function exitOf(error: unknown): Exit {
  if (!(error instanceof Fault)) {
    const detail = error instanceof Error ? error.stack : String(error)
    return {
      code: EXIT_FAILED,
      text: `This is a bug in cairn. Please report it with these lines:\n${detail}\n`,
    }
  }
  if (USAGE_KINDS.has(error.kind)) {
    return { code: EXIT_USAGE, text: `${error.message}\n\nTo display full help:\ncairn [COMMAND] --help\n` }
  }
  return { code: EXIT_FAILED, text: `${error.message}\n` }
}
