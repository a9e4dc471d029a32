import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TRACE_EVENT } from '#evm/trace/events.ts'
import { differenceOf } from './difference.ts'
import { EventTape } from './event-tape.ts'

/** A transaction that begins, and ends with so much gas. */
function tapeOf(gasUsed: number): EventTape {
  const tape = new EventTape()
  tape.add(Uint8Array.of(TRACE_EVENT.begin, 0, 0, 0, 0))
  tape.add(Uint8Array.of(TRACE_EVENT.end, 0, 0, 0, 0, 0, 0, 0, 0, gasUsed, 0, 0, 0, 0, 0, 0, 0, 0))
  return tape
}

test('tapes of the same events are equal, however they were cut', () => {
  const joined = new EventTape()
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
