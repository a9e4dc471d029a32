/*
 * Measures the start of a development chain inside a program: Cairn's real package, and next to it Hardhat in-process, ganache
 * in-process and anvil, as far as they run on this machine. It prints the time until the chain has answered `eth_blockNumber`, and
 * CPU time meanwhile. The first start of a program includes the import; later ones are warm.
 *
 *   npm run bench -- embed [--times 6] [--targets cairn,hardhat]
 *   npm run bench -- embed --judge       fails if a warm start of Cairn takes more than 300 ms; for an idle machine
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { percentile } from '../test/support/rpc-client.ts'
import { buildPackage } from './build-package.ts'
import { type Cost, runOnTarget } from './dev-target-run.ts'
import { devTargetEntries } from './dev-targets.ts'

const { values } = parseArgs({
  options: {
    times: { type: 'string', default: '6' },
    targets: { type: 'string', default: 'cairn,hardhat,ganache,anvil' },
    judge: { type: 'boolean', default: false },
  },
})

const WARM_MAX_MS = 300

const place = mkdtempSync(join(tmpdir(), 'cairn-package-'))
try {
  buildPackage(place)
  const wanted = new Set(values.targets.split(','))
  for (const [target, entry] of Object.entries(devTargetEntries(place))) {
    if (!wanted.has(target)) continue
    // Fills the compile cache.
    await runOnTarget({ target, entry, starts: 1 })
    const { starts } = await runOnTarget({ target, entry, starts: Number(values.times) })
    const [first, ...warm] = starts
    const median = (of: (start: Cost) => number): number => percentile(warm.map(of), 50)
    const warmMs = median(({ ms }) => ms)
    console.log(
      `${target}: import to first answer ${describe(first!)}; warm start ${describe({ ms: warmMs, cpuMs: median(({ cpuMs }) => cpuMs) })}`,
    )
    if (values.judge && target === 'cairn' && warmMs > WARM_MAX_MS) {
      console.log(`FAILED: a warm start takes more than ${WARM_MAX_MS} ms`)
      process.exitCode = 1
    }
  }
} finally {
  rmSync(place, { recursive: true, force: true })
}

function describe({ ms, cpuMs }: Cost): string {
  return `${ms.toFixed(0)} ms (${cpuMs.toFixed(0)} ms of CPU)`
}
