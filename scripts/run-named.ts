import { spawn } from 'node:child_process'
import { join } from 'node:path'

/** A program of the checkout that is run by a name. */
export interface NamedProgram {
  /** One line about its purpose, for the list of names. */
  readonly does: string
  /** The arguments of `node`. Arguments of the command line follow and take precedence. */
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

export type NamedPrograms = Readonly<Record<string, NamedProgram>>

const ROOT = join(import.meta.dirname, '..')

/** Runs `npm run <script> -- <name> …`. Without a name, or with a wrong one, it lists the names. */
export function runNamed(script: string, programs: NamedPrograms, [name, ...rest]: readonly string[]): void {
  const program = name !== undefined && Object.hasOwn(programs, name) ? programs[name] : undefined
  if (program === undefined) {
    console.error(listOf(script, programs, name))
    process.exitCode = 2
    return
  }
  const child = spawn(process.execPath, [...program.args, ...rest], {
    cwd: ROOT,
    stdio: 'inherit',
    env: { ...process.env, ...program.env },
  })
  child.on('exit', (code) => {
    process.exitCode = code ?? 1
  })
  // Ctrl-C also reaches the child, which decides how both end.
  process.on('SIGINT', () => {})
  process.on('SIGTERM', () => child.kill('SIGTERM'))
}

function listOf(script: string, programs: NamedPrograms, name: string | undefined): string {
  const width = Math.max(...Object.keys(programs).map(({ length }) => length))
  return [
    ...(name === undefined ? [] : [`'${name}' is not a name.`]),
    `Use: npm run ${script} -- <name> [options]`,
    ...Object.entries(programs).map(([each, { does }]) => `  ${each.padEnd(width)}  ${does}`),
  ].join('\n')
}
