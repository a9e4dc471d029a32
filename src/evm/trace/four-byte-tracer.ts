/** The result of `4byteTracer`: calls per function, by selector and size of its arguments. */
import type { CallFrame } from '#evm/call-tree.ts'
import type { Address } from '#types/address.ts'
import { formatData } from '#types/hex.ts'
import { isCreation } from './flat-calls.ts'

const SELECTOR_BYTES = 4

export function fourByteText(
  frames: readonly CallFrame[],
  isPrecompile: (address: Address) => boolean,
): string {
  const counts = new Map<string, number>()
  for (const frame of frames) {
    const { type, input, to } = frame
    if (type === 'selfdestruct' || isCreation(frame) || input.length < SELECTOR_BYTES) continue
    if (frame.depth > 0 && isPrecompile(to)) continue
    const key = `${formatData(input.subarray(0, SELECTOR_BYTES))}-${input.length - SELECTOR_BYTES}`
    counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  return `{${[...counts]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, count]) => `"${key}":${count}`)
    .join()}}`
}
