import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RECORD } from '#evm/trace/records.ts'
import { differenceOf } from './difference.ts'
import { RecordTape } from './record-tape.ts'

/** A transaction that begins, and ends with so much gas. */
function tapeOf(gasUsed: number): RecordTape {
  const tape = new RecordTape()
  tape.add(Uint8Array.of(RECORD.begin, 0, 0, 0, 0))
  tape.add(Uint8Array.of(RECORD.end, 0, 0, 0, 0, 0, 0, 0, 0, gasUsed, 0, 0, 0, 0, 0, 0, 0, 0))
  return tape
}

test('tapes of the same records are equal, however they were cut', () => {
  const joined = new RecordTape()
  for (const chunk of [Buffer.concat(tapeOf(1).chunks)]) joined.add(chunk)
  assert.ok(joined.equals(tapeOf(1)))
})

test('one byte more makes tapes differ, and the difference names both sides', () => {
  const [a, b] = [tapeOf(1), tapeOf(2)]
  assert.equal(a.equals(b), false)
  assert.match(
    differenceOf(a, b) ?? '',
    /js {5}outcome error=none gasUsed=1 .*\n {2}native outcome error=none gasUsed=2 /,
  )
})
