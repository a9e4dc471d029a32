/*
 * Measures the cost of a plugin's admission rule: signed transfers from 100 senders to a validator, alternately without a
 * plugin and with one that admits everything. The clock runs from the first POST to the last answer (taken), and to the
 * block with the last transaction (included). There is one block per second, so few transfers make the second figure
 * imprecise. The node's CPU time is the better figure on a busy machine.
 *
 *   npm run bench -- plugins
 *   npm run bench -- plugins --transfers 30000 --least 0.8
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { cpuSecondsOf } from './cpu-seconds.ts'
import { Connection, postAll } from './keep-alive.ts'
import { startCairn } from './pool-targets.ts'
import { requestOf, signWorkload } from './pool-workload.ts'

const { values } = parseArgs({
  options: {
    transfers: { type: 'string', default: '10000' },
    turns: { type: 'string', default: '3' },
    /** The minimum ratio. */
    least: { type: 'string', default: '0' },
  },
})

const CONNECTIONS = 64
const BATCH = 100
const POLL_MS = 20
const ALLOW_ALL = `import { definePlugin } from 'cairn-node/plugin'

export default definePlugin({
  name: 'allow-all',
  version: '1.0.0',
  admission: { onFailure: 'refuse', judge: (transactions) => transactions.map(() => true) },
})
`

interface Speed {
  readonly taken: number
  readonly included: number
  /** The node's CPU time per transaction in microseconds, all threads together. */
  readonly cpu: number
}

async function measure(bodies: readonly string[], count: number, plugin: string | undefined): Promise<Speed> {
  const target = await startCairn({
    args: ['--rpc-http-api=ETH', ...(plugin === undefined ? [] : [`--plugins=${plugin}`])],
  })
  let connection: Connection | undefined
  try {
    const startCpuSeconds = cpuSecondsOf(target.pid)
    const beganMs = performance.now()
    let refused: string | undefined
    await postAll(target.port, [...bodies], CONNECTIONS, (text) => {
      if (text.includes('"error"')) refused ??= text
    })
    if (refused !== undefined) throw new Error(`A transaction was refused: ${refused.slice(0, 300)}`)
    const takenMs = performance.now() - beganMs
    // Opened late, because the server closes an idle connection.
    connection = await Connection.open(target.port)
    for (let number = 1, left = count; left > 0; ) {
      const block = await connection.ask<{ transactions: string[] } | null>(
        'eth_getBlockByNumber',
        `0x${number.toString(16)}`,
        false,
      )
      if (block === null) await new Promise((resolve) => setTimeout(resolve, POLL_MS))
      else {
        left -= block.transactions.length
        number++
      }
    }
    const includedMs = performance.now() - beganMs
    const cpu = ((cpuSecondsOf(target.pid) - startCpuSeconds) * 1_000_000) / count
    return { taken: (count / takenMs) * 1_000, included: (count / includedMs) * 1_000, cpu }
  } finally {
    connection?.close()
    await target.stop()
  }
}

function median(all: readonly number[]): number {
  return [...all].sort((a, b) => a - b)[Math.floor(all.length / 2)]!
}

const folder = mkdtempSync(join(tmpdir(), 'cairn-bench-plugins-'))
const plugin = join(folder, 'allow-all.ts')
writeFileSync(plugin, ALLOW_ALL)
const requests = signWorkload('transfers', Number(values.transfers)).map(requestOf)
const batches: string[] = []
for (let from = 0; from < requests.length; from += BATCH) {
  batches.push(`[${requests.slice(from, from + BATCH).join(',')}]`)
}
let worst = Number.POSITIVE_INFINITY
for (const [mode, bodies] of [
  ['one POST each', requests],
  ['batches of 100', batches],
] as const) {
  const speeds: { readonly without: Speed[]; readonly with: Speed[] } = { without: [], with: [] }
  for (let turn = 0; turn < Number(values.turns); turn++) {
    speeds.without.push(await measure(bodies, requests.length, undefined))
    speeds.with.push(await measure(bodies, requests.length, plugin))
  }
  const compared = (what: keyof Speed) => {
    const [without, withPlugin] = [speeds.without, speeds.with].map((all) =>
      median(all.map((each) => each[what])),
    )
    return { without: without!.toFixed(0), with: withPlugin!.toFixed(0), ratio: withPlugin! / without! }
  }
  for (const what of ['taken', 'included'] as const) {
    const { without, with: withPlugin, ratio } = compared(what)
    worst = Math.min(worst, ratio)
    console.log(
      `${requests.length} transfers, ${mode}, ${what}: ${without} per second without, ${withPlugin} with a plugin that admits all, ratio ${ratio.toFixed(2)}`,
    )
  }
  const { without, with: withPlugin, ratio } = compared('cpu')
  console.log(
    `${requests.length} transfers, ${mode}, CPU: ${without} µs for each without, ${withPlugin} µs with, ratio ${ratio.toFixed(2)}`,
  )
}
rmSync(folder, { recursive: true, force: true })
if (worst < Number(values.least)) {
  console.log(`The lowest ratio of transactions per second is below ${values.least}.`)
  process.exitCode = 1
}
