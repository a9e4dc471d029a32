/** Runs anvil as a process: started on a genesis file, called over HTTP, and ended with the test. */
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createTemporaryDirectory } from '#platform/files/temporary-directory.ts'
import { freePort } from './free-port.ts'

export interface Anvil {
  readonly pid: number
  readonly port: number
  /** Returns the result, or throws anvil's error. */
  ask<Result>(method: string, ...params: unknown[]): Promise<Result>
  stop(): void
}

/** Undefined if there is none for this machine. */
export function findAnvil(): string | undefined {
  const cpu = process.arch === 'arm64' ? 'arm64' : 'amd64'
  const package_ = `@foundry-rs/anvil-${process.platform}-${cpu}`
  const program = join(import.meta.dirname, '..', '..', 'node_modules', package_, 'bin', 'anvil')
  return existsSync(program) ? program : undefined
}

export async function startAnvil(
  program: string,
  genesisText: string,
  options: readonly string[],
): Promise<Anvil> {
  const folder = createTemporaryDirectory('cairn-anvil-')
  const file = join(folder.path, 'genesis.json')
  writeFileSync(file, genesisText)
  const port = await freePort()
  const fixed = ['--init', file, '--port', String(port), '--silent', '--no-mining', '--accounts', '0']
  const child = spawn(program, [...fixed, ...options], { stdio: 'ignore' })
  const stop = (): void => {
    child.kill()
    process.off('exit', stop)
  }
  process.on('exit', stop)
  child.once('exit', () => folder.remove())
  await untilItAnswers(child, port)
  return { pid: child.pid!, port, ask: (method, ...params) => ask(port, method, params), stop }
}

async function untilItAnswers(child: ChildProcess, port: number): Promise<void> {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`anvil ended at its start with code ${child.exitCode}`)
    const answer = await ask(port, 'eth_chainId', []).catch(() => undefined)
    if (answer !== undefined) return
  }
}

async function ask<Result>(port: number, method: string, params: readonly unknown[]): Promise<Result> {
  const response = await fetch(`http://127.0.0.1:${port}/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  const answer = (await response.json()) as { result?: Result; error?: { message: string } }
  if (answer.error !== undefined) throw new Error(`anvil, ${method}: ${answer.error.message}`)
  return answer.result as Result
}
