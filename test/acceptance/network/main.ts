/**
 * npm run network [-- --nightly --seed 7 names…] plays fault scenarios on four real validators. Without names
 * all scenarios run. Scenarios that stop and kill processes use the loopback interface. Link scenarios use
 * network namespaces: this program starts itself again in a namespace of its own.
 */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createSeededRandom } from '#platform/random.fixture.ts'
import { freePort } from '../../support/free-port.ts'
import { BYZANTINE_SCENARIOS } from './byzantine-scenarios.ts'
import { Hub, noNamespaces } from './hub.ts'
import { Lab, type LabSettings } from './lab.ts'
import { LINK_SCENARIOS } from './link-scenarios.ts'
import type { Place } from './member.ts'
import type { Form, Scenario, Skipped } from './scenario.ts'
import { STOP_SCENARIOS } from './stop-scenarios.ts'
import { TROUBLE_SCENARIOS } from './trouble-scenarios.ts'

const VALIDATORS = 4
/** Shorter times in the gate, which must finish soon; production networks use longer ones. */
const TIMES = { gate: { periodMs: 500, timeoutSeconds: 2 }, nightly: { periodMs: 1_000, timeoutSeconds: 4 } }
/** A Byzantine proposer has one turn in four heights, and each costs a timeout. */
const BYZANTINE_TIMES = { periodMs: 200, timeoutSeconds: 1 }

const { values, positionals } = parseArgs({
  options: {
    nightly: { type: 'boolean', default: false },
    /** Folder for the complete logs of the nodes. */
    logs: { type: 'string' },
    /** Number of sampled scenarios to play; all of them by default. */
    sample: { type: 'string' },
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
    /** Set by the program when it starts itself in a network namespace. */
    inside: { type: 'boolean', default: false },
  },
  allowPositionals: true,
})
const form: Form = values.nightly ? 'nightly' : 'gate'
const seed = Number(values.seed)
const ALL = [...STOP_SCENARIOS, ...TROUBLE_SCENARIOS, ...BYZANTINE_SCENARIOS, ...LINK_SCENARIOS]
const chosen = choose()
process.exitCode = (values.inside ? await playInside() : await playAll()) ? 0 : 1

/** Chooses by the seed, so both starts of this program choose the same scenarios. */
function choose(): ReadonlySet<Scenario> {
  const named = ALL.filter(({ name }) => positionals.length === 0 || positionals.includes(name))
  if (values.sample === undefined) return new Set(named)
  const random = createSeededRandom(seed)
  const sampled = named.filter(({ isSampled }) => isSampled)
  while (sampled.length > Number(values.sample)) sampled.splice(random.randomBelow(sampled.length), 1)
  return new Set([...named.filter(({ isSampled }) => !isSampled), ...sampled])
}

async function playAll(): Promise<boolean> {
  console.log(`network: ${form} form, --seed ${seed}`)
  const areStopped = await playOn(await loopback(), [...STOP_SCENARIOS, ...TROUBLE_SCENARIOS])
  const isWell =
    (await playOn(await loopback(VALIDATORS + 1), BYZANTINE_SCENARIOS, BYZANTINE_TIMES)) && areStopped
  const without = noNamespaces()
  if (without === undefined) {
    const again = [import.meta.filename, ...process.argv.slice(2), '--inside', `--seed=${seed}`]
    const { status } = spawnSync('unshare', ['--net', process.execPath, ...again], { stdio: 'inherit' })
    return isWell && status === 0
  }
  for (const { name } of LINK_SCENARIOS.filter((one) => chosen.has(one))) reportSkipped(name, without)
  return isWell
}

async function playInside(): Promise<boolean> {
  const hub = await Hub.open(VALIDATORS + 1, seed)
  try {
    return await playOn(hub.places, LINK_SCENARIOS, TIMES[form], hub)
  } finally {
    await hub.close()
  }
}

async function loopback(count = VALIDATORS): Promise<readonly Place[]> {
  const places: Place[] = []
  while (places.length < count) {
    places.push({ command: [], host: '127.0.0.1', p2pPort: await freePort() })
  }
  return places
}

async function playOn(
  places: readonly Place[],
  all: readonly Scenario[],
  times: Pick<LabSettings, 'periodMs' | 'timeoutSeconds'> = TIMES[form],
  hub?: Hub,
): Promise<boolean> {
  const scenarios = all.filter((one) => chosen.has(one))
  if (scenarios.length === 0) return true
  const lab = new Lab({ ...times, seed, places, validators: VALIDATORS, ...(hub && { hub }) })
  let [held, skipped] = [0, 0]
  try {
    await timed('start', () => lab.start().then(() => `${VALIDATORS} validators produce blocks`))
    for (const { name, run } of scenarios) {
      if (await timed(name, () => run(lab, form))) held++
      else skipped++
    }
  } catch (error) {
    console.log(`${error instanceof Error ? error.stack : error}\n${await lab.report()}`)
  } finally {
    if (values.logs !== undefined) lab.saveLogs(join(values.logs, hub === undefined ? 'loopback' : 'links'))
    await lab.close()
  }
  console.log(`network: ${held} scenarios held, ${skipped} skipped`)
  return held + skipped === scenarios.length
}

/** Returns false if the scenario was skipped. */
async function timed(name: string, run: () => Promise<string | Skipped>): Promise<boolean> {
  const beganMs = performance.now()
  const told = await run()
  if (typeof told !== 'string') {
    reportSkipped(name, told.skipped)
    return false
  }
  console.log(`${name}: ${((performance.now() - beganMs) / 1_000).toFixed(1)} s. ${told}`)
  return true
}

/** scripts/run-stage.ts counts these lines. */
function reportSkipped(name: string, why: string): void {
  console.log(`skipped: ${name}, because ${why}`)
}
