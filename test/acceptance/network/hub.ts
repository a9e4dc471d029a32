/**
 * Network namespaces for nodes, joined by hub.py, which drops and delays packets. Needs Linux, root, python3
 * and ip.
 */
import assert from 'node:assert/strict'
import { type ChildProcessByStdio, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface, type Interface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { freePort } from '../../support/free-port.ts'
import type { Place } from './member.ts'

export interface LinkFault {
  readonly lossPercent?: number
  readonly delayMs?: number
}

/**
 * Faults by direction, with members numbered from 0. A partition is a set of links that lose every packet.
 */
export type LinkFaults = Readonly<Record<`${number}>${number}`, LinkFault>>

type HubProcess = ChildProcessByStdio<Writable, Readable, null>

export class Hub {
  readonly places: readonly Place[]
  readonly #process: HubProcess
  readonly #lines: Interface

  private constructor(process: HubProcess, lines: Interface, places: readonly Place[]) {
    this.#process = process
    this.#lines = lines
    this.places = places
  }

  static async open(count: number, seed: number): Promise<Hub> {
    const child = spawn('python3', [join(import.meta.dirname, 'hub.py'), String(count), String(seed)], {
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    const lines = createInterface(child.stdout)
    const [first] = (await Promise.race([once(lines, 'line'), once(child, 'exit').then(() => [''])])) as [
      string,
    ]
    assert.notEqual(first, '', 'the hub did not start')
    const { pid, spaces } = JSON.parse(first) as { pid: number; spaces: readonly number[] }
    const p2pPort = await freePort()
    const places = spaces.map((space, index) => ({
      command: ['nsenter', `--net=/proc/${pid}/fd/${space}`],
      host: `10.78.0.${index + 1}`,
      p2pPort,
    }))
    return new Hub(child, lines, places)
  }

  /** Replaces all earlier faults. */
  async set(faults: LinkFaults): Promise<void> {
    const told = Object.entries(faults).map(([pair, { lossPercent = 0, delayMs = 0 }]) => {
      const [from, to] = pair.split('>').map((index) => Number(index) + 1)
      return [`${from}>${to}`, { loss: lossPercent / 100, delay: delayMs / 1_000 }]
    })
    const answered = once(this.#lines, 'line')
    this.#process.stdin.write(`${JSON.stringify(Object.fromEntries(told))}\n`)
    await answered
  }

  async close(): Promise<void> {
    const exited = once(this.#process, 'exit')
    this.#process.stdin.end()
    await exited
  }
}

/**
 * Returns the reason why this machine cannot create network namespaces, if any. In the gate, a missing
 * program is a failure.
 */
export function noNamespaces(): string | undefined {
  if (process.platform !== 'linux') return 'network namespaces need Linux'
  if (spawnSync('unshare', ['--net', 'true']).status !== 0)
    return 'this machine does not permit network namespaces'
  if (!existsSync('/dev/net/tun')) return 'this machine has no TUN devices'
  if (process.env.CI === 'true') return undefined
  for (const program of ['python3', 'ip', 'nsenter']) {
    if (spawnSync(program, ['--help']).error !== undefined) return `${program} is not installed`
  }
  return undefined
}
