/**
 * Consensus messages recorded between validators of running networks. Every message must decode, encode to the same
 * bytes, come from a validator, and be justified by our rules; every final block is imported with its seals.
 */
import assert from 'node:assert/strict'
import type { MessageCodec } from '#consensus/bft/messages.ts'
import { createIbft2Rules } from '#consensus/ibft2/rules.ts'
import { createIbft2Codec } from '#consensus/ibft2/wire/ibft2-codec.ts'
import { createQbftRules } from '#consensus/qbft/rules.ts'
import { createQbftCodec } from '#consensus/qbft/wire/qbft-codec.ts'
import { loadCrypto } from '#evm/crypto.ts'
import type { Address } from '#types/address.ts'
import { parseData } from '#types/hex.ts'
import { openMemoryChain, parseGenesisText } from '../chains/memory-chain.ts'
import {
  heightJudge,
  importFinal,
  problemOf,
  type RecordedHeight,
  readRecorded,
} from '../recorded/wire-messages.ts'
import { type Outcome, outcomeOf, type Pack, type Suite } from '../suite.ts'

interface Protocol {
  readonly folder: string
  /** One list per network, with several files if the network was restarted. */
  readonly networks: readonly (readonly string[])[]
  readonly createCodec: typeof createQbftCodec
  readonly createRules: typeof createQbftRules
}

export const qbftWire: Suite = wireSuite({
  folder: 'recorded/qbft-wire',
  networks: [['messages-new1.json', 'messages-new2.json'], ['messages-old.json'], ['messages-mixed.json']],
  createCodec: createQbftCodec,
  createRules: createQbftRules,
})

export const ibft2Wire: Suite = wireSuite({
  folder: 'recorded/ibft2-wire',
  networks: [['messages-new.json'], ['messages-old.json']],
  createCodec: createIbft2Codec,
  createRules: createIbft2Rules,
})

function wireSuite(protocol: Protocol): Suite {
  return {
    name: protocol.folder,
    async *run(pack) {
      for (const files of protocol.networks) yield* playNetwork(pack, protocol, files)
    },
  }
}

async function* playNetwork(
  pack: Pack,
  protocol: Protocol,
  files: readonly string[],
): AsyncGenerator<Outcome, void, undefined> {
  const genesis = parseGenesisText(pack.text(`${protocol.folder}/genesis.json`))
  const { chain } = await openMemoryChain(genesis)
  const codec = protocol.createCodec(await loadCrypto(), 'current')
  const rules = protocol.createRules({ maxRoundTimeoutMs: 60_000 })
  const recorded = pack.json(`${protocol.folder}/validators.json`) as { readonly address: Address }[]
  const validators = recorded.map(({ address }) => address).sort()
  const heights = files.flatMap((file) => {
    const content = pack.json(`${protocol.folder}/${file}`) as { readonly heights: readonly RecordedHeight[] }
    return content.heights.map((height) => ({ file, ...height }))
  })
  const authors = new Map<number, Address | undefined>([[0, genesis.header.coinbase]])
  for (const height of heights) authors.set(height.height, authorOf(height, codec))
  for (const { file, height, block, messages } of heights) {
    const parentAuthor = authors.get(height - 1)
    const judge = heightJudge(codec, rules, { height, messages }, { validators, parentAuthor })
    for (const [index, message] of messages.entries()) {
      const unit = `${protocol.folder}/${file}#${height}/${index}-${message.type}`
      yield outcomeOf(unit, () => assert.equal(problemOf(judge, readRecorded(judge, message)), undefined))
    }
    if (block === null) continue
    const unit = `${protocol.folder}/${file}#${height}/block`
    yield outcomeOf(unit, () => importFinal(chain, block, height))
  }
}

/** If the recording ended before the block was final, the author comes from the proposal, if there is one. */
function authorOf({ block, messages }: RecordedHeight, codec: MessageCodec): Address | undefined {
  if (block !== null) return block.miner as Address
  const recorded = messages.find(({ type }) => type === 'Proposal')
  if (recorded === undefined) return undefined
  const message = codec.decode(recorded.code, parseData(recorded.data))
  assert.ok(message.kind === 'proposal')
  return message.block.header.coinbase
}
