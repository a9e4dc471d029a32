/** A network that is created, run and stopped only by `cairn network`. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { NodeReport } from '#fleet/network-report.ts'
import { parseAddress } from '#types/address.ts'
import { formatData, parseData } from '#types/hex.ts'
import { signTransaction } from '#types/transaction/sign-transaction.ts'
import { type Machine, watchMachineOf } from './busy-machine.ts'
import { cairn, PROGRAM } from './program.ts'
import { openRpcClient } from './rpc-client.ts'

const RECEIPT_MS = 20

/** For tests that wait for many blocks. */
export const QUICK = '--block-period-seconds=1'

interface NetworkContext {
  after(end: () => void): void
  /** The program of a package; the checkout's if undefined. */
  readonly program?: string
}

export class CommandNetwork {
  readonly cwd: string
  readonly #program: string

  constructor(context: NetworkContext, ...wishes: string[]) {
    this.#program = context.program ?? PROGRAM
    this.cwd = mkdtempSync(join(tmpdir(), 'cairn-network-'))
    context.after(() => {
      const { stderr } = cairn(['network', 'down'], { cwd: this.cwd, program: this.#program })
      rmSync(this.cwd, { recursive: true })
      assert.match(stderr, /The network has stopped/)
    })
    this.run('new', ...wishes)
  }

  run(...args: string[]): string {
    const { code, stdout, stderr } = cairn(['network', ...args], {
      cwd: this.cwd,
      program: this.#program,
    })
    assert.equal(code, 0, stderr)
    return stdout
  }

  /** Runs a command while this process continues; returns its output. */
  async runBeside(...args: string[]): Promise<string> {
    const child = spawn(process.execPath, [this.#program, 'network', ...args], { cwd: this.cwd })
    let said = ''
    child.stderr.on('data', (piece) => {
      said += piece
    })
    const [code] = await once(child, 'exit')
    assert.equal(code, 0, said)
    return said
  }

  file(path: string): string {
    return join(this.cwd, 'network', path)
  }

  reports(): NodeReport[] {
    return JSON.parse(this.run('status', '--json'))
  }

  /** Waits until the reports satisfy the condition; fails with the last of them. */
  async until(isSo: (reports: NodeReport[]) => boolean): Promise<NodeReport[]> {
    const endMs = performance.now() + 120_000
    for (;;) {
      const reports = this.reports()
      if (isSo(reports)) return reports
      assert.ok(performance.now() < endMs, JSON.stringify(reports))
      await pause(500)
    }
  }

  port(name: string): number {
    return Number(/rpc-http-port = (\d+)/.exec(readFileSync(this.file(`${name}/config.toml`), 'utf8'))![1])
  }

  transfer(nonce: number) {
    return signTransaction(
      {
        type: 2,
        chainId: 1337n,
        nonce: BigInt(nonce),
        gasLimit: 21_000n,
        to: parseAddress('77'.repeat(20)),
        value: 5n,
        data: new Uint8Array(0),
        maxFeePerGas: 0n,
        maxPriorityFeePerGas: 0n,
        accessList: [],
      },
      parseData(readFileSync(this.file('account.key'), 'utf8')),
    )
  }

  /** Sends a transfer to the first node, and waits for its receipt. */
  async mine(nonce: number): Promise<void> {
    const client = openRpcClient(this.port('validator-1'))
    try {
      const { encoded, hash } = this.transfer(nonce)
      const answer = await client.call('eth_sendRawTransaction', formatData(encoded))
      assert.equal(answer.result, hash, answer.error?.message)
      while ((await client.call('eth_getTransactionReceipt', hash)).result === null) await pause(RECEIPT_MS)
    } finally {
      client.close()
    }
  }

  /** The process ids of the running nodes. */
  pids(): number[] {
    return readdirSync(this.file(''))
      .filter((name) => existsSync(this.file(`${name}/pid`)))
      .map((name) => this.pid(name))
      .filter((pid) => existsSync(`/proc/${pid}`))
  }

  /** Also counts the ended nodes as ours, because their supervisor waited for them. */
  watchMachine(): Machine {
    return watchMachineOf(() =>
      existsSync(this.file('supervisor.pid')) ? [this.supervisor(), ...this.pids()] : [],
    )
  }

  supervisor(): number {
    return Number.parseInt(readFileSync(this.file('supervisor.pid'), 'utf8'), 10)
  }

  pid(name: string): number {
    return Number.parseInt(readFileSync(this.file(`${name}/pid`), 'utf8'), 10)
  }
}
