import assert from 'node:assert/strict'
import { test } from 'node:test'
import { protocolOfCode, sharedProtocols } from './multiplexer.ts'

const protocol = (name: string, version: number, messageCount: number) => ({ name, version, messageCount })
const OURS = [
  protocol('eth', 68, 17),
  protocol('eth', 69, 18),
  protocol('istanbul', 100, 22),
  protocol('IBF', 1, 4),
]
const offsets = (theirs: [string, number][]) =>
  sharedProtocols(
    OURS,
    theirs.map(([name, version]) => ({ name, version })),
  ).map(({ protocol: { name, version }, offset }) => `${name}/${version}@${offset}`)

test('codes are assigned in order of name, upper case first, each in the highest common version', () => {
  const recorded = ['IBF/1@16', 'eth/69@20', 'istanbul/100@38']
  assert.deepEqual(
    offsets([
      ['eth', 68],
      ['eth', 69],
      ['istanbul', 100],
      ['IBF', 1],
      ['snap', 1],
    ]),
    recorded,
  )
  assert.deepEqual(
    offsets([
      ['istanbul', 100],
      ['eth', 68],
    ]),
    ['eth/68@16', 'istanbul/100@33'],
  )
  assert.deepEqual(offsets([['eth', 70]]), [])
})

test('a wire code belongs to one protocol or to none', () => {
  const shared = sharedProtocols(OURS, [
    { name: 'eth', version: 69 },
    { name: 'istanbul', version: 100 },
  ])
  const find = (code: number) => {
    const found = protocolOfCode(shared, code)
    return found && `${found.protocol.name} ${found.code}`
  }
  assert.equal(find(0x0f), undefined)
  assert.equal(find(0x10), 'eth 0')
  assert.equal(find(0x21), 'eth 17')
  assert.equal(find(0x34), 'istanbul 18')
  assert.equal(find(0x37), 'istanbul 21')
  assert.equal(find(0x38), undefined)
})
