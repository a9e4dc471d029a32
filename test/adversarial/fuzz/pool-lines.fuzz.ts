import { FIRST_LINE, formatLine, isPoolFile, parseLines } from '#pool/kept/pool-lines.ts'
import { assert } from '#types/assert.ts'
import { keccak256 } from '#types/keccak.ts'
import type { FuzzTarget } from './target.ts'

const LINES = [
  formatLine({ origin: 'local', bytes: Uint8Array.of(0x02, 0xc0) }, keccak256),
  formatLine({ origin: 'remote', bytes: new Uint8Array(200).fill(3) }, keccak256),
]

/** Any line is damaged, or formats to the same text again. */
const target: FuzzTarget = {
  name: 'pool-lines',
  seeds: () =>
    [FIRST_LINE, FIRST_LINE + LINES.join(''), FIRST_LINE + LINES[1] + LINES[0]!.slice(0, 12)].map((text) =>
      new TextEncoder().encode(text),
    ),
  run(input) {
    if (!isPoolFile(input)) return
    const text = Buffer.from(input).toString('latin1')
    for (const kept of parseLines(input, keccak256)) {
      if (kept === undefined) continue
      // Base64 has several forms for the same bytes if the last digit has unused bits.
      const [start = ''] = formatLine(kept, keccak256).split(/..?={0,2}\n$/)
      assert(text.includes(start), 'an accepted line is not in the file')
    }
  },
}

export default target
