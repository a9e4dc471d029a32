// npm run conformance -- <suite>... | all [--raise] [--target=http --rpc-threads=3 --rpc-engine-threads=0 ...]
// Prints `suite: passed/total` for each suite and exits 1 when one falls below the ratchet. --raise records a rise.
// A folder names all suites in it. --target=http plays JSON-RPC on a real node with these options.
import { openPack, packFolder } from './pack.ts'
import { loadRatchet, type Ratchet, regressions, rowOf, saveRatchet } from './ratchet.ts'
import { chooseTarget, type OpenTarget } from './rpc/target.ts'
import type { Outcome, Pack, Suite } from './suite.ts'
import { SUITES } from './suites.ts'

async function main(): Promise<number> {
  const raise = process.argv.includes('--raise')
  const names = process.argv.slice(2).filter((arg) => !arg.startsWith('--'))
  const flags = process.argv.slice(2).filter((arg) => arg.startsWith('--') && arg !== '--raise')
  const openTarget = chooseTarget(flags)
  const chosen = chooseSuites(names)
  if (!chosen) return 2
  const pack = openPack()
  if (!pack) {
    console.log(
      `SKIPPED: there is no conformance pack at ${packFolder()}; set CAIRN_CONFORMANCE to its folder.`,
    )
    return 0
  }
  const reached = loadRatchet()
  const raised: Record<string, Ratchet[string]> = { ...reached }
  let passed = 0
  const problems: string[] = []
  for (const suite of chosen) {
    const row = rowOf(await outcomesOf(suite, pack, openTarget))
    const key = suite.ratchetRow?.() ?? suite.name
    console.log(`${key}: ${row.met}/${row.total}`)
    passed += row.met
    const before = reached[key] ?? EMPTY
    problems.push(...regressions(key, before, row, { newReasonsAllowed: raise }))
    raised[key] = row
  }
  for (const problem of problems) console.log(problem)
  if (raise && problems.length === 0) saveRatchet(raised)
  console.log(`conformance: ${passed} passed, ${problems.length} failed`)
  return problems.length === 0 ? 0 : 1
}

const EMPTY = { total: 0, met: 0, unmet: {} }

function chooseSuites(names: readonly string[]): readonly Suite[] | undefined {
  if (names.includes('all')) return SUITES
  const isIn = (suite: Suite, name: string) => suite.name === name || suite.name.startsWith(`${name}/`)
  const unknown = names.filter((name) => !SUITES.some((suite) => isIn(suite, name)))
  if (names.length > 0 && unknown.length === 0) {
    return SUITES.filter((suite) => names.some((name) => isIn(suite, name)))
  }
  const known = SUITES.map(({ name }) => name).join(', ')
  console.log(
    unknown.length > 0
      ? `no suite ${unknown.join(', ')}; there are: ${known}`
      : `name suites, or all: ${known}`,
  )
  return undefined
}

async function outcomesOf(suite: Suite, pack: Pack, openTarget: OpenTarget): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  for await (const outcome of suite.run(pack, openTarget)) outcomes.push(outcome)
  return outcomes
}

process.exitCode = await main()
