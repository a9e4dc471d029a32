import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { CORPORA, type Corpus, type CorpusResult, percentage, TARGETS } from './corpora.ts'

/** Highest percentage of marked sentences per corpus. It may only fall. */
export type Ratchet = Record<Corpus, number>

const RATCHET_FILE = join(import.meta.dirname, 'ratchet.json')

/** A sentence that leaves a short corpus may raise its percentage a little. */
const MARGIN = 0.3

export function readRatchet(): Ratchet {
  return JSON.parse(readFileSync(RATCHET_FILE, 'utf8'))
}

/** Lowers every limit to the measured percentage and the margin, and never below its target. */
export function lowerRatchet(measured: Record<Corpus, CorpusResult>, ratchet: Ratchet): Ratchet {
  const lowered = { ...ratchet }
  for (const corpus of CORPORA) {
    const limit = Math.round((percentage(measured[corpus]) + MARGIN) * 10) / 10
    lowered[corpus] = Math.min(ratchet[corpus] ?? 100, Math.max(limit, TARGETS[corpus]))
  }
  return lowered
}

export function writeRatchet(ratchet: Ratchet): void {
  writeFileSync(RATCHET_FILE, `${JSON.stringify(ratchet, null, 2)}\n`)
}

/** One line per corpus that has more marked sentences than its limit allows. */
export function exceededLimits(measured: Record<Corpus, CorpusResult>, ratchet: Ratchet): string[] {
  return CORPORA.filter((corpus) => percentage(measured[corpus]) > ratchet[corpus]).map(
    (corpus) =>
      `${corpus}: ${percentage(measured[corpus])} % of the sentences are marked, at most ${ratchet[corpus]} % may be. ` +
      `Run 'npm run words -- --corpus ${corpus}' and rewrite some.`,
  )
}
