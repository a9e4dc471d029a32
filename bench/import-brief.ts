/**
 * The short form of the import benchmark, for the gate: the CPU time of an imported ERC-20 transfer on the importing thread, next to a
 * fixed reference of pure JavaScript. Rounds of both alternate, so a busy machine slows both; if other programs take much of it, the
 * ratio is not judged.
 */
import { keccak256 } from '#types/keccak.ts'
import { watchMachine } from '../test/support/busy-machine.ts'
import { threadCpuMs } from './cpu-seconds.ts'

/** A tenth above the ratio of an import without a mistake: one that takes a fifth longer exceeds it. */
const MOST = 1.45
/** Other programs may disturb a measurement; a slower import exceeds the limit in each. */
const MEASUREMENTS = 3
const ROUNDS = 3
/** By then V8 has compiled the code that it compiles early. */
const WARM_UP_ROUNDS = 4
export const ROUND_BLOCKS = 2
export const BRIEF_BLOCKS = ROUND_BLOCKS * (WARM_UP_ROUNDS + MEASUREMENTS * ROUNDS)
/** Hashes of the pure version that count as one transfer: about as long as its key recovery. */
const REFERENCE_HASHES = 4
const REFERENCE_BYTES = new Uint8Array(532)

/**
 * `importRound` imports the next blocks and returns the number of their transactions. If `slower` is not 0, each round takes so many
 * percent longer, which must be noticed.
 */
export async function judgeImport(
  importRound: () => Promise<number>,
  slower: number,
  say: (text: string) => void,
): Promise<boolean> {
  const machine = watchMachine()
  for (let round = 0; round < WARM_UP_ROUNDS; round++) referenceMs(await importRound())
  let lowest = Number.POSITIVE_INFINITY
  let transactions = 0
  for (let count = 1; count <= MEASUREMENTS && lowest > MOST; count++) {
    let [own, reference, measured] = [0, 0, 0]
    for (let round = 0; round < ROUNDS; round++) {
      const before = threadCpuMs()
      const imported = await importRound()
      spinUntil(threadCpuMs() + ((threadCpuMs() - before) * slower) / 100)
      own += threadCpuMs() - before
      reference += referenceMs(imported)
      measured += imported
    }
    const each = (ms: number): string => ((ms * 1_000) / measured).toFixed(0)
    const ratio = own / reference
    say(
      `an imported transfer ${each(own)} µs, the reference ${each(reference)} µs of CPU: ratio ${ratio.toFixed(2)}, at most ${MOST}`,
    )
    lowest = Math.min(lowest, ratio)
    transactions += measured
  }
  say(`${transactions} transactions imported`)
  const isSlow = lowest > MOST
  if (slower === 0) return !isSlow || machine.isBusy({ diagnostic: say })
  say(`${slower} % slower: ${isSlow ? 'noticed' : 'NOT NOTICED'}`)
  return isSlow
}

function referenceMs(transactions: number): number {
  const before = threadCpuMs()
  for (let count = 0; count < transactions * REFERENCE_HASHES; count++) keccak256(REFERENCE_BYTES)
  return threadCpuMs() - before
}

function spinUntil(endMs: number): void {
  while (threadCpuMs() < endMs);
}
