/*
 * Measures createNode in a program that starts one node after the other: the real package, time until the node has answered
 * `eth_blockNumber`, and CPU time of the process meanwhile. The first start loads the modules of the main thread.
 *
 *   npm run bench -- embed               6 starts
 *   npm run bench -- embed --judge       fails if a warm start takes more than 300 ms; for an idle machine
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { GENESIS_TEXT } from '#chain/chain.fixture.ts'
import { percentile } from '../test/support/rpc-client.ts'
import { buildPackage } from './build-package.ts'

const { values } = parseArgs({
  options: { times: { type: 'string', default: '6' }, judge: { type: 'boolean', default: false } },
})

const WARM_MAX_MS = 300

interface Start {
  readonly ms: number
  readonly cpuMs: number
}

/** Runs without the modules of this program. */
const PROGRAM = `
const [entry, genesis, times] = process.argv.slice(1)
const { createNode } = await import(entry)
const starts = []
while (starts.length < Number(times)) {
  const [beganMs, used] = [performance.now(), process.cpuUsage()]
  const node = await createNode({ genesis })
  await node.provider.request({ method: 'eth_blockNumber' })
  const { user, system } = process.cpuUsage(used)
  starts.push({ ms: performance.now() - beganMs, cpuMs: (user + system) / 1000 })
  await node.stop()
}
console.log(JSON.stringify(starts))`

const place = mkdtempSync(join(tmpdir(), 'cairn-package-'))
try {
  buildPackage(place)
  const entry = pathToFileURL(join(place, 'dist', 'node', 'create-node.js')).href
  const embed = (times: string): readonly Start[] => {
    const args = ['--input-type=module', '-e', PROGRAM, entry, GENESIS_TEXT, times]
    return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' }))
  }
  // Fills the compile cache.
  embed('1')
  const [first, ...warm] = embed(values.times)
  const warmMs = percentile(
    warm.map(({ ms }) => ms),
    50,
  )
  const cpuMs = percentile(
    warm.map((start) => start.cpuMs),
    50,
  )
  console.log(`first start ${first!.ms.toFixed(0)} ms, ${first!.cpuMs.toFixed(0)} ms of CPU`)
  console.log(`warm start ${warmMs.toFixed(0)} ms (at most ${WARM_MAX_MS}), ${cpuMs.toFixed(0)} ms of CPU`)
  if (values.judge && warmMs > WARM_MAX_MS) {
    console.log(`FAILED: a warm start takes more than ${WARM_MAX_MS} ms`)
    process.exitCode = 1
  }
} finally {
  rmSync(place, { recursive: true, force: true })
}
