/**
 * Compares keccak-256 in WebAssembly with the pure version: inputs of the length of an address, a leaf and a branch of a trie, and a
 * running hash that takes 16 bytes and is read, as in each RLPx frame. Rounds alternate; the shortest of each counts.
 *
 *   npm run bench -- keccak [--rounds 60]
 */
import { parseArgs } from 'node:util'
import { loadFastKeccak, loadRunningKeccak } from '#platform/fast-keccak.ts'
import { createRunningKeccak, type Keccak, keccak256, type RunningKeccak } from '#types/keccak.ts'

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '60' } } })
const HASHES = 500
const HEADER_BYTES = 16

interface Case {
  readonly name: string
  readonly fast: () => void
  readonly pure: () => void
}

const cases: readonly Case[] = [
  ...[20, 110, 532].map((length): Case => {
    const bytes = new Uint8Array(length)
    const hashing = (keccak: Keccak) => () => void keccak(bytes)
    return { name: `${length} bytes`, fast: hashing(loadFastKeccak()), pure: hashing(keccak256) }
  }),
  {
    name: `running, ${HEADER_BYTES} bytes`,
    fast: continuing(loadRunningKeccak()()),
    pure: continuing(createRunningKeccak()),
  },
]

function continuing(running: RunningKeccak): () => void {
  const bytes = new Uint8Array(HEADER_BYTES)
  return () => {
    running.update(bytes)
    running.digest()
  }
}

function microsecondsOf(work: () => void): number {
  const start = performance.now()
  for (let count = 0; count < HASHES; count++) work()
  return ((performance.now() - start) * 1_000) / HASHES
}

for (const { name, fast, pure } of cases) {
  const best = { fast: Number.POSITIVE_INFINITY, pure: Number.POSITIVE_INFINITY }
  for (let round = 0; round < Number(values.rounds); round++) {
    best.fast = Math.min(best.fast, microsecondsOf(fast))
    best.pure = Math.min(best.pure, microsecondsOf(pure))
  }
  const ratio = (best.pure / best.fast).toFixed(1)
  console.log(`${name}: ${best.fast.toFixed(2)} µs, pure ${best.pure.toFixed(2)} µs, ${ratio} times as fast`)
}
