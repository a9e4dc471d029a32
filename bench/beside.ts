/**
 * Runs one benchmark in another checkout and in this one, in turn, and prints each figure of both with the ratio.
 * `npm run bench -- beside ../before rpc [--rounds 3] [-- --seconds 20]`
 *
 * Both checkouts need their dependencies and the native engine. A figure is the median of the rounds. A benchmark that
 * misses its own goals is compared too.
 */
import { spawn } from 'node:child_process'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { compareRuns, type PrintedLine, readLines } from '../scripts/compare-lines.ts'

const HERE = resolve(import.meta.dirname, '..')

const { values, positionals } = parseArgs({
  options: { rounds: { type: 'string', default: '3' } },
  allowPositionals: true,
})
const [checkout, name, ...options] = positionals
if (checkout === undefined || name === undefined) {
  console.error('Use: npm run bench -- beside <checkout> <name> [--rounds 3] [-- options of the benchmark]')
  process.exit(2)
}
const before: (readonly PrintedLine[])[] = []
const now: (readonly PrintedLine[])[] = []
for (let round = 1; round <= Number(values.rounds); round++) {
  // The first run warms the system's caches, so the checkouts take turns to be first.
  const turns = [
    { folder: resolve(checkout), runs: before },
    { folder: HERE, runs: now },
  ]
  for (const { folder, runs } of round % 2 === 0 ? turns.reverse() : turns) {
    runs.push(readLines(await outputOf(folder)))
  }
  console.error(`round ${round} of ${values.rounds}`)
}
const compared = compareRuns(before, now)
for (const { text, figures } of compared) {
  const shown = figures.map((each) => `${each.before} -> ${each.now} (${ratio(each)})`)
  console.log(`${text}: ${shown.join(', ')}`)
}
if (compared.length === 0) {
  console.error(`No line of bench/${name}.ts is the same in both checkouts.`)
  process.exitCode = 1
}

function ratio({ before, now }: { readonly before: number; readonly now: number }): string {
  return before === now ? '1.00' : (now / before).toFixed(2)
}

async function outputOf(folder: string): Promise<string> {
  const child = spawn(process.execPath, [`bench/${name}.ts`, ...options], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const chunks: Buffer[] = []
  for await (const chunk of child.stdout) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}
