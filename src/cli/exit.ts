import { Fault } from '#types/fault.ts'

/** Besu's exit codes: 2 for a usage error or a node that could not start, 1 for a command that failed. */
const EXIT_USAGE = 2
const EXIT_FAILED = 1
/** The exit code of shells for SIGINT. */
const EXIT_INTERRUPTED = 130

/** Faults handled like a usage error. Every other fault ends a command with 1. */
const USAGE_KINDS = new Set(['USAGE', 'START_FAILED', 'PLUGIN_FAILED'])

const HELP_HINT = '\nTo display full help:\ncairn [COMMAND] --help\n'

export interface Exit {
  readonly code: number
  readonly text: string
}

/** A failure that is already in the log. */
export class LoggedFailure extends Error {
  readonly code: number

  constructor(code: number, cause: unknown) {
    super('The log has this failure.', { cause })
    this.name = 'LoggedFailure'
    this.code = code
  }
}

/** The only place that turns a failure into an exit code and a text for people. */
export function exitOf(error: unknown): Exit {
  if (error instanceof LoggedFailure) return { code: error.code, text: '' }
  if (!(error instanceof Fault)) {
    const detail = error instanceof Error ? error.stack : String(error)
    return {
      code: EXIT_FAILED,
      text: `This is a bug in cairn. Please report it with these lines:\n${detail}\n`,
    }
  }
  if (USAGE_KINDS.has(error.kind)) return { code: EXIT_USAGE, text: `${error.message}\n${HELP_HINT}` }
  const code = error.kind === 'INTERRUPTED' ? EXIT_INTERRUPTED : EXIT_FAILED
  return { code, text: `${error.message}\n` }
}
