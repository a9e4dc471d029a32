/**
 * npm run network [-- --nightly --seed 7 names…]: what happens to networks, done to four real validators. Without names all
 * scenarios run, on one network after the other: those of processes that are stopped and killed on loopback.
 */
import { parseArgs } from 'node:util'
import { freePort } from '../free-port.ts'
import { Lab } from './lab.ts'
import type { Place } from './member.ts'
import type { Form, Scenario } from './scenario.ts'
import { STOP_SCENARIOS } from './stop-scenarios.ts'

const VALIDATORS = 4
/** Of the gate, whose time is short; a network in use has longer ones. */
const TIMES = { gate: { periodMs: 500, timeoutSeconds: 2 }, nightly: { periodMs: 1_000, timeoutSeconds: 4 } }

const { values, positionals } = parseArgs({
  options: {
    nightly: { type: 'boolean', default: false },
    /** A folder for the whole logs of the nodes. */
    logs: { type: 'string' },
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
  },
  allowPositionals: true,
})
const form: Form = values.nightly ? 'nightly' : 'gate'
const seed = Number(values.seed)
const chosen = STOP_SCENARIOS.filter(({ name }) => positionals.length === 0 || positionals.includes(name))
console.log(`network: ${form} form, --seed ${seed}`)
const held = await play(chosen)
console.log(`network: ${held} scenarios held`)
process.exitCode = held === chosen.length ? 0 : 1

async function play(scenarios: readonly Scenario[]): Promise<number> {
  if (scenarios.length === 0) return 0
  const places: Place[] = []
  while (places.length < VALIDATORS) {
    places.push({ command: [], host: '127.0.0.1', p2pPort: await freePort() })
  }
  const lab = new Lab({ ...TIMES[form], seed, places, validators: VALIDATORS })
  let count = 0
  try {
    await timed('start', () => lab.start().then(() => `${VALIDATORS} validators make blocks`))
    for (const { name, run } of scenarios) {
      await timed(name, () => run(lab, form))
      count++
    }
  } catch (error) {
    console.log(`${error instanceof Error ? error.stack : error}\n${await lab.report()}`)
  } finally {
    if (values.logs !== undefined) lab.saveLogs(values.logs)
    await lab.close()
  }
  return count
}

async function timed(name: string, run: () => Promise<string>): Promise<void> {
  const beganMs = performance.now()
  const told = await run()
  console.log(`${name}: ${((performance.now() - beganMs) / 1_000).toFixed(1)} s. ${told}`)
}
