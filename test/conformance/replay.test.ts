import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BftMessage } from '#consensus/bft/messages.ts'
import { createQbftCodec } from '#consensus/qbft/wire/qbft-codec.ts'
import { loadCrypto } from '#evm/crypto.ts'
import { parseData } from '#types/hex.ts'
import { openPack } from './pack.ts'
import { compareSent } from './recorded/compare-sent.ts'
import type { Outcome, Pack } from './suite.ts'
import { recordedReplay } from './suites/recorded-replay.ts'

interface Heights {
  readonly heights: { height: number; messages: { code: number; data: string }[] }[]
}

const pack = openPack()
const skip = pack === undefined && 'there is no conformance pack'
const codec = createQbftCodec(await loadCrypto(), 'current')

/** A height with prepared round changes, as all four validators played it. */
function preparedHeight(): BftMessage[] {
  const { heights } = pack!.json('recorded/qbft-wire/messages-new2.json') as Heights
  const { messages } = heights.find(({ height }) => height === 45)!
  return messages.map(({ code, data }) => codec.decode(code, parseData(data)))
}

test('what was recorded equals itself, and no message may lack a part, be missing or be too much', {
  skip,
}, () => {
  const recorded = preparedHeight()
  const { author: address } = recorded.find(({ kind, signed }) => {
    return kind === 'proposal' && signed.payload.round > 0
  })!.signed
  const sent = recorded.filter(({ signed }) => signed.author === address)
  const place = { unit: 'planted#45/validator-0', address, validators: 4, codec, recorded }
  assert.equal(compareSent(place, sent), 'same')

  const without = (kind: BftMessage['kind'], part: string) =>
    sent.map((message) => (message.kind === kind && part in message ? { ...message, [part]: [] } : message))
  const refused = (planted: BftMessage[]) => assert.throws(() => compareSent(place, planted))
  refused(without('roundChange', 'prepares') as BftMessage[])
  refused(without('proposal', 'prepares') as BftMessage[])
  refused(without('proposal', 'roundChanges') as BftMessage[])
  for (const kind of ['proposal', 'prepare', 'commit', 'roundChange'])
    refused(sent.filter((message) => message.kind !== kind))
  const unrecorded = { ...place, recorded: recorded.filter(({ kind }) => kind !== 'commit') }
  assert.throws(() => compareSent(unrecorded, sent), /commit of round \d was sent and is not recorded/)
})

/** The outcomes of the first heights of the first recording. */
async function outcomes(planted: Pack, heights: number): Promise<Map<string, Outcome['status']>> {
  const found = new Map<string, Outcome['status']>()
  for await (const { unit, status } of recordedReplay.run(planted, undefined as never)) {
    const [, height] = unit.match(/^recorded\/qbft-wire\/messages-new1\.json#(\d+)\//)!
    if (Number(height) > heights) return found
    found.set(unit, status)
  }
  return found
}

test('a message that cannot be decoded fails its height, and the others are counted', { skip }, async () => {
  const planted: Pack = {
    ...pack!,
    json: (file) => {
      const value = pack!.json(file)
      if (file.endsWith('messages-new1.json')) (value as Heights).heights[1]!.messages[0]!.data = '0x01'
      return value
    },
  }
  const found = await outcomes(planted, 3)
  for (const validator of [0, 1, 2, 3]) {
    const at = (height: number) =>
      found.get(`recorded/qbft-wire/messages-new1.json#${height}/validator-${validator}`)
    assert.deepEqual([at(2), at(3)], ['failed', 'met'])
  }
})
