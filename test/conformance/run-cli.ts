import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { main } from '#cli/main.ts'

const PROGRAM = join(import.meta.dirname, '..', '..', 'bin', 'cairn')
const START_LIMIT_MS = 20_000

export interface CliResult {
  readonly code: number | 'running'
  readonly stdout: string
  readonly stderr: string
}

/** Runs a command inside this process, which saves half a second per start. */
export async function runCommand(args: readonly string[], cwd: string, stdin = ''): Promise<CliResult> {
  const before = process.cwd()
  process.chdir(cwd)
  let stdout = ''
  let stderr = ''
  try {
    const code = await main(args, {
      out: (text) => {
        stdout += text
      },
      err: (text) => {
        stderr += text
      },
      draw: () => undefined,
      readInput: () => stdin,
      readSecretLine: () => undefined,
      columns: undefined,
    })
    return { code, stdout, stderr }
  } finally {
    process.chdir(before)
  }
}

/** Runs the real program, for commands that start a node. A node that comes up is 'running' and is stopped. */
export function runProgram(
  args: readonly string[],
  cwd: string,
  env: Record<string, string> = {},
): Promise<CliResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [PROGRAM, ...args], { cwd, env: { ...process.env, ...env } })
    let stdout = ''
    let stderr = ''
    let isUp = false
    const limit = setTimeout(() => child.kill('SIGKILL'), START_LIMIT_MS)
    child.stdout.on('data', (chunk) => {
      stdout += chunk
    })
    child.stderr.on('data', (chunk) => {
      stderr += chunk
      if (isUp || !stderr.includes('Cairn is up')) return
      isUp = true
      child.kill('SIGTERM')
    })
    child.stdin.end()
    child.on('error', reject)
    child.on('close', (code) => {
      clearTimeout(limit)
      resolve({ code: isUp ? 'running' : (code ?? 1), stdout, stderr })
    })
  })
}
